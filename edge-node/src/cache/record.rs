//! Records that end with their SHA-256, so that damage is noticed.

use protocol::wire::codec::{self, Decode, Encode};
use sha2::{Digest as _, Sha256};

use super::CacheError;

pub(super) fn encode(contents: &impl Encode) -> Vec<u8> {
    let mut bytes = codec::encode(contents);
    let sum = Sha256::digest(&bytes);
    bytes.extend_from_slice(&sum);
    bytes
}

/// The contents of a record, which `name` names if it is damaged.
pub(super) fn decode<T: Decode<()>>(bytes: &[u8], name: &'static str) -> Result<T, CacheError> {
    let contents = bytes.split_last_chunk::<32>().and_then(|(bytes, sum)| {
        let is_whole = Sha256::digest(bytes)[..] == *sum;
        is_whole.then(|| codec::decode(bytes).ok()).flatten()
    });
    contents.ok_or(CacheError::Damaged(name))
}
