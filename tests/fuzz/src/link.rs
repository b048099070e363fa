//! Frames of the link and of SDKs, in every version and compressed or not.

use std::fmt::Debug;

use protocol::{
    timestamp::Proof,
    wire::{
        codec::{Decode, Encode},
        frame::{self, FrameError, FrameHeader},
        message::{ControlMessage, EdgeMessage, Push},
        sdk::Report,
        signed,
        usage::Upload,
    },
};

/// The first byte is the kind of message and the frame's flags; the payload follows.
pub(crate) fn run(bytes: &[u8]) {
    let (kind, payload) = crate::choice(bytes);
    let flags = kind >> 4;
    match kind & 0x0f {
        0 => whole::<EdgeMessage>(flags, payload, frame::EDGE_LIMIT),
        1 => whole::<ControlMessage>(flags, payload, frame::CONTROL_LIMIT),
        2 => whole::<Push>(flags, payload, frame::PUSH_LIMIT),
        3 => whole::<Upload>(flags, payload, frame::UPLOAD_LIMIT),
        4 => whole::<Report>(flags, payload, frame::UPLOAD_LIMIT),
        5 => whole::<Proof>(flags, payload, frame::EDGE_LIMIT),
        6 => signed(payload),
        _ => raw(payload),
    }
}

fn read<M: Decode<()>>(frame: &[u8], limit: usize) -> Result<M, FrameError> {
    let (start, payload) = frame.split_first_chunk().unwrap();
    let header = FrameHeader::parse(*start, limit)?;
    frame::decode(header, payload)
}

/// What is accepted is within the limit, and the same after it was sent on.
fn whole<M: Encode + Decode<()> + Debug + PartialEq>(flags: u8, payload: &[u8], limit: usize) {
    let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
    let frame = [&length[..], &[flags], payload].concat();
    let Ok(message) = read::<M>(&frame, limit) else {
        return;
    };
    let again = frame::encode(&message).unwrap();
    assert_eq!(read::<M>(&again, limit).unwrap(), message);
}

/// A push as it arrives, with a signature or without.
fn signed(push: &[u8]) {
    let Ok(length) = signed::frame_length(push) else {
        return;
    };
    assert!(length <= push.len());
    if let Ok(Some(signature)) = signed::signature(push) {
        let frame = push[..length].to_vec();
        assert_eq!(signed::with(frame, Some(&signature)), push);
    }
}

/// Any five bytes as a header.
fn raw(bytes: &[u8]) {
    let Some((start, payload)) = bytes.split_first_chunk() else {
        return;
    };
    if let Ok(header) = FrameHeader::parse(*start, frame::EDGE_LIMIT) {
        assert!(header.payload_length() <= frame::EDGE_LIMIT);
        drop(frame::decode::<EdgeMessage>(header, payload));
        if let Ok(length) = frame::decoded_length(header, payload) {
            assert!(length <= frame::EDGE_LIMIT);
        }
    }
}
