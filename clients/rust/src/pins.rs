//! Pinned keys: a client that has some holds only what one of them signed.

use std::sync::Arc;

use data_encoding::BASE64URL_NOPAD;
use protocol::{
    eval::Environment,
    ids::EnvId,
    signature::{Contents, PublicKey, Signature, SignatureError},
};

/// Characters of a text that is no key which are shown: it may be something else, and secret.
const SHOWN: usize = 8;

/// The keys that are pinned, none if nothing is verified, and what was accepted last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pins {
    keys: Arc<[PublicKey]>,
    accepted: Option<Accepted>,
}

#[derive(Clone, Copy, Debug)]
struct Accepted {
    env_id: EnvId,
    signature: Signature,
    /// An edge serves this environment; a local copy may be one of another environment by mistake.
    is_served: bool,
}

/// Why contents are not held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsigned {
    #[error("not signed by a key that is pinned: {0}")]
    Signature(#[from] SignatureError),
    #[error("signed, but those of another environment than before")]
    Environment,
}

impl Pins {
    /// Of texts: the public keys in base64url, as the `x` of a JWK (RFC 8037). Why they cannot be used otherwise.
    pub(crate) fn parse(texts: &[String]) -> Result<Self, String> {
        let key = |text: &String| {
            let bytes = BASE64URL_NOPAD.decode(text.as_bytes()).ok();
            let key = bytes.and_then(|bytes| PublicKey::new(&bytes).ok());
            key.ok_or_else(|| {
                let shown: String = text.chars().take(SHOWN).collect();
                format!("the signing key {shown:?}… is no Ed25519 public key in base64url")
            })
        };
        let keys: Vec<_> = texts.iter().map(key).collect::<Result<_, _>>()?;
        Ok(Self {
            keys: keys.into(),
            accepted: None,
        })
    }

    /// Whether an environment may take the place of what was accepted last. The first time this takes as long as two
    /// microseconds for each flag and segment.
    pub(crate) fn check(
        &self,
        environment: &Environment,
        signature: Option<&Signature>,
    ) -> Result<(), Unsigned> {
        if self.keys.is_empty() {
            return Ok(());
        }
        let signature = signature.ok_or(SignatureError::Missing)?;
        let contents = Contents {
            keys: signature.keys,
            ..environment.contents()
        };
        signature.verify(&contents, &self.keys)?;
        match &self.accepted {
            Some(last) if last.env_id == contents.env_id => {
                Ok(signature.may_replace(&last.signature)?)
            }
            Some(last) if last.is_served => Err(Unsigned::Environment),
            _ => Ok(()),
        }
    }

    /// What was checked is held from now on; a local copy is not served yet.
    pub(crate) fn accept(
        &mut self,
        environment: &Environment,
        signature: Option<Signature>,
        is_served: bool,
    ) {
        self.accepted = signature.map(|signature| Accepted {
            env_id: environment.head().env_id,
            signature,
            is_served,
        });
    }

    /// The edge serves what is held.
    pub(crate) const fn is_served(&mut self) {
        if let Some(accepted) = &mut self.accepted {
            accepted.is_served = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use protocol::{
        signature::SigningKey,
        snapshot::{Head, Snapshot},
    };
    use uuid::Uuid;

    use super::*;

    const NOW: i64 = 1_780_000_000_000;

    /// An environment, signed by those who hold API keys.
    fn signed(number: u128, at_ms: i64) -> (Environment, Signature) {
        let environment = Environment::prepare(&Snapshot {
            head: Head {
                env_id: Uuid::from_u128(number).into(),
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

    fn pins() -> Pins {
        Pins::parse(&[BASE64URL_NOPAD.encode(&key().public_key())]).unwrap()
    }

    #[test]
    fn a_text_that_is_no_key_is_named_by_its_beginning() {
        let key = BASE64URL_NOPAD.encode(&key().public_key());
        assert!(Pins::parse(&[]).is_ok());
        assert!(Pins::parse(std::slice::from_ref(&key)).is_ok());
        for text in [
            "",
            "srv_0123456789",
            "Ünïcödé-text",
            &key[1..],
            &format!("{key}="),
        ] {
            let why = Pins::parse(&[key.clone(), text.to_owned()]).unwrap_err();
            let shown: String = text.chars().take(8).collect();
            assert_eq!(
                why,
                format!("the signing key {shown:?}… is no Ed25519 public key in base64url")
            );
        }
    }

    #[test]
    fn an_edge_that_served_an_environment_does_not_serve_another_one() {
        let mut pins = pins();
        let (copy, by) = signed(1, NOW);
        assert_eq!(pins.check(&copy, Some(&by)), Ok(()));
        pins.accept(&copy, Some(by), false);
        let (other, by_long_before) = signed(2, 0);
        assert_eq!(pins.check(&other, Some(&by_long_before)), Ok(()));
        pins.is_served();
        let refused = pins.check(&other, Some(&by_long_before));
        assert_eq!(refused, Err(Unsigned::Environment));
        let (same, earlier) = signed(1, NOW - 3_600_000);
        let refused = pins.check(&same, Some(&earlier));
        assert_eq!(refused, Err(SignatureError::Older.into()));
        assert_eq!(pins.check(&same, None), Err(SignatureError::Missing.into()));
        assert_eq!(pins.check(&same, Some(&by)), Ok(()));
    }

    #[test]
    fn without_keys_anything_is_accepted() {
        let mut pins = Pins::parse(&[]).unwrap();
        let (environment, signature) = signed(1, NOW);
        pins.accept(&environment, Some(signature), true);
        let (other, _) = signed(2, 0);
        assert_eq!(pins.check(&other, Some(&signature)), Ok(()));
        assert_eq!(pins.check(&other, None), Ok(()));
    }
}
