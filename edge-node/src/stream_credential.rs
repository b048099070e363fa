//! Credentials that open one event stream by its URL, for clients that cannot send headers there.
//!
//! A credential is the text of environment, key and expiry with an HMAC over them. The secret comes from the control
//! plane, so all edges accept each other's credentials. A credential grants nothing that its key would not: its bearer
//! is treated as a caller with that key, and is cut off when the key is revoked.

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use hmac::{Hmac, KeyInit, Mac};
use protocol::{ids::EnvId, snapshot::KeyHash, wire::message::StreamSecret};
use sha2::Sha256;
use uuid::Uuid;

/// No credential is valid for longer: an hour, in milliseconds.
const LIFE: i64 = 3_600_000;
/// Credentials issued within one window are identical, so that a client which fetches its flags again keeps its
/// connection.
const WINDOW: i64 = LIFE / 2;

/// Separates these MACs from any others that might ever be made with the secret.
const PURPOSE: &[u8] = b"halyard ofrep stream 1";

/// Bytes of an environment (16), a key (32) and an expiry (8).
const CLAIMS: usize = 56;
/// The same with their HMAC.
const CREDENTIAL: usize = CLAIMS + 32;

/// Issues and verifies credentials. Without a secret it does neither.
#[derive(Default)]
pub(crate) struct StreamCredentials {
    keyed: ArcSwapOption<Hmac<Sha256>>,
}

/// What a valid credential states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claims {
    pub(crate) env_id: EnvId,
    pub(crate) hash: KeyHash,
}

impl StreamCredentials {
    /// Replaces the secret; credentials issued with the previous one are no longer valid.
    pub(crate) fn set_secret(&self, StreamSecret(secret): &StreamSecret) {
        let keyed = Hmac::new_from_slice(secret).expect("HMAC takes keys of any length");
        self.keyed.store(Some(Arc::new(keyed)));
    }

    /// A credential for the caller's key; `None` while there is no secret.
    pub(crate) fn issue(&self, claims: Claims, now_ms: i64) -> Option<String> {
        let keyed = self.keyed()?;
        let mut text = [0; CREDENTIAL];
        let (stated, tag) = text.split_at_mut(CLAIMS);
        stated.copy_from_slice(&encode(claims, expiry(now_ms)));
        tag.copy_from_slice(&sign(keyed, stated).finalize().into_bytes());
        Some(hex::encode(text))
    }

    /// What a credential states, if it is one of ours and has not expired. Takes the same time wherever a forgery is
    /// wrong.
    pub(crate) fn verify(&self, text: &str, now_ms: i64) -> Option<Claims> {
        let keyed = self.keyed()?;
        let mut bytes = [0; CREDENTIAL];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        let (stated, tag) = bytes.split_at(CLAIMS);
        sign(keyed, stated).verify_slice(tag).ok()?;

        let (env_id, rest) = stated.split_first_chunk::<16>()?;
        let (hash, rest) = rest.split_first_chunk::<32>()?;
        let expires_at_ms = i64::from_be_bytes(rest.try_into().ok()?);
        (now_ms < expires_at_ms).then_some(Claims {
            env_id: Uuid::from_bytes(*env_id).into(),
            hash: *hash,
        })
    }

    fn keyed(&self) -> Option<Hmac<Sha256>> {
        self.keyed.load().as_deref().cloned()
    }
}

fn sign(keyed: Hmac<Sha256>, stated: &[u8]) -> Hmac<Sha256> {
    keyed.chain_update(PURPOSE).chain_update(stated)
}

fn encode(claims: Claims, expires_at_ms: i64) -> [u8; CLAIMS] {
    let mut stated = [0; CLAIMS];
    stated[..16].copy_from_slice(claims.env_id.uuid().as_bytes());
    stated[16..48].copy_from_slice(&claims.hash);
    stated[48..].copy_from_slice(&expires_at_ms.to_be_bytes());
    stated
}

/// When a credential issued now expires: an hour after the window began.
fn expiry(now_ms: i64) -> i64 {
    now_ms.div_euclid(WINDOW) * WINDOW + LIFE
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_767_268_800_000;

    fn claims() -> Claims {
        Claims {
            env_id: Uuid::from_u128(9).into(),
            hash: [7; 32],
        }
    }

    fn credentials() -> StreamCredentials {
        let credentials = StreamCredentials::default();
        credentials.set_secret(&StreamSecret([1; 32]));
        credentials
    }

    #[test]
    fn a_credential_is_valid_for_half_an_hour_to_an_hour() {
        let credentials = credentials();
        let first = credentials.issue(claims(), NOON).unwrap();
        let last = credentials.issue(claims(), NOON + WINDOW - 1).unwrap();
        assert_eq!(first, last);
        assert_eq!(
            credentials.verify(&first, NOON + 2 * WINDOW - 1),
            Some(claims())
        );
        assert_eq!(credentials.verify(&first, NOON + 2 * WINDOW), None);
        assert_ne!(credentials.issue(claims(), NOON + WINDOW).unwrap(), first);
    }

    #[test]
    fn without_a_secret_none_is_issued_and_none_is_valid() {
        let text = credentials().issue(claims(), NOON).unwrap();
        let without = StreamCredentials::default();
        assert_eq!(without.issue(claims(), NOON), None);
        assert_eq!(without.verify(&text, NOON), None);

        without.set_secret(&StreamSecret([2; 32]));
        assert_eq!(without.verify(&text, NOON), None);
    }

    #[test]
    fn a_credential_altered_or_cut_anywhere_is_refused() {
        let credentials = credentials();
        let text = credentials.issue(claims(), NOON).unwrap();
        for place in 0..text.len() {
            let mut changed = text.clone().into_bytes();
            changed[place] = if changed[place] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(credentials.verify(&changed, NOON), None, "digit {place}");
            assert_eq!(credentials.verify(&text[..place], NOON), None, "{place}");
        }
        assert_eq!(credentials.verify(&format!("{text}00"), NOON), None);
        assert_eq!(credentials.verify(&"z".repeat(text.len()), NOON), None);
    }
}
