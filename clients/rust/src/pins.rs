//! Pins: a client that has some holds one environment only, and of it what one of some keys signed.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use data_encoding::BASE64URL_NOPAD;
use protocol::{
    eval::Environment,
    ids::EnvId,
    signature::{Contents, PublicKey, Signature, SignatureError},
    snapshot::Version,
    timestamp::{Proof, TOLERANCE_MS},
};
use uuid::Uuid;

/// Characters of a text that is no setting which are shown: it may be something else, and secret.
const SHOWN: usize = 8;

/// What is pinned, if anything is verified, and the signature of what was accepted last.
#[derive(Clone, Debug)]
pub(crate) struct Pins {
    pinned: Option<Arc<Pinned>>,
    accepted: Option<Signature>,
    /// Until when what was accepted last is known to have been current, Unix milliseconds.
    proven_ms: i64,
}

#[derive(Debug)]
struct Pinned {
    env_id: EnvId,
    keys: Vec<PublicKey>,
}

/// Why contents are not held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsigned {
    #[error("not signed by a key that is pinned: {0}")]
    Signature(#[from] SignatureError),
    #[error("signed, but those of another environment")]
    Environment,
}

impl Pins {
    /// Nothing is verified.
    pub(crate) const NONE: Self = Self {
        pinned: None,
        accepted: None,
        proven_ms: 0,
    };

    /// Of texts: the UUID of an environment, and public keys in base64url, as the `x` of a JWK (RFC 8037). Why they cannot be
    /// used otherwise.
    pub(crate) fn parse<K: AsRef<str>>(
        environment_id: &str,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<Self, String> {
        let id = Uuid::parse_str(environment_id).map_err(|_| {
            let shown = beginning(environment_id);
            format!("the environment id {shown:?}… is no UUID")
        })?;
        let key = |text: K| {
            let bytes = BASE64URL_NOPAD.decode(text.as_ref().as_bytes()).ok();
            let key = bytes.and_then(|bytes| PublicKey::new(&bytes).ok());
            key.ok_or_else(|| {
                let shown = beginning(text.as_ref());
                format!("the signing key {shown:?}… is no Ed25519 public key in base64url")
            })
        };
        let keys: Vec<_> = keys.into_iter().map(key).collect::<Result<_, _>>()?;
        if keys.is_empty() {
            return Err("there are no signing keys to pin".to_owned());
        }
        let pinned = Pinned {
            env_id: id.into(),
            keys,
        };
        Ok(Self {
            pinned: Some(Arc::new(pinned)),
            ..Self::NONE
        })
    }

    /// Whether an environment may take the place of what was accepted last. The first time this takes as long as two
    /// microseconds for each flag and segment.
    pub(crate) fn check(
        &self,
        environment: &Environment,
        signature: Option<&Signature>,
    ) -> Result<(), Unsigned> {
        let Some(pinned) = &self.pinned else {
            return Ok(());
        };
        let signature = signature.ok_or(SignatureError::Missing)?;
        let contents = Contents {
            keys: signature.keys,
            ..environment.contents()
        };
        signature.verify(&contents, &pinned.keys)?;
        if contents.env_id != pinned.env_id {
            return Err(Unsigned::Environment);
        }
        if let Some(accepted) = &self.accepted {
            signature.may_replace(accepted)?;
        }
        Ok(())
    }

    /// What was checked is held from now on.
    pub(crate) fn accept(&mut self, signature: Option<Signature>) {
        self.proven_ms = signature.map_or(0, |signature| signature.signed_at_ms);
        self.accepted = signature;
    }

    /// Takes the proof that a version is current, which is the one that was accepted last.
    pub(crate) fn prove(&mut self, version: Version, proof: &Proof) -> Result<(), SignatureError> {
        if let Some(pinned) = &self.pinned {
            let at_ms = proof.verify(pinned.env_id, version, &pinned.keys)?;
            self.proven_ms = self.proven_ms.max(at_ms);
        }
        Ok(())
    }

    /// Since when nothing proves that what was accepted last is current; `None` if something does, or nothing is verified.
    pub(crate) fn unproven_since(&self, now: SystemTime) -> Option<SystemTime> {
        self.pinned.as_ref()?;
        let until_ms = self.proven_ms.saturating_add(TOLERANCE_MS);
        let time =
            |ms| SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap_or(0));
        (time(until_ms) < now).then(|| time(self.proven_ms))
    }
}

fn beginning(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

#[cfg(test)]
mod tests {
    use protocol::{
        signature::SigningKey,
        snapshot::{Head, Snapshot},
    };

    use super::*;

    const NOW: i64 = 1_780_000_000_000;
    const ID: &str = "0190a3f0-0000-7000-8000-000000000001";

    /// An environment, signed by those who hold API keys.
    fn signed(id: &str, at_ms: i64) -> (Environment, Signature) {
        let environment = Environment::prepare(&Snapshot {
            head: Head {
                env_id: Uuid::parse_str(id).unwrap().into(),
                ..Head::default()
            },
            ..Snapshot::default()
        })
        .unwrap();
        let contents = Contents {
            keys: [9; 32],
            ..environment.contents()
        };
        let signature = key().sign(&contents, at_ms);
        (environment, signature)
    }

    fn key() -> SigningKey {
        SigningKey::from_seed(&[1; 32]).unwrap()
    }

    fn pin() -> String {
        BASE64URL_NOPAD.encode(&key().public_key())
    }

    #[test]
    fn a_text_that_is_no_key_is_named_by_its_beginning() {
        let key = pin();
        assert!(Pins::parse(ID, [&key]).is_ok());
        for text in [
            "",
            "srv_0123456789",
            "Ünïcödé-text",
            &key[1..],
            &format!("{key}="),
        ] {
            let why = Pins::parse(ID, [&key, text]).unwrap_err();
            let shown: String = text.chars().take(8).collect();
            assert_eq!(
                why,
                format!("the signing key {shown:?}… is no Ed25519 public key in base64url")
            );
        }
        let why = Pins::parse(ID, [""; 0]).unwrap_err();
        assert_eq!(why, "there are no signing keys to pin");
    }

    #[test]
    fn a_text_that_is_no_uuid_is_named_by_its_beginning() {
        for text in ["", "production", "srv_0123456789", &ID[1..], &pin()] {
            let why = Pins::parse(text, [pin()]).unwrap_err();
            let shown: String = text.chars().take(8).collect();
            assert_eq!(why, format!("the environment id {shown:?}… is no UUID"));
        }
    }

    #[test]
    fn only_the_environment_that_is_pinned_is_accepted_and_nothing_long_before() {
        let mut pins = Pins::parse(ID, [pin()]).unwrap();
        let (other, by_the_same) = signed("0190a3f0-0000-7000-8000-000000000002", NOW);
        let another = Err(Unsigned::Environment);
        assert_eq!(pins.check(&other, Some(&by_the_same)), another);
        let (same, by) = signed(ID, NOW);
        let missing = Err(SignatureError::Missing.into());
        assert_eq!(pins.check(&same, None), missing);
        let wrong = Err(SignatureError::Wrong.into());
        assert_eq!(pins.check(&same, Some(&by_the_same)), wrong);
        let (_, by_long_before) = signed(ID, 0);
        assert_eq!(pins.check(&same, Some(&by_long_before)), Ok(()));
        assert_eq!(pins.check(&same, Some(&by)), Ok(()));
        pins.accept(Some(by));
        assert_eq!(pins.check(&other, Some(&by_the_same)), another);
        let older = Err(SignatureError::Older.into());
        assert_eq!(pins.check(&same, Some(&by_long_before)), older);
        assert_eq!(pins.check(&same, Some(&by)), Ok(()));
    }

    #[test]
    fn without_pins_anything_is_accepted() {
        let mut pins = Pins::NONE;
        let (_, signature) = signed(ID, NOW);
        pins.accept(Some(signature));
        let (other, by_long_before) = signed("0190a3f0-0000-7000-8000-000000000002", 0);
        for signature in [Some(&signature), Some(&by_long_before), None] {
            assert_eq!(pins.check(&other, signature), Ok(()));
        }
    }
}
