//! Who is served from files: anybody, or those with a key.

use std::str::FromStr;

use protocol::{
    ids::ApiKeyId,
    snapshot::{ApiKey, KeyHash},
};
use serving::settings::Reader;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// Stands for everybody who has no key. No key has this hash.
pub const ANYBODY: KeyHash = [0; 32];

/// A key that opens an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenKey {
    /// The slug of the environment.
    pub environment: String,
    /// What is known of the key.
    pub hash: KeyHash,
}

impl FromStr for GivenKey {
    type Err = &'static str;

    /// Reads `environment=key`. The error does not repeat what is written: it may be a key.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let expected = "expected environment=key";
        let (environment, key) = text.split_once('=').ok_or(expected)?;
        if environment.is_empty() || key.is_empty() {
            return Err(expected);
        }
        if key.len() > 256 {
            return Err("a key has at most 256 bytes");
        }
        Ok(Self {
            environment: environment.to_owned(),
            hash: Sha256::digest(key).into(),
        })
    }
}

/// Reads `EDGE_FLAGS_KEYS`.
pub(super) fn load(reader: &mut Reader<'_>) -> Vec<GivenKey> {
    use secrecy::ExposeSecret;
    const NAME: &str = "EDGE_FLAGS_KEYS";
    let Some(secret) = reader.secret(NAME) else {
        return Vec::new();
    };
    let mut keys = Vec::new();
    let given = secret.expose_secret().split(',').map(str::trim);
    for (place, text) in given.filter(|text| !text.is_empty()).enumerate() {
        match text.parse() {
            Ok(key) => keys.push(key),
            Err(problem) => reader.problem(NAME, format!("key {}: {problem}", place + 1)),
        }
    }
    keys
}

/// The key of an environment, as a snapshot has it.
pub(super) fn api_key(hash: KeyHash) -> ApiKey {
    let mut id = [0; 16];
    id.copy_from_slice(&hash[..16]);
    ApiKey {
        id: ApiKeyId::new(Uuid::from_bytes(id)),
        hash,
        expires_at_ms: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_given_with_its_environment_and_no_error_repeats_it() {
        let key: GivenKey = "production=a=b".parse().unwrap();
        assert_eq!(key.environment, "production");
        assert_eq!(key.hash, <KeyHash>::from(Sha256::digest("a=b")));
        for text in [
            "production",
            "=secret",
            "production=",
            &format!("p={}", "k".repeat(257)),
        ] {
            let error = text.parse::<GivenKey>().unwrap_err();
            assert!(
                !error.contains("secret") && !error.contains("kk"),
                "{error}"
            );
        }
    }
}
