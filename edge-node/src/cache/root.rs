//! What a cache as a whole must add up to, so that nothing is lost unnoticed.
//!
//! sled may respond to damage by dropping the latest writes. Each record is still intact then, but the collection is
//! not what it was. So every batch writes a root record that counts the batches and sums up all headers, and after
//! every flush the count is written to a file beside sled's own: sled's contents must not be older than that.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use protocol::ids::EnvId;
use sha2::{Digest as _, Sha256};

use super::{CacheError, record};

pub(super) const KEY: &[u8] = b"root";

/// The number of batches, and the sum of all headers: the exclusive or of their hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Root {
    pub(super) batches: u64,
    sum: [u8; 32],
}

impl Root {
    /// Adds a header, or removes one that was added.
    pub(super) fn toggle(&mut self, env_id: EnvId, header: &[u8]) {
        let hash = Sha256::new()
            .chain_update(env_id.uuid())
            .chain_update(header)
            .finalize();
        self.sum
            .iter_mut()
            .zip(hash)
            .for_each(|(sum, byte)| *sum ^= byte);
    }

    /// Whether both sum up the same headers.
    pub(super) fn agrees(&self, other: &Self) -> bool {
        self.sum == other.sum
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        record::encode(&(self.batches, self.sum))
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, CacheError> {
        let (batches, sum) = record::decode(bytes, "the root record")?;
        Ok(Self { batches, sum })
    }
}

/// The file that records how far sled has got at least. Every complete generation has one.
#[derive(Debug)]
pub(super) struct Stamp {
    path: PathBuf,
    written: Option<u64>,
}

impl Stamp {
    /// Reads the stamp of a generation.
    pub(super) fn read(generation: &Path) -> Result<Self, CacheError> {
        let path = generation.join("stamp");
        let written = match fs::read(&path) {
            Ok(bytes) => Some(Root::decode(&bytes)?.batches),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Self { path, written })
    }

    /// Whether a root is at least as new as the stamp. A root with batches but no stamp has lost it.
    pub(super) fn admits(&self, root: &Root) -> bool {
        match self.written {
            Some(written) => root.batches >= written,
            None => root.batches == 0,
        }
    }

    /// Rewrites the stamp after a flush.
    pub(super) fn write(&mut self, root: &Root) -> io::Result<()> {
        if self.written == Some(root.batches) {
            return Ok(());
        }
        replace_file(&self.path, &root.encode())?;
        self.written = Some(root.batches);
        Ok(())
    }
}

/// Writes a file beside the old one and renames it into place once it is on disk: a crash leaves the old contents or
/// the new, never half of them.
pub(super) fn replace_file(path: &Path, contents: &[u8]) -> io::Result<()> {
    let next = path.with_extension("next");
    let mut file = fs::File::create(&next)?;
    file.write_all(contents)?;
    file.sync_all()?;
    fs::rename(&next, path)
}
