//! Buckets: which part of the audience a context falls into, in Halyard's own way or in that of another platform.
//!
//! `bucket(seed, flag, context) = MurmurHash3_x86_32(flag + "." + context, seed) mod 10000`. SDKs in other languages
//! compute the same, so nothing here may ever change.

use sha1::{Digest as _, Sha1};

use crate::bucketing::Bucketing;

/// What a bucket decides. The three kinds are independent of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seed {
    /// Rule percentages and the rollout: one bucket for all percentages of a flag, so that cumulative splits are exact.
    Rollout = 0,
    /// Contests of mutual exclusion.
    Mutex = 1,
    /// Variants.
    Variant = 2,
}

/// The bucket, 0 to 9,999.
pub(super) fn bucket(seed: Seed, flag_key: &str, context_key: &str) -> u16 {
    Draw::of(seed, flag_key).bucket(context_key)
}

/// What decides about a flag, before a context is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draw(Murmur3);

impl Draw {
    pub(super) fn of(seed: Seed, flag_key: &str) -> Self {
        let flag = Murmur3::new(seed as u32).write(flag_key.as_bytes());
        Self(flag.write(b"."))
    }

    /// The bucket of a context, 0 to 9,999.
    pub(super) fn bucket(self, context_key: &str) -> u16 {
        let hash = self.0.write(context_key.as_bytes()).finish();
        u16::try_from(hash % 10_000).expect("a remainder of 10,000 fits 16 bits")
    }
}

/// How a flag draws buckets for percentages and variants, before a context is known.
#[derive(Debug)]
pub(super) enum Buckets {
    /// Halyard's own.
    Own(Draw),
    /// A hundredth or thousandth of users, refined by the digits that Unleash does not look at.
    Unleash { rollout: Murmur3, variant: Murmur3 },
    /// What precedes the context's key.
    LaunchDarkly(Box<str>),
}

/// The seed of Unleash's variants.
const UNLEASH_VARIANT: u32 = 86_028_157;
/// What LaunchDarkly counts as the whole: 60 bits.
const LAUNCHDARKLY_WHOLE: u64 = 0x0fff_ffff_ffff_ffff;

impl Buckets {
    pub(super) fn of(bucketing: Option<&Bucketing>, flag_key: &str) -> Self {
        match bucketing {
            None => Self::Own(Draw::of(Seed::Rollout, flag_key)),
            Some(Bucketing::Unleash { group_id }) => {
                let of = |seed| Murmur3::new(seed).write(group_id.as_bytes()).write(b":");
                Self::Unleash {
                    rollout: of(0),
                    variant: of(UNLEASH_VARIANT),
                }
            }
            Some(Bucketing::LaunchDarkly { salt, seed: None }) => {
                Self::LaunchDarkly(format!("{flag_key}.{salt}.").into())
            }
            Some(Bucketing::LaunchDarkly {
                seed: Some(seed), ..
            }) => Self::LaunchDarkly(format!("{seed}.").into()),
        }
    }

    /// For rule percentages and the rollout, 0 to 9,999.
    #[inline]
    pub(super) fn rollout(&self, context_key: &str) -> u16 {
        match self {
            Self::Own(draw) => draw.bucket(context_key),
            Self::Unleash { rollout, .. } => unleash(*rollout, context_key, 100),
            Self::LaunchDarkly(before) => launchdarkly(before, context_key),
        }
    }

    /// For variants, 0 to 9,999.
    #[inline]
    pub(super) fn variant(&self, flag_key: &str, context_key: &str) -> u16 {
        match self {
            Self::Own(_) => bucket(Seed::Variant, flag_key, context_key),
            Self::Unleash { variant, .. } => unleash(*variant, context_key, 1_000),
            Self::LaunchDarkly(before) => launchdarkly(before, context_key),
        }
    }
}

/// Unleash admits the parts 1 to `n` of `parts`: those whose bucket is below `n` parts of 10,000. Within a part buckets are spread by
/// the rest of the hash, so that other percentages have the right shares too.
fn unleash(hash: Murmur3, context_key: &str, parts: u32) -> u16 {
    let hash = hash.write(context_key.as_bytes()).finish();
    let fine = 10_000 / parts;
    let bucket = hash % parts * fine + hash / parts % fine;
    u16::try_from(bucket).expect("below 10,000")
}

/// The first 60 bits of a SHA-1 in basis points of the whole, cut: below `p` exactly if LaunchDarkly's fraction is below `p / 10,000`.
#[inline(never)]
fn launchdarkly(before: &str, context_key: &str) -> u16 {
    let hash = Sha1::new()
        .chain_update(before.as_bytes())
        .chain_update(context_key.as_bytes())
        .finalize();
    let (first, _) = hash.split_first_chunk::<8>().expect("a SHA-1 has 20 bytes");
    let part = u128::from(u64::from_be_bytes(*first) >> 4);
    let bucket = part * 10_000 / u128::from(LAUNCHDARKLY_WHOLE);
    // The whole itself is the end of the last basis point.
    u16::try_from(bucket.min(9_999)).expect("at most 9,999")
}

/// MurmurHash3, 32-bit variant, of bytes that come in pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Murmur3 {
    hash: u32,
    /// The bytes after the last whole block, the first one lowest.
    rest: u32,
    /// Of all bytes, modulo 2^32.
    length: u32,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the algorithm takes the length modulo 2^32, and blocks are taken from the lower half"
)]
impl Murmur3 {
    const fn new(seed: u32) -> Self {
        Self {
            hash: seed,
            rest: 0,
            length: 0,
        }
    }

    fn write(mut self, bytes: &[u8]) -> Self {
        let mut held = self.length % 4;
        let mut rest = u64::from(self.rest);
        self.length = self.length.wrapping_add(bytes.len() as u32);
        let (blocks, last) = bytes.as_chunks::<4>();
        for block in blocks {
            rest |= u64::from(u32::from_le_bytes(*block)) << (8 * held);
            self.mix(rest as u32);
            rest >>= 32;
        }
        for byte in last {
            rest |= u64::from(*byte) << (8 * held);
            held += 1;
        }
        if held >= 4 {
            self.mix(rest as u32);
            rest >>= 32;
        }
        self.rest = rest as u32;
        self
    }

    const fn mix(&mut self, block: u32) {
        self.hash ^= scramble(block);
        self.hash = self
            .hash
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }

    const fn finish(self) -> u32 {
        // Without any bytes left this changes nothing.
        let mut hash = self.hash ^ scramble(self.rest);
        hash ^= self.length;
        hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
        hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
        hash ^ (hash >> 16)
    }
}

const fn scramble(block: u32) -> u32 {
    block
        .wrapping_mul(0xcc9e_2d51)
        .rotate_left(15)
        .wrapping_mul(0x1b87_3593)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_published_ones() {
        for (text, seed, expected) in [
            ("", 0, 0),
            ("", 1, 0x514e_28b7),
            ("", 0xffff_ffff, 0x81f1_6f39),
            ("\0\0\0\0", 0, 0x2362_f9de),
            ("aaaa", 0x9747_b28c, 0x5a97_808a),
            ("abc", 0x9747_b28c, 0xc84a_62dd),
            ("Hello, world!", 0x9747_b28c, 0x2488_4cba),
            (
                "The quick brown fox jumps over the lazy dog",
                0x9747_b28c,
                0x2fa8_26cd,
            ),
        ] {
            // In two pieces, wherever they are divided.
            for middle in 0..=text.len() {
                let (first, second) = text.as_bytes().split_at(middle);
                let hash = Murmur3::new(seed).write(first).write(second).finish();
                assert_eq!(hash, expected, "{text:?} at {middle}");
            }
        }
    }

    #[test]
    fn the_parts_of_other_platforms_are_spread_over_all_buckets() {
        let buckets = |bucketing: Bucketing| {
            let buckets = Buckets::of(Some(&bucketing), "f");
            let drawn = (0..40_000).map(|n| {
                let key = n.to_string();
                (buckets.rollout(&key), buckets.variant("f", &key))
            });
            drawn.collect::<Vec<_>>()
        };
        let unleash = Bucketing::Unleash {
            group_id: "g".to_owned(),
        };
        let salted = |seed| Bucketing::LaunchDarkly {
            salt: "s".to_owned(),
            seed,
        };
        for (bucketing, is_one) in [
            (unleash, false),
            (salted(None), true),
            (salted(Some(61)), true),
        ] {
            let drawn = buckets(bucketing);
            assert_eq!(drawn.iter().all(|(one, other)| one == other), is_one);
            let half = drawn.iter().filter(|(rollout, _)| *rollout < 1_234).count();
            assert!((4_700..5_200).contains(&half), "{half}");
            assert!(
                drawn
                    .iter()
                    .all(|(one, other)| *one < 10_000 && *other < 10_000)
            );
        }
    }

    #[test]
    fn buckets_are_the_documented_ones() {
        for (flag, context, expected) in [
            ("new-checkout", "user-123", [9856, 3668, 4817]),
            ("dark-mode", "user-1", [6143, 4274, 2585]),
            ("checkout-experiment", "alice", [7901, 6900, 4730]),
            ("flag", "ünï", [994, 1504, 3921]),
        ] {
            let seeds = [Seed::Rollout, Seed::Mutex, Seed::Variant];
            assert_eq!(seeds.map(|seed| bucket(seed, flag, context)), expected);
        }
    }
}
