//! Rehearsals of an outage: an edge fails the answers to one API key on purpose, for a minute at most.
//!
//! The control plane signs each, so that a relay that was broken into cannot cause outages. An edge takes each once, and ends it by its
//! own monotonic clock, whatever becomes of its link.

use std::time::Duration;

use crate::{
    ids::EnvId,
    signature::{KeyId, PublicKey, SignatureError, SigningKey},
    snapshot::KeyHash,
    wire::codec::{Decode, Encode},
};

/// No rehearsal is longer.
pub const LONGEST: Duration = Duration::from_secs(60);

/// The most rehearsals that an edge is told of at once.
pub const MOST: usize = 1_000;

/// How long after its end a rehearsal may still arrive: clocks differ.
const TOLERANCE_MS: i64 = 5 * 60 * 1_000;

/// What is signed begins with this, so that the signature is valid for nothing else.
const PURPOSE: &[u8; 24] = b"halyard rehearsal v1\0\0\0\0";

/// How answers fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub enum Failure {
    /// By 503.
    Unavailable,
    /// There is no answer until the rehearsal ends.
    Silence,
}

/// One rehearsal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Rehearsal {
    /// Drawn for each.
    pub id: [u8; 16],
    /// The environment of the API key.
    pub env_id: EnvId,
    /// SHA-256 of the API key's text.
    pub key: KeyHash,
    /// How its answers fail.
    pub failure: Failure,
    /// When it began, in Unix milliseconds by the control plane's clock.
    pub began_ms: i64,
    /// How long it lasts.
    pub lasts_ms: u32,
}

/// A rehearsal with its signature; none where no key can sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct SignedRehearsal {
    /// What is signed.
    pub rehearsal: Rehearsal,
    /// The key, and Ed25519.
    pub signature: Option<(KeyId, [u8; 64])>,
}

/// A rehearsal that goes on, as it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Running {
    /// Which.
    pub signed: SignedRehearsal,
    /// Milliseconds until it ends. A duration and not a time, since clocks differ.
    pub remaining_ms: u32,
}

impl Rehearsal {
    /// How long it lasts, within what is allowed.
    #[must_use]
    pub fn lasts(&self) -> Duration {
        Duration::from_millis(self.lasts_ms.into()).min(LONGEST)
    }

    /// With a signature.
    #[must_use]
    pub fn sign(self, key: &SigningKey) -> SignedRehearsal {
        SignedRehearsal {
            rehearsal: self,
            signature: Some((key.id(), key.sign_statement(&self.statement()))),
        }
    }

    fn statement(&self) -> Vec<u8> {
        let failure = match self.failure {
            Failure::Unavailable => 0_u8,
            Failure::Silence => 1,
        };
        [
            &PURPOSE[..],
            &self.id,
            self.env_id.uuid().as_bytes(),
            &self.key,
            &[failure],
            &self.began_ms.to_le_bytes(),
            &self.lasts_ms.to_le_bytes(),
        ]
        .concat()
    }
}

impl SignedRehearsal {
    /// Checks that one of the keys signed it, and not long ago.
    ///
    /// # Errors
    /// When none did, or it was over long before `now_ms`.
    pub fn verify(&self, keys: &[PublicKey], now_ms: i64) -> Result<(), SignatureError> {
        let (key, bytes) = self.signature.ok_or(SignatureError::Missing)?;
        PublicKey::verify_statement(keys, key, &self.rehearsal.statement(), &bytes)?;
        let Rehearsal {
            began_ms, lasts_ms, ..
        } = self.rehearsal;
        let latest_ms = began_ms
            .saturating_add(lasts_ms.into())
            .saturating_add(TOLERANCE_MS);
        if latest_ms < now_ms {
            return Err(SignatureError::Older);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const NOW: i64 = 1_780_000_000_000;

    #[test]
    fn a_rehearsal_is_that_of_who_signed_it_as_it_was_signed() {
        let key = SigningKey::from_seed(&[1; 32]).unwrap();
        let ours = [PublicKey::new(&key.public_key()).unwrap()];
        let other = SigningKey::from_seed(&[2; 32]).unwrap();
        let theirs = [PublicKey::new(&other.public_key()).unwrap()];
        let rehearsal = Rehearsal {
            id: [1; 16],
            env_id: Uuid::from_u128(1).into(),
            key: [2; 32],
            failure: Failure::Unavailable,
            began_ms: NOW,
            lasts_ms: 60_000,
        };
        let signed = rehearsal.sign(&key);
        assert_eq!(signed.verify(&ours, NOW), Ok(()));
        assert_eq!(signed.verify(&ours, NOW + 360_000), Ok(()));
        let late = signed.verify(&ours, NOW + 360_001);
        assert_eq!(late, Err(SignatureError::Older));
        assert_eq!(signed.verify(&theirs, NOW), Err(SignatureError::Unknown));
        let unsigned = SignedRehearsal {
            rehearsal,
            signature: None,
        };
        assert_eq!(unsigned.verify(&ours, NOW), Err(SignatureError::Missing));
        let changes: [fn(&mut Rehearsal); 6] = [
            |it| it.id[0] ^= 1,
            |it| it.env_id = Uuid::from_u128(2).into(),
            |it| it.key[31] ^= 1,
            |it| it.failure = Failure::Silence,
            |it| it.began_ms += 1,
            |it| it.lasts_ms += 1,
        ];
        for change in changes {
            let mut changed = signed;
            change(&mut changed.rehearsal);
            assert_eq!(changed.verify(&ours, NOW), Err(SignatureError::Wrong));
        }
    }
}
