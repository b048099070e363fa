//! The copy of the snapshots on disk, stored in sled: nothing outside this module names it.
//!
//! This cache may be wiped at any time. For each environment it holds frames as they came over the link: a whole
//! snapshot, then the deltas since, without their signatures, of which the last is kept apart. A frame is cut into chunks of at
//! most 32 KiB. They are written in one batch with a header record, which holds version, lengths and SHA-256 of every frame, and with a root record, which sums up all
//! headers. What contradicts these records when it is read at a start, and what sled itself takes for damage, has one
//! consequence: a new generation folder and an empty start. A disk that fails is no such contradiction. The generation
//! stays as it is, and whoever opened it tries again. Everything here blocks; `keeper` calls it from a thread of its own.

mod coalesce;
mod environments;
mod error;
mod folder;
mod generation;
mod header;
mod origin;
mod record;
mod root;
mod signatures;
mod usage;

use std::{
    collections::HashMap,
    fs, mem,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use protocol::{
    ids::EnvId,
    signature::Signature,
    snapshot::Version,
    wire::{
        message::{Epoch, Push},
        usage::UsageBatch,
    },
};
use serving::error::chain;

use self::{
    generation::{Generation, load},
    root::{Root, Stamp},
};
use crate::usage::BatchId;

pub(crate) use self::{coalesce::coalesce, error::CacheError, folder::try_writing, origin::Origin};

/// Values larger than this silently come back from damaged files as older ones.
const CHUNK: usize = 32 << 10;

/// Takes a frame that was found, with the signature of what it leads to, if that is known.
pub(crate) type Restore<'a> = &'a mut dyn FnMut(Epoch, Push, Option<Signature>) -> bool;

/// What to store about an environment. Frames are those of the link, header included, and may have signatures behind them.
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

/// Which state of an environment is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) epoch: Epoch,
    pub(crate) version: Version,
}

/// How the cache was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Everything found was handed out: this many environments.
    Loaded(usize),
    /// What was there cannot be used: what was handed out has to be dropped.
    Empty,
}

/// An open cache.
pub(crate) struct Cache {
    path: PathBuf,
    db: sled::Db,
    usage: sled::Tree,
    signatures: sled::Tree,
    /// What was found when it was opened.
    found: Found,
    origin: Origin,
    root: Root,
    stamp: Stamp,
    /// Held while the cache is open, so that no two processes write to one folder.
    _lock: fs::File,
}

/// What was in a cache when it was opened.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) environments: HashMap<EnvId, Stored>,
    pub(crate) usage: Vec<UsageBatch>,
}

impl Cache {
    /// Opens the newest complete generation and hands out all it holds: for each environment a snapshot, then its deltas
    /// in order. `restore` returns whether it could use what it was given.
    ///
    /// # Errors
    /// When the disk fails. Nothing is lost by that, and part of what is there may have been handed out.
    pub(crate) fn open(
        path: &Path,
        origin: &Origin,
        restore: Restore<'_>,
    ) -> Result<(Self, Start), CacheError> {
        let lock = folder::lock(path)?;
        folder::remove_unfinished(path)?;
        // Read before anything else, so that the batches are not lost if the environments of their generation are.
        let mut batches = Vec::new();
        let newest = folder::generations(path)?.into_iter().max();
        let (number, generation, start) = match newest {
            None => {
                let generation = begin(path, 0, origin, &[])?;
                (0, generation, Start::Loaded(0))
            }
            Some(number) => {
                let attempt = guarded(|| {
                    let generation = folder::generation(path, number);
                    Generation::open(generation, origin, restore, &mut batches)
                });
                match attempt.map_err(|error| blame_disk(path, error)) {
                    Ok(generation) => {
                        let environments = generation.stored.len();
                        (number, generation, Start::Loaded(environments))
                    }
                    Err(error) if error.is_final() => {
                        report(&error);
                        let generation = begin(path, number + 1, origin, &batches)?;
                        (number + 1, generation, Start::Empty)
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        folder::keep_only(path, number)?;
        let cache = Self {
            path: generation.path,
            db: generation.db,
            usage: generation.usage,
            signatures: generation.signatures,
            found: Found {
                environments: generation.stored,
                usage: batches,
            },
            origin: origin.clone(),
            root: generation.root,
            stamp: generation.stamp,
            _lock: lock,
        };
        Ok((cache, start))
    }

    /// What was found when the cache was opened. Returned only once.
    pub(crate) fn take_found(&mut self) -> Found {
        mem::take(&mut self.found)
    }

    /// Hands out everything once more, until `restore` returns false.
    pub(crate) fn hand_out(&self, restore: Restore<'_>) -> Result<(), CacheError> {
        guarded(|| load(&self.db, &self.signatures, restore).map(drop))
    }

    /// Which state of an environment is stored.
    pub(crate) fn stored(&self, env_id: EnvId) -> Result<Option<Stored>, CacheError> {
        guarded(|| Ok(self.header(env_id)?.map(|header| header.stored())))
    }

    /// Records that all it holds belongs to another certificate or region now.
    pub(crate) fn set_origin(&mut self, origin: &Origin) -> Result<(), CacheError> {
        if self.origin != *origin {
            origin.write(&self.path)?;
            self.origin = origin.clone();
        }
        Ok(())
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

    /// Flushes and closes. Dropping does the same, but sled may panic then if the disk fails.
    pub(crate) fn close(self) {
        // A disk that fails was reported when it failed.
        drop(guarded(|| {
            drop(self);
            Ok(())
        }));
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        drop(self.flush());
    }
}

/// Makes a generation that holds nothing but `batches`, and opens it once it is complete.
fn begin(
    path: &Path,
    number: u64,
    origin: &Origin,
    batches: &[UsageBatch],
) -> Result<Generation, CacheError> {
    let made = guarded(|| Generation::make(&folder::unfinished(path, number), origin, batches));
    if made.is_err() {
        // What a full disk has room for is not wasted on it.
        folder::remove_unfinished(path)?;
    }
    made?;
    folder::finish(path, number)?;
    guarded(|| {
        let generation = folder::generation(path, number);
        Generation::open(generation, origin, &mut |_, _, _| false, &mut Vec::new())
    })
}

/// A panic may come from what was read, or from a disk that fails: the disk is asked.
fn blame_disk(path: &Path, error: CacheError) -> CacheError {
    match error {
        CacheError::Panicked => try_writing(path).map_or_else(CacheError::Folder, |()| error),
        _ => error,
    }
}

fn report(error: &CacheError) {
    if matches!(error, CacheError::Foreign) {
        tracing::info!(reason = %chain(error), "the cache cannot be used, starting an empty one");
        return;
    }
    tracing::warn!(error = %chain(error), "cache is damaged, starting an empty one");
    metrics::counter!("halyard_edge_cache_damaged_total").increment(1);
}

/// Turns a panic of sled into an error. The state it leaves behind is not used again.
fn guarded<T>(call: impl FnOnce() -> Result<T, CacheError>) -> Result<T, CacheError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(CacheError::Panicked))
}

#[cfg(test)]
mod tests;
