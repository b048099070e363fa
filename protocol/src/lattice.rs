//! The sum of an environment's items that a signature covers.
//!
//! `LtHash16` (Lewi, Kim, Maykov, Weis: "Securing Update Propagation with Homomorphic Hashing", 2019): each item becomes 1,024
//! numbers of 16 bits, drawn from its hash by the extendable output of BLAKE3, and these are added lane by lane. Like the
//! [digest](crate::digest) it follows a change at the cost of the change. Other than there, nobody can find other items with
//! the same sum.

use sha2::{Digest as _, Sha256};

use crate::digest::ItemDigest;

const LANES: usize = 1_024;

/// A sum of items, 2 KiB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lattice(Box<[u16; LANES]>);

impl Default for Lattice {
    fn default() -> Self {
        Self(Box::new([0; LANES]))
    }
}

impl Lattice {
    /// Adds an item.
    pub fn add(&mut self, item: ItemDigest) {
        self.mix(item, u16::wrapping_add);
    }

    /// Subtracts an item that was added before.
    pub fn remove(&mut self, item: ItemDigest) {
        self.mix(item, u16::wrapping_sub);
    }

    /// SHA-256 of the sum.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        let mut bytes = [0; 2 * LANES];
        for (pair, lane) in bytes.as_chunks_mut::<2>().0.iter_mut().zip(&*self.0) {
            *pair = lane.to_le_bytes();
        }
        Sha256::digest(bytes).into()
    }

    fn mix(&mut self, item: ItemDigest, op: impl Fn(u16, u16) -> u16) {
        let mut bytes = [0; 2 * LANES];
        blake3::Hasher::new()
            .update(&item.bytes())
            .finalize_xof()
            .fill(&mut bytes);
        for (lane, pair) in self.0.iter_mut().zip(bytes.as_chunks::<2>().0) {
            *lane = op(*lane, u16::from_le_bytes(*pair));
        }
    }
}

impl FromIterator<ItemDigest> for Lattice {
    fn from_iter<I: IntoIterator<Item = ItemDigest>>(items: I) -> Self {
        let mut sum = Self::default();
        items.into_iter().for_each(|item| sum.add(item));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Flag;

    fn item(number: usize) -> ItemDigest {
        let key = number.to_string();
        ItemDigest::of_flag(&Flag {
            key,
            ..Flag::default()
        })
    }

    #[test]
    fn a_sum_depends_on_what_is_in_it_and_not_on_the_way_there() {
        let all: Lattice = (0..20).map(item).collect();
        let mut other: Lattice = (0..25).rev().map(item).collect();
        (20..25).for_each(|number| other.remove(item(number)));
        assert_eq!(all, other);
        assert_eq!(all.digest(), other.digest());
        other.add(item(3));
        assert_ne!(all.digest(), other.digest(), "an item that is there twice");
    }

    /// The first is SHA-256 of 2,048 zeros.
    const KNOWN: [&str; 3] = [
        "e5a00aa9991ac8a5ee3109844d84a55583bd20572ad3ffcd42792f3c36b183ad",
        "7c523c77e2678477c98484434ee606ac0bfeaae2bc087250909ffac02d03c93c",
        "edb9ddb909968d8ac70c6826c74478f6a197e2f032ed365e49e3ea98e5032e8f",
    ];

    #[test]
    fn equal_items_have_the_sum_that_they_always_had() {
        let digests = [0, 1, 3].map(|items| (0..items).map(item).collect::<Lattice>().digest());
        assert_eq!(digests.map(hex::encode), KNOWN);
    }
}
