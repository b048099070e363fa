//! Frames of environments with a signature behind them.
//!
//! The signature is that of what is held after the push; it follows the frame as 112 more bytes, or none, so that what is not
//! asked for signatures gets the frame alone (`halyard/1`).

use super::{
    codec,
    frame::{FrameHeader, PUSH_LIMIT},
    merge::Damaged,
};
use crate::signature::Signature;

/// Bytes of a signature behind a frame.
pub const SIGNATURE: usize = 112;

/// The longest frame of a push with its signature.
pub const LONGEST: usize = FrameHeader::LENGTH + PUSH_LIMIT + SIGNATURE;

/// Puts a signature behind a frame that has none.
#[must_use]
pub fn with(mut frame: Vec<u8>, signature: Option<&Signature>) -> Vec<u8> {
    if let Some(signature) = signature {
        frame.extend(codec::encode(signature));
    }
    frame
}

/// How many bytes of a push are its frame; the rest is the signature.
///
/// # Errors
/// When it is not as long as it says.
pub fn frame_length(push: &[u8]) -> Result<usize, Damaged> {
    let (header, rest) = push.split_first_chunk().ok_or(Damaged("a frame"))?;
    let header = FrameHeader::parse(*header, PUSH_LIMIT).map_err(|_| Damaged("a frame"))?;
    let length = header.payload_length();
    match rest.len().checked_sub(length) {
        Some(0 | SIGNATURE) => Ok(FrameHeader::LENGTH + length),
        _ => Err(Damaged("a frame")),
    }
}

/// The signature behind a frame, if there is one.
///
/// # Errors
/// When the push is not as long as it says.
pub fn signature(push: &[u8]) -> Result<Option<Signature>, Damaged> {
    let (_, behind) = push.split_at(frame_length(push)?);
    if behind.is_empty() {
        return Ok(None);
    }
    let signature = codec::decode(behind).map_err(|_| Damaged("a signature"))?;
    Ok(Some(signature))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        eval::Environment,
        signature::{PublicKey, SigningKey},
        snapshot::Snapshot,
        wire::{frame, merge, message::Push, sdk},
    };

    #[test]
    fn a_frame_is_the_same_with_and_without_a_signature() {
        let snapshot = Snapshot::default();
        let environment = Environment::prepare(&snapshot).unwrap();
        let key = SigningKey::from_seed(&[1; 32]).unwrap();
        let signed = key.sign(&environment.contents(), 1);
        let push = sdk::snapshot(snapshot);
        let frame = frame::encode(&push).unwrap();

        assert_eq!(signature(&frame), Ok(None));
        assert_eq!(with(frame.clone(), None), frame);
        let both = with(frame.clone(), Some(&signed));
        assert_eq!(both.len(), frame.len() + SIGNATURE);
        assert_eq!(frame_length(&both), Ok(frame.len()));
        assert_eq!(signature(&both), Ok(Some(signed)));
        assert_eq!(merge::read(&both), Ok(push));
        let public = [PublicKey::new(&key.public_key()).unwrap()];
        assert_eq!(signed.verify(&environment.contents(), &public), Ok(()));
    }

    #[test]
    fn other_lengths_are_refused() {
        let frame = frame::encode(&Push::Removed {
            env_id: uuid::Uuid::nil().into(),
        });
        let frame = frame.unwrap();
        for more in 1..=2 * SIGNATURE {
            let longer = [&frame[..], &vec![0; more]].concat();
            assert_eq!(signature(&longer).is_ok(), more == SIGNATURE, "{more}");
            assert_eq!(merge::read(&longer).is_ok(), more == SIGNATURE, "{more}");
        }
        for length in 0..frame.len() {
            assert!(signature(&frame[..length]).is_err(), "{length}");
        }
    }
}
