//! The copy of the snapshots on disk, stored in sled: nothing outside this module names it.
//!
//! This cache may be wiped at any time. For each environment it holds frames as they came over the link: a whole
//! snapshot, then the deltas since. A frame is cut into chunks of at most 32 KiB. They are written in one batch with a
//! header record, which holds version, lengths and SHA-256 of every frame, and with a root record, which sums up all
//! headers. Whatever contradicts these records, and every error or panic of sled, has the same consequence: a new
//! generation folder and an empty start. Everything here blocks; `keeper` calls it from a thread of its own.

mod folder;
mod generation;
mod header;
mod root;
mod usage;

use std::{
    fs, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
};

use protocol::{
    ids::EnvId,
    snapshot::{Digest, Snapshot, Version},
    wire::{
        frame,
        message::{Epoch, Push},
        usage::UsageBatch,
    },
};
use serving::error::chain;

use self::{
    generation::Generation,
    header::{Header, chunk_key},
    root::{Root, Stamp},
};
use crate::usage::BatchId;

/// Values larger than this silently come back from damaged files as older ones.
const CHUNK: usize = 32 << 10;
/// The number of deltas kept after a snapshot before all are merged into a new one.
const DELTAS: usize = 64;

/// Why the cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CacheError {
    /// sled reported an error.
    #[error("the store refused")]
    Store(#[from] sled::Error),
    /// sled panicked.
    #[error("the store panicked")]
    Panicked,
    /// The file system reported an error.
    #[error("the folder refused")]
    Folder(#[from] std::io::Error),
    /// What was read is not what was written.
    #[error("damaged: {0}")]
    Damaged(&'static str),
    /// Another process has its cache in this folder.
    #[error("the folder is in use by another process")]
    InUse,
}

/// What to store about an environment. Frames are those of the link, header included.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// The whole environment.
    Whole {
        epoch: Epoch,
        version: Version,
        frame: bytes::Bytes,
    },
    /// A delta that applies to `base`.
    Delta {
        base: Version,
        version: Version,
        frame: bytes::Bytes,
    },
    /// What is held was confirmed under another epoch.
    Adopted { epoch: Epoch },
    /// Forget the environment.
    Removed,
}

/// How the cache was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Everything found was handed out: this many environments.
    Loaded(usize),
    /// Something was damaged: what was handed out has to be dropped.
    Empty,
}

/// An open cache.
pub(crate) struct Cache {
    db: sled::Db,
    usage: sled::Tree,
    /// Batches of usage found when it was opened.
    found: Vec<UsageBatch>,
    root: Root,
    stamp: Stamp,
    /// Held while the cache is open, so that no two processes write to one folder.
    _lock: fs::File,
}

impl Cache {
    /// Opens the newest generation and hands out all it holds: for each environment a snapshot, then its deltas in
    /// order. `restore` returns whether it could use what it was given.
    ///
    /// # Errors
    /// When not even an empty generation can be opened.
    pub(crate) fn open(
        path: &Path,
        restore: &mut dyn FnMut(Epoch, Push) -> bool,
    ) -> Result<(Self, Start), CacheError> {
        let lock = folder::lock(path)?;
        let newest = folder::generations(path)?.into_iter().max().unwrap_or(0);
        // Read before anything else, so that the batches are not lost if the environments of their generation are
        // damaged.
        let mut found = Vec::new();
        let attempt =
            guarded(|| Generation::open(&folder::generation(path, newest), restore, &mut found));
        let (number, generation) = match attempt {
            Ok(generation) => (newest, generation),
            Err(error) => {
                tracing::warn!(error = %chain(&error), "cache is damaged, starting an empty one");
                metrics::counter!("halyard_edge_cache_damaged_total").increment(1);
                let empty = folder::generation(path, newest + 1);
                (
                    newest + 1,
                    guarded(|| Generation::open(&empty, &mut |_, _| false, &mut Vec::new()))?,
                )
            }
        };
        folder::keep_only(path, number)?;
        let Generation {
            db,
            usage,
            root,
            stamp,
            environments,
        } = generation;
        let start = if number == newest {
            Start::Loaded(environments)
        } else {
            Start::Empty
        };
        Ok((
            Self {
                db,
                usage,
                found,
                root,
                stamp,
                _lock: lock,
            },
            start,
        ))
    }

    /// Writes a change; after an error the cache has to be reopened. If a delta does not continue what is stored, the
    /// environment is removed: better nothing than a gap.
    pub(crate) fn write(&mut self, env_id: EnvId, change: &Change) -> Result<(), CacheError> {
        guarded(|| match change {
            Change::Whole {
                epoch,
                version,
                frame,
            } => self.replace(env_id, *epoch, *version, frame),
            Change::Delta {
                base,
                version,
                frame,
            } => self.append(env_id, *base, *version, frame),
            Change::Adopted { epoch } => self.adopt(env_id, *epoch),
            Change::Removed => self.remove(env_id),
        })
    }

    /// The batches of usage found when the cache was opened. Returned only once.
    pub(crate) fn take_usage(&mut self) -> Vec<UsageBatch> {
        mem::take(&mut self.found)
    }

    /// Writes a batch of usage, replacing an earlier state of it.
    pub(crate) fn write_usage(&self, batch: &UsageBatch) -> Result<(), CacheError> {
        guarded(|| usage::write(&self.usage, batch))
    }

    /// Removes a batch of usage.
    pub(crate) fn remove_usage(&self, id: BatchId) -> Result<(), CacheError> {
        guarded(|| usage::remove(&self.usage, id))
    }

    /// Makes everything written durable.
    pub(crate) fn flush(&mut self) -> Result<(), CacheError> {
        guarded(|| {
            self.db.flush()?;
            Ok(self.stamp.write(&self.root)?)
        })
    }

    fn replace(
        &mut self,
        env_id: EnvId,
        epoch: Epoch,
        version: Version,
        frame: &[u8],
    ) -> Result<(), CacheError> {
        let old = self.header(env_id)?;
        // Parts are never overwritten: a chunk that damage brings back cannot replace a newer one.
        let mut header = Header::new(epoch, old.as_ref().map_or(0, |old| old.next_part));
        let mut batch = sled::Batch::default();
        if let Some(old) = &old {
            old.chunk_keys(env_id).for_each(|key| batch.remove(&key));
        }
        insert(&mut batch, env_id, &mut header, version, frame);
        self.commit(env_id, batch, old.as_ref(), Some(&header))
    }

    fn append(
        &mut self,
        env_id: EnvId,
        base: Version,
        version: Version,
        frame: &[u8],
    ) -> Result<(), CacheError> {
        let Some(old) = self.header(env_id)? else {
            return Ok(());
        };
        if old.version != base {
            return self.remove(env_id);
        }
        let mut header = old.clone();
        let mut batch = sled::Batch::default();
        insert(&mut batch, env_id, &mut header, version, frame);
        self.commit(env_id, batch, Some(&old), Some(&header))?;
        if header.parts.len() > DELTAS {
            self.compact(env_id, &header)
        } else {
            Ok(())
        }
    }

    /// Merges a snapshot and its deltas into one frame, so that neither disk space nor start-up time grows with the
    /// number of changes.
    fn compact(&mut self, env_id: EnvId, header: &Header) -> Result<(), CacheError> {
        let mut bytes = Vec::new();
        for key in header.chunk_keys(env_id) {
            let chunk = self.db.get(key)?;
            bytes.extend_from_slice(&chunk.ok_or(CacheError::Damaged("a chunk is missing"))?);
        }
        let merged = merge(header.pushes(env_id, &bytes)?)?;
        match frame::encode(&merged) {
            Ok(frame) => self.replace(env_id, header.epoch, header.version, &frame),
            // Larger than any peer sends: it grew by deltas, and is not kept.
            Err(_) => self.remove(env_id),
        }
    }

    fn adopt(&mut self, env_id: EnvId, epoch: Epoch) -> Result<(), CacheError> {
        let Some(old) = self.header(env_id)? else {
            return Ok(());
        };
        let header = Header {
            epoch,
            ..old.clone()
        };
        self.commit(env_id, sled::Batch::default(), Some(&old), Some(&header))
    }

    fn remove(&mut self, env_id: EnvId) -> Result<(), CacheError> {
        let Some(old) = self.header(env_id)? else {
            return Ok(());
        };
        let mut batch = sled::Batch::default();
        old.chunk_keys(env_id).for_each(|key| batch.remove(&key));
        self.commit(env_id, batch, Some(&old), None)
    }

    /// Writes a batch together with the root record and the header that replaces the old one.
    fn commit(
        &mut self,
        env_id: EnvId,
        mut batch: sled::Batch,
        old: Option<&Header>,
        new: Option<&Header>,
    ) -> Result<(), CacheError> {
        let id = env_id.uuid();
        let mut root = self.root;
        if let Some(old) = old {
            root.toggle(env_id, &old.encode());
            batch.remove(id.as_bytes());
        }
        if let Some(new) = new {
            let new = new.encode();
            root.toggle(env_id, &new);
            batch.insert(id.as_bytes(), new);
        }
        root.batches += 1;
        batch.insert(root::KEY, root.encode());
        self.db.apply_batch(batch)?;
        // Only now: a failed batch must not leave its sum in memory.
        self.root = root;
        Ok(())
    }

    fn header(&self, env_id: EnvId) -> Result<Option<Header>, CacheError> {
        let record = self.db.get(env_id.uuid().as_bytes())?;
        record.map(|bytes| Header::decode(&bytes)).transpose()
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        // A failed disk was already reported when it failed.
        drop(self.flush());
    }
}

/// Adds a frame to a batch and to the header.
fn insert(
    batch: &mut sled::Batch,
    env_id: EnvId,
    header: &mut Header,
    version: Version,
    frame: &[u8],
) {
    let part = header.push(version, frame);
    for (number, chunk) in (0u32..).zip(frame.chunks(CHUNK)) {
        batch.insert(&chunk_key(env_id, part, number), chunk);
    }
}

/// The snapshot that results from applying the deltas that follow it.
fn merge(pushes: impl Iterator<Item = Result<Push, CacheError>>) -> Result<Push, CacheError> {
    let mut whole: Option<(Snapshot, Digest)> = None;
    for push in pushes {
        match (push?, &mut whole) {
            (Push::Snapshot(snapshot, digest), None) => whole = Some((snapshot, digest)),
            (Push::Delta(delta), Some((snapshot, digest))) => {
                *digest = delta.digest;
                let applied = snapshot.apply(delta);
                applied.map_err(|_| CacheError::Damaged("a delta does not apply"))?;
            }
            _ => return Err(CacheError::Damaged("frames out of order")),
        }
    }
    let (snapshot, digest) = whole.ok_or(CacheError::Damaged("no frame"))?;
    Ok(Push::Snapshot(snapshot, digest))
}

/// Turns a panic of sled into an error. The state it leaves behind is not used again.
fn guarded<T>(call: impl FnOnce() -> Result<T, CacheError>) -> Result<T, CacheError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(CacheError::Panicked))
}

#[cfg(test)]
mod tests;
