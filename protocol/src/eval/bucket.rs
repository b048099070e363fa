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

/// The bucket, 0 to 9,999. `buffer` is scratch space.
pub(super) fn bucket(seed: Seed, flag_key: &str, context_key: &str, buffer: &mut Vec<u8>) -> u16 {
    buffer.clear();
    buffer.extend_from_slice(flag_key.as_bytes());
    buffer.push(b'.');
    buffer.extend_from_slice(context_key.as_bytes());
    u16::try_from(murmur3_x86_32(buffer, seed as u32) % 10_000)
        .expect("a remainder of 10,000 fits 16 bits")
}

/// MurmurHash3, 32-bit variant.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the algorithm takes the length modulo 2^32"
)]
fn murmur3_x86_32(bytes: &[u8], seed: u32) -> u32 {
    let (blocks, tail) = bytes.as_chunks::<4>();
    let mut hash = seed;
    for block in blocks {
        hash ^= scramble(u32::from_le_bytes(*block));
        hash = hash
            .rotate_left(13)
            .wrapping_mul(5)
            .wrapping_add(0xe654_6b64);
    }
    if !tail.is_empty() {
        let mut block = [0; 4];
        block[..tail.len()].copy_from_slice(tail);
        hash ^= scramble(u32::from_le_bytes(block));
    }

    hash ^= bytes.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
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
            assert_eq!(murmur3_x86_32(text.as_bytes(), seed), expected, "{text:?}");
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
            assert_eq!(
                seeds.map(|seed| bucket(seed, flag, context, &mut Vec::new())),
                expected
            );
        }
    }
}
