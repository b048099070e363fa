//! How a server for tests signs what it serves.

use data_encoding::BASE64URL_NOPAD;
use halyard::snapshot::Snapshot;
use protocol::{
    eval::Environment,
    signature::{Contents, Signature, SigningKey},
};

/// What stands behind frames.
pub enum Signing {
    Nothing,
    /// The signature of what is served, by a key, at a time in Unix milliseconds.
    By(SigningKey, i64),
    /// This one, whatever is served.
    Always(Signature),
}

impl Signing {
    /// The signature that goes with an environment. It is of the API keys too, which an SDK does not hold.
    pub fn signature(&self, snapshot: &Snapshot) -> Option<Signature> {
        match self {
            Self::Nothing => None,
            Self::By(key, at_ms) => {
                let environment = Environment::prepare(snapshot).unwrap();
                let contents = Contents {
                    keys: [7; 32],
                    ..environment.contents()
                };
                Some(key.sign(&contents, *at_ms))
            }
            Self::Always(signature) => Some(*signature),
        }
    }
}

/// One of the keys that tests sign with.
pub fn key(number: u8) -> SigningKey {
    SigningKey::from_seed(&[number; 32]).unwrap()
}

/// What is pinned to accept it.
pub fn pin(number: u8) -> String {
    BASE64URL_NOPAD.encode(&key(number).public_key())
}
