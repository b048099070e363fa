//! What an edge holds, summed up: two sides that hold much find out in 4 KiB where they differ.
//!
//! Environments are spread over 256 buckets by the last byte of their ids. The sum of a bucket is the wrapping sum of
//! hashes of environment, version and digest, so that it depends on no order and each item can be added and taken out. Two
//! buckets that hold the same have the same sum; it detects differences, not forgery: the link is authenticated by TLS.

use sha2::{Digest as _, Sha256};

use crate::{
    ids::EnvId,
    wire::{
        codec::{Decode, Encode},
        message::Held,
    },
};

/// Number of buckets.
pub(crate) const BUCKETS: usize = 256;

/// The bucket of an environment.
#[must_use]
pub const fn bucket(env_id: EnvId) -> u8 {
    env_id.uuid().as_bytes()[15]
}

/// The sums of all buckets.
#[derive(Clone, PartialEq, Eq, Encode, Decode)]
pub struct Summary(Box<[u128; BUCKETS]>);

impl Summary {
    /// Adds an environment.
    pub fn add(&mut self, held: &Held) {
        let sum = &mut self.0[usize::from(bucket(held.env_id))];
        *sum = sum.wrapping_add(hash(held));
    }

    /// The buckets in which two summaries differ, in ascending order.
    pub fn differences<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = u8> + 'a {
        (0..=u8::MAX).filter(|&bucket| {
            let bucket = usize::from(bucket);
            self.0[bucket] != other.0[bucket]
        })
    }
}

impl Default for Summary {
    /// Of nothing.
    fn default() -> Self {
        Self(Box::new([0; BUCKETS]))
    }
}

impl<'a> FromIterator<&'a Held> for Summary {
    fn from_iter<T: IntoIterator<Item = &'a Held>>(held: T) -> Self {
        let mut summary = Self::default();
        held.into_iter().for_each(|held| summary.add(held));
        summary
    }
}

impl std::fmt::Debug for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let filled = self.0.iter().filter(|&&sum| sum != 0).count();
        write!(f, "Summary({filled} buckets)")
    }
}

fn hash(held: &Held) -> u128 {
    let hash = Sha256::new()
        .chain_update(held.env_id.uuid())
        .chain_update(held.version.to_le_bytes())
        .chain_update(held.digest.0)
        .finalize();
    let (half, _) = hash.split_first_chunk().expect("a hash has 32 bytes");
    u128::from_le_bytes(*half)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::snapshot::Digest;

    fn held(number: u128, version: u64) -> Held {
        Held {
            env_id: Uuid::from_u128(number).into(),
            version,
            digest: Digest([7; 32]),
        }
    }

    #[test]
    fn the_order_does_not_matter() {
        let (a, b) = (held(1, 1), held(257, 1));
        assert_eq!(Summary::from_iter([&a, &b]), Summary::from_iter([&b, &a]));
    }

    #[test]
    fn only_the_buckets_that_hold_something_else_differ() {
        let all: Vec<_> = (0..1_000).map(|number| held(number, 1)).collect();
        let mut other = all.clone();
        other[3].version = 2;
        other[700].digest = Digest([8; 32]);
        other.remove(999);
        let [one, other] = [&all, &other].map(|held| held.iter().collect::<Summary>());
        // The last bytes of 700 and 999.
        let expected = [3, 188, 231];
        assert_eq!(one.differences(&other).collect::<Vec<_>>(), expected);
        assert_eq!(one.differences(&one.clone()).next(), None);
    }
}
