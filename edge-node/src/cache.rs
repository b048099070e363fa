//! The copy of the snapshots on disk, kept by sled: the only file that names it.
//!
//! A cache that may be wiped. For each environment it holds frames as they came over the link: a whole snapshot, then the
//! deltas since. A frame is cut into chunks of at most 32 KiB, which are written in one batch with a header record that
//! tells version, lengths and SHA-256 of every frame. Whatever does not agree with its header, every error and every
//! panic of sled is answered in one way: a new generation folder and an empty start. Everything here blocks; `keeper` calls
//! it from a thread of its own.

mod header;

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use protocol::{
    ids::EnvId,
    snapshot::{Digest, Snapshot, Version},
    wire::{
        message::{Epoch, Push},
        v1::{self, FrameHeader, PUSH_LIMIT},
    },
};
use uuid::Uuid;

use self::header::{Header, chunk_key};

/// Larger values come back from damaged files silently as older ones.
const CHUNK: usize = 32 << 10;
/// As many deltas are kept behind a snapshot before both are merged into a new one.
const DELTAS: usize = 64;
/// Generation folders are named by the format of what they hold, then counted.
const PREFIX: &str = "v1-";
/// sled never gives space back that damage has cost it: a folder beyond this size is started anew.
const FOLDER_LIMIT: u64 = 8 << 30;
/// sled's own page cache; everything is read once, at the start.
const PAGE_CACHE: u64 = 8 << 20;

/// Why the disk was of no use.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CacheError {
    /// sled refused.
    #[error("the store refused")]
    Store(#[from] sled::Error),
    /// sled panicked.
    #[error("the store panicked")]
    Panicked,
    /// The folder refused.
    #[error("the folder refused")]
    Folder(#[from] std::io::Error),
    /// What was read is not what was written.
    #[error("damaged: {0}")]
    Damaged(&'static str),
    /// Another process keeps its cache in this folder.
    #[error("the folder is in use by another process")]
    InUse,
}

/// What to remember about an environment. Frames are those of the link, header included.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// The environment, whole.
    Whole {
        epoch: Epoch,
        version: Version,
        frame: bytes::Bytes,
    },
    /// A change that applies to `base`.
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

/// How a cache began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Everything found was handed out; so many environments.
    Loaded(usize),
    /// Something was damaged: forget what was handed out.
    Empty,
}

/// An open cache.
pub(crate) struct Cache {
    db: sled::Db,
    /// Held while the cache is open, so that no two processes write one folder.
    _lock: fs::File,
}

impl Cache {
    /// Opens the newest generation and hands out all it holds: for each environment a snapshot, then its deltas in order.
    /// `restore` answers whether it could use what it got.
    ///
    /// # Errors
    /// When not even an empty generation can be opened.
    pub(crate) fn open(
        folder: &Path,
        restore: &mut dyn FnMut(Epoch, Push) -> bool,
    ) -> Result<(Self, Start), CacheError> {
        fs::create_dir_all(folder)?;
        let lock = fs::File::create(folder.join("lock"))?;
        lock.try_lock().map_err(|error| match error {
            fs::TryLockError::WouldBlock => CacheError::InUse,
            fs::TryLockError::Error(error) => error.into(),
        })?;

        let newest = generations(folder)?.into_iter().max().unwrap_or(0);
        let attempt = guarded(|| {
            let path = generation(folder, newest);
            if size(&path)? > FOLDER_LIMIT {
                return Err(CacheError::Damaged("the folder grew beyond its bound"));
            }
            let db = open_generation(&path)?;
            let loaded = load(&db, restore)?;
            Ok((db, Start::Loaded(loaded)))
        });
        let (current, (db, start)) = match attempt {
            Ok(opened) => (newest, opened),
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "cache is damaged, starting an empty one"
                );
                metrics::counter!("halyard_edge_cache_damaged_total").increment(1);
                let db = guarded(|| open_generation(&generation(folder, newest + 1)))?;
                (newest + 1, (db, Start::Empty))
            }
        };
        for old in generations(folder)?
            .into_iter()
            .filter(|&old| old != current)
        {
            if let Err(error) = fs::remove_dir_all(generation(folder, old)) {
                tracing::warn!(%error, "could not remove an old cache generation");
            }
        }
        Ok((Self { db, _lock: lock }, start))
    }

    /// Writes a change; after an error the cache has to be opened again. A delta that does not continue what is there makes
    /// the cache forget the environment: better nothing than a gap.
    pub(crate) fn write(&self, env_id: EnvId, change: &Change) -> Result<(), CacheError> {
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

    /// Makes everything written durable.
    pub(crate) fn flush(&self) -> Result<(), CacheError> {
        guarded(|| Ok(self.db.flush().map(|_| ())?))
    }

    fn replace(
        &self,
        env_id: EnvId,
        epoch: Epoch,
        version: Version,
        frame: &[u8],
    ) -> Result<(), CacheError> {
        let old = self.header(env_id)?;
        let mut header = Header::new(epoch);
        // Parts are never overwritten: a chunk that survives by damage cannot take the place of a newer one.
        header.next_part = old.as_ref().map_or(0, |old| old.next_part);
        let mut batch = sled::Batch::default();
        if let Some(old) = &old {
            old.chunk_keys(env_id).for_each(|key| batch.remove(&key));
        }
        insert(&mut batch, env_id, &mut header, version, frame);
        Ok(self.db.apply_batch(batch)?)
    }

    fn append(
        &self,
        env_id: EnvId,
        base: Version,
        version: Version,
        frame: &[u8],
    ) -> Result<(), CacheError> {
        let Some(mut header) = self.header(env_id)? else {
            return Ok(());
        };
        if header.version != base {
            return self.remove(env_id);
        }
        let mut batch = sled::Batch::default();
        insert(&mut batch, env_id, &mut header, version, frame);
        self.db.apply_batch(batch)?;
        if header.parts.len() > DELTAS {
            self.compact(env_id, &header)
        } else {
            Ok(())
        }
    }

    /// Merges a snapshot and its deltas into one frame, so that neither disk nor start grow with the number of changes.
    fn compact(&self, env_id: EnvId, header: &Header) -> Result<(), CacheError> {
        let mut bytes = Vec::new();
        for key in header.chunk_keys(env_id) {
            bytes.extend_from_slice(
                &self
                    .db
                    .get(key)?
                    .ok_or(CacheError::Damaged("a chunk is missing"))?,
            );
        }
        let mut whole: Option<(Snapshot, Digest)> = None;
        for push in header.pushes(env_id, &bytes)? {
            match (push?, &mut whole) {
                (Push::Snapshot(snapshot, digest), None) => whole = Some((snapshot, digest)),
                (Push::Delta(delta), Some((snapshot, digest))) => {
                    *digest = delta.digest;
                    snapshot
                        .apply(delta)
                        .map_err(|_| CacheError::Damaged("a delta does not apply"))?;
                }
                _ => return Err(CacheError::Damaged("frames out of order")),
            }
        }
        let (snapshot, digest) = whole.ok_or(CacheError::Damaged("no frame"))?;
        match v1::encode(&Push::Snapshot(snapshot, digest)) {
            Ok(frame) => self.replace(env_id, header.epoch, header.version, &frame),
            // Larger than any peer sends; it came as deltas, and is not kept.
            Err(_) => self.remove(env_id),
        }
    }

    fn adopt(&self, env_id: EnvId, epoch: Epoch) -> Result<(), CacheError> {
        if let Some(mut header) = self.header(env_id)? {
            header.epoch = epoch;
            self.db.insert(env_id.uuid().as_bytes(), header.encode())?;
        }
        Ok(())
    }

    fn remove(&self, env_id: EnvId) -> Result<(), CacheError> {
        let Some(header) = self.header(env_id)? else {
            return Ok(());
        };
        let mut batch = sled::Batch::default();
        batch.remove(env_id.uuid().as_bytes());
        header.chunk_keys(env_id).for_each(|key| batch.remove(&key));
        Ok(self.db.apply_batch(batch)?)
    }

    fn header(&self, env_id: EnvId) -> Result<Option<Header>, CacheError> {
        self.db
            .get(env_id.uuid().as_bytes())?
            .map(|bytes| Header::decode(&bytes))
            .transpose()
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        // sled flushes when its last handle goes, and may panic on a broken file.
        drop(catch_unwind(AssertUnwindSafe(|| {
            self.db.flush().map(|_| ())
        })));
    }
}

fn open_generation(path: &Path) -> Result<sled::Db, CacheError> {
    let config = sled::Config::new()
        .path(path)
        .cache_capacity(PAGE_CACHE)
        .flush_every_ms(None);
    Ok(config.mode(sled::Mode::LowSpace).open()?)
}

/// Adds a frame and the header that counts it to a batch.
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
    batch.insert(env_id.uuid().as_bytes(), header.encode());
}

/// Reads everything in one pass: a header sorts before the chunks of its environment, and those in the order of writing.
fn load(db: &sled::Db, restore: &mut dyn FnMut(Epoch, Push) -> bool) -> Result<usize, CacheError> {
    let mut environments = 0;
    let mut reading: Option<(EnvId, Header, Vec<u8>)> = None;
    let mut finish = |reading: Option<(EnvId, Header, Vec<u8>)>| {
        let Some((env_id, header, bytes)) = reading else {
            return Ok(());
        };
        for push in header.pushes(env_id, &bytes)? {
            if !restore(header.epoch, push?) {
                return Err(CacheError::Damaged("a frame that does not apply"));
            }
        }
        environments += 1;
        Ok(())
    };
    for entry in db.iter() {
        let (key, value) = entry?;
        if let Ok(id) = <[u8; 16]>::try_from(&*key) {
            let next = (
                Uuid::from_bytes(id).into(),
                Header::decode(&value)?,
                Vec::new(),
            );
            finish(reading.replace(next))?;
        } else {
            let (env_id, header, bytes) = reading
                .as_mut()
                .ok_or(CacheError::Damaged("a chunk without header"))?;
            if !key.starts_with(env_id.uuid().as_bytes())
                || bytes.len() + value.len() > header.length()
            {
                return Err(CacheError::Damaged("a chunk too many"));
            }
            bytes.extend_from_slice(&value);
        }
    }
    finish(reading)?;
    Ok(environments)
}

/// Turns a panic of sled into an error. What it leaves behind is not used again.
fn guarded<T>(call: impl FnOnce() -> Result<T, CacheError>) -> Result<T, CacheError> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or(Err(CacheError::Panicked))
}

fn generation(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{PREFIX}{number:06}"))
}

fn generations(folder: &Path) -> Result<Vec<u64>, CacheError> {
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        numbers.extend(
            name.to_str()
                .and_then(|name| name.strip_prefix(PREFIX)?.parse::<u64>().ok()),
        );
    }
    Ok(numbers)
}

fn size(path: &Path) -> Result<u64, CacheError> {
    let mut total = 0;
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error.into()),
    };
    for entry in entries {
        let entry = entry?;
        let metadata = entry.metadata()?;
        total += if metadata.is_dir() {
            size(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(total)
}
