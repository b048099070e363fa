//! Timestamps: proof of which version of each environment was current at a time, whoever passed it on.
//!
//! A [signature](crate::signature) says that contents are the control plane's, not that there are no newer ones: whoever passes
//! contents on could go on handing out old ones (a freeze attack). So the control plane signs, once a minute, the root of a Merkle
//! tree (RFC 9162, 2.1) over the versions of all environments, as the timestamp role of The Update Framework does. An edge
//! gets all leaves, which say nothing of environments that it does not hold, and makes proofs of them for SDKs.

use std::iter;

use sha2::{Digest as _, Sha256};

use crate::{
    ids::EnvId,
    signature::{KeyId, PublicKey, SignatureError, SigningKey},
    snapshot::Version,
    wire::codec::{Decode, Encode},
};

/// How much older than it is said to be something may be that was not proven current: clocks differ, there is a timestamp each
/// minute, and changes are on their way for a while.
pub const TOLERANCE_MS: i64 = 5 * 60 * 1_000;

/// The most environments that a timestamp covers.
pub const MOST: usize = 500_000;

/// Names a version of an environment: the first bytes of a SHA-256.
pub type Leaf = [u8; 16];

type Hash = [u8; 32];

/// What is signed begins with this, so that the signature is valid for nothing else.
const PURPOSE: &[u8; 24] = b"halyard timestamp v1\0\0\0\0";
/// Longer than that of any tree.
const LONGEST_PATH: usize = 32;

/// A signed time, and the root of what was current then.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Timestamp {
    /// The key that it was signed with.
    pub key: KeyId,
    /// When the database was looked at, in Unix milliseconds by the database's clock.
    pub at_ms: i64,
    /// How many environments there were.
    pub count: u32,
    /// The root of the tree.
    pub root: [u8; 32],
    /// Ed25519.
    pub bytes: [u8; 64],
}

/// A timestamp with all that it covers.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Stamped {
    /// What is signed.
    pub timestamp: Timestamp,
    /// The versions that were current, in ascending order.
    pub leaves: Vec<Leaf>,
}

/// A timestamp that was verified, or made here.
#[derive(Debug)]
pub struct Register {
    stamped: Stamped,
    /// The hashes of the leaves first, the root last.
    levels: Vec<Vec<Hash>>,
}

/// Proof that one version of an environment was current at the time of a timestamp.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Proof {
    /// What is signed.
    pub timestamp: Timestamp,
    /// The place of the leaf.
    pub index: u32,
    /// The hashes beside the way from the leaf to the root.
    pub path: Vec<[u8; 32]>,
}

/// The leaf of a version.
#[must_use]
pub fn leaf(env_id: EnvId, version: Version) -> Leaf {
    let hash: Hash = Sha256::new()
        .chain_update(env_id.uuid().as_bytes())
        .chain_update(version.to_le_bytes())
        .finalize()
        .into();
    let mut first = [0; 16];
    first.copy_from_slice(&hash[..16]);
    first
}

impl Stamped {
    /// Checks that one of the keys signed it.
    ///
    /// # Errors
    /// When none did, or the leaves are others.
    pub fn verify(self, keys: &[PublicKey]) -> Result<Register, SignatureError> {
        // Before the leaves, each of which takes a while.
        self.timestamp.verify(keys)?;
        let are_in_order = self.leaves.is_sorted_by(|one, next| one < next);
        if !are_in_order || self.leaves.len() != self.timestamp.count as usize {
            return Err(SignatureError::Wrong);
        }
        let levels = tree(&self.leaves);
        if root(&levels) != self.timestamp.root {
            return Err(SignatureError::Wrong);
        }
        Ok(Register {
            stamped: self,
            levels,
        })
    }
}

impl Timestamp {
    fn verify(&self, keys: &[PublicKey]) -> Result<(), SignatureError> {
        let statement = statement(self.at_ms, self.count, &self.root);
        PublicKey::verify_statement(keys, self.key, &statement, &self.bytes)
    }
}

impl Register {
    /// Signs what is current at a time.
    #[must_use]
    pub fn sign(key: &SigningKey, mut leaves: Vec<Leaf>, at_ms: i64) -> Self {
        leaves.sort_unstable();
        leaves.dedup();
        let levels = tree(&leaves);
        let root = root(&levels);
        let count = u32::try_from(leaves.len()).expect("there are fewer environments than 2^32");
        let timestamp = Timestamp {
            key: key.id(),
            at_ms,
            count,
            root,
            bytes: key.sign_statement(&statement(at_ms, count, &root)),
        };
        Self {
            stamped: Stamped { timestamp, leaves },
            levels,
        }
    }

    /// As it came.
    #[must_use]
    pub const fn stamped(&self) -> &Stamped {
        &self.stamped
    }

    /// Its time, in Unix milliseconds.
    #[must_use]
    pub const fn at_ms(&self) -> i64 {
        self.stamped.timestamp.at_ms
    }

    /// Whether a version was current then.
    #[must_use]
    pub fn has(&self, env_id: EnvId, version: Version) -> bool {
        self.index(env_id, version).is_some()
    }

    /// Proves that a version was current then; `None` if it was not.
    #[must_use]
    pub fn prove(&self, env_id: EnvId, version: Version) -> Option<Proof> {
        let index = self.index(env_id, version)?;
        let levels = self.levels.iter().enumerate();
        // The last of an odd number has nothing beside it.
        let path = levels.filter_map(|(height, level)| level.get((index >> height) ^ 1));
        Some(Proof {
            timestamp: self.stamped.timestamp,
            index: u32::try_from(index).ok()?,
            path: path.copied().collect(),
        })
    }

    fn index(&self, env_id: EnvId, version: Version) -> Option<usize> {
        let leaf = leaf(env_id, version);
        self.stamped.leaves.binary_search(&leaf).ok()
    }
}

impl Proof {
    /// Checks that one of the keys signed that a version was current. Returns when that was, in Unix milliseconds.
    ///
    /// # Errors
    /// When none did.
    pub fn verify(
        &self,
        env_id: EnvId,
        version: Version,
        keys: &[PublicKey],
    ) -> Result<i64, SignatureError> {
        if self.index >= self.timestamp.count || self.path.len() > LONGEST_PATH {
            return Err(SignatureError::Wrong);
        }
        let mut path = self.path.iter();
        let mut hash = hash_of_leaf(&leaf(env_id, version));
        // The place of the hash in its level, and that of the last one.
        let (mut index, mut last) = (self.index, self.timestamp.count - 1);
        while last > 0 {
            // The last of an odd number is taken as it is.
            if index % 2 == 1 || index < last {
                let beside = path.next().ok_or(SignatureError::Wrong)?;
                hash = match index % 2 {
                    0 => hash_of_node(&hash, beside),
                    _ => hash_of_node(beside, &hash),
                };
            }
            (index, last) = (index / 2, last / 2);
        }
        if path.next().is_some() || hash != self.timestamp.root {
            return Err(SignatureError::Wrong);
        }
        self.timestamp.verify(keys)?;
        Ok(self.timestamp.at_ms)
    }
}

fn tree(leaves: &[Leaf]) -> Vec<Vec<Hash>> {
    let first: Vec<_> = leaves.iter().map(hash_of_leaf).collect();
    let next = |level: &Vec<Hash>| {
        let pairs = level.chunks(2).map(|pair| match pair {
            [left, right] => hash_of_node(left, right),
            _ => pair[0],
        });
        (level.len() > 1).then(|| pairs.collect())
    };
    iter::successors(Some(first), next).collect()
}

fn root(levels: &[Vec<Hash>]) -> Hash {
    let root = levels.last().and_then(|level| level.first()).copied();
    root.unwrap_or_else(|| Sha256::digest([]).into())
}

fn hash_of_leaf(leaf: &Leaf) -> Hash {
    let hash = Sha256::new().chain_update([0]).chain_update(leaf);
    hash.finalize().into()
}

fn hash_of_node(left: &Hash, right: &Hash) -> Hash {
    let hash = Sha256::new().chain_update([1]).chain_update(left);
    hash.chain_update(right).finalize().into()
}

/// What is signed.
fn statement(at_ms: i64, count: u32, root: &Hash) -> Vec<u8> {
    [
        &PURPOSE[..],
        &at_ms.to_le_bytes(),
        &count.to_le_bytes(),
        root,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const NOW: i64 = 1_780_000_000_000;

    fn key(number: u8) -> SigningKey {
        SigningKey::from_seed(&[number; 32]).unwrap()
    }

    fn public(number: u8) -> [PublicKey; 1] {
        [PublicKey::new(&key(number).public_key()).unwrap()]
    }

    fn environment(number: u128) -> (EnvId, Version) {
        let version = u64::try_from(number).unwrap() * 3;
        (Uuid::from_u128(number).into(), version)
    }

    fn register(environments: u128) -> Register {
        let leaves = (1..=environments).map(|number| {
            let (env_id, version) = environment(number);
            leaf(env_id, version)
        });
        Register::sign(&key(1), leaves.collect(), NOW)
    }

    fn stamped(environments: u128) -> Stamped {
        register(environments).stamped().clone()
    }

    /// RFC 9162, 2.1.1: the hash of an empty list, and a tree of three leaves.
    #[test]
    fn the_tree_is_that_of_the_standard() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(hex::encode(stamped(0).timestamp.root), empty);
        let three = stamped(3);
        let [a, b, c] = three.leaves[..]
            .try_into()
            .map(|leaves: [Leaf; 3]| leaves)
            .unwrap();
        let left = hash_of_node(&hash_of_leaf(&a), &hash_of_leaf(&b));
        assert_eq!(three.timestamp.root, hash_of_node(&left, &hash_of_leaf(&c)));
    }

    #[test]
    fn what_was_current_is_proven_in_trees_of_every_size() {
        for size in 1..=33 {
            let register = stamped(size).verify(&public(1)).unwrap();
            for number in 1..=size {
                let (env_id, version) = environment(number);
                let proof = register.prove(env_id, version).unwrap();
                assert_eq!(
                    proof.verify(env_id, version, &public(1)),
                    Ok(NOW),
                    "{number} of {size}"
                );
                for (env_id, version) in [(env_id, version + 1), (env_id, 0), environment(size + 1)]
                {
                    assert!(!register.has(env_id, version));
                    assert_eq!(register.prove(env_id, version), None);
                    let wrong = proof.verify(env_id, version, &public(1));
                    assert_eq!(wrong, Err(SignatureError::Wrong));
                }
            }
        }
    }

    #[test]
    fn a_proof_is_valid_as_it_was_made_alone() {
        let register = register(5);
        let (env_id, version) = environment(2);
        let proof = register.prove(env_id, version).unwrap();
        let verify = |proof: &Proof| proof.verify(env_id, version, &public(1));
        assert_eq!(
            proof.verify(env_id, version, &public(2)),
            Err(SignatureError::Unknown)
        );
        let later = Timestamp {
            at_ms: NOW + 1,
            ..proof.timestamp
        };
        let fewer = Timestamp {
            count: 4,
            ..proof.timestamp
        };
        for timestamp in [later, fewer] {
            let changed = Proof {
                timestamp,
                ..proof.clone()
            };
            assert_eq!(verify(&changed), Err(SignatureError::Wrong));
        }
        for index in (0..6)
            .filter(|index| *index != proof.index)
            .chain([u32::MAX])
        {
            let moved = Proof {
                index,
                ..proof.clone()
            };
            assert_eq!(verify(&moved), Err(SignatureError::Wrong), "{index}");
        }
        let (mut longer, mut shorter, mut other) = (proof.clone(), proof.clone(), proof.clone());
        longer.path.push([0; 32]);
        shorter.path.pop();
        other.path[0][0] ^= 1;
        for changed in [longer, shorter, other] {
            assert_eq!(verify(&changed), Err(SignatureError::Wrong));
        }
    }

    #[test]
    fn leaves_are_those_that_were_signed() {
        let whole = stamped(4);
        let verify = |stamped: Stamped| {
            let verified = stamped.verify(&public(1));
            verified.map(|register| register.at_ms())
        };
        assert_eq!(verify(whole.clone()), Ok(NOW));
        let by_another = whole.clone().verify(&public(2));
        assert_eq!(by_another.map(drop), Err(SignatureError::Unknown));
        let (mut fewer, mut turned, mut twice) = (whole.clone(), whole.clone(), whole.clone());
        fewer.leaves.pop();
        turned.leaves.swap(0, 1);
        twice.leaves[1] = twice.leaves[0];
        for changed in [fewer, turned, twice] {
            assert_eq!(verify(changed), Err(SignatureError::Wrong));
        }
    }
}
