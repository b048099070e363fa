//! Buckets: which part of the audience a context falls into.
//!
//! `bucket(seed, flag, context) = MurmurHash3_x86_32(flag + "." + context, seed) mod 10000`. SDKs in other languages
//! compute the same, so nothing here may ever change.

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

/// MurmurHash3, 32-bit variant, of bytes that come in pieces.
#[derive(Clone, Copy, Debug)]
struct Murmur3 {
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
