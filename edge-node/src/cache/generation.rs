//! One generation of a cache: opening it and reading it through.

use std::{
    collections::HashMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use protocol::{
    ids::EnvId,
    wire::{merge::merge, usage::UsageBatch},
};
use uuid::Uuid;

use super::{
    CacheError, Origin, Restore, Stored, folder,
    header::Header,
    root::{self, Root, Stamp},
    signatures, usage,
};

/// A generation that has been read through.
pub(super) struct Generation {
    pub(super) path: PathBuf,
    pub(super) db: sled::Db,
    pub(super) usage: sled::Tree,
    pub(super) signatures: sled::Tree,
    pub(super) root: Root,
    pub(super) stamp: Stamp,
    /// The environments it holds.
    pub(super) stored: HashMap<EnvId, Stored>,
}

impl Generation {
    /// Opens a complete generation and hands out all it holds. `batches` is filled even if the rest is damaged or not
    /// for `origin`.
    pub(super) fn open(
        path: PathBuf,
        origin: &Origin,
        restore: Restore<'_>,
        batches: &mut Vec<UsageBatch>,
    ) -> Result<Self, CacheError> {
        let Opened {
            db,
            usage,
            signatures,
        } = open(&path)?;
        // Before anything that may be wrong with the rest.
        batches.extend(usage::load(&usage)?);
        // sled never returns space lost to damage.
        if folder::size(&path)? > 8 << 30 {
            return Err(CacheError::Damaged("the folder grew beyond its bound"));
        }
        let stamp = Stamp::read(&path)?;
        let filled = Origin::read(&path)?;
        if !origin.covers(&filled) {
            return Err(CacheError::Foreign);
        }
        if filled != *origin {
            // From now on it may hold more.
            origin.write(&path)?;
        }
        let root = match db.get(root::KEY)? {
            Some(record) => Root::decode(&record)?,
            None => Root::default(),
        };
        if !stamp.admits(&root) {
            return Err(CacheError::Damaged("the latest writes are gone"));
        }
        let (stored, found) = load(&db, &signatures, restore)?;
        if !found.agrees(&root) {
            return Err(CacheError::Damaged("some environments are gone"));
        }
        signatures::keep_only(&signatures, |env_id| stored.contains_key(&env_id))?;
        Ok(Self {
            path,
            db,
            usage,
            signatures,
            root,
            stamp,
            stored,
        })
    }

    /// Makes a generation that holds nothing but batches of usage, complete and on disk.
    pub(super) fn make(
        path: &Path,
        origin: &Origin,
        batches: &[UsageBatch],
    ) -> Result<(), CacheError> {
        let Opened { db, usage, .. } = open(path)?;
        for batch in batches {
            usage::write(&usage, batch)?;
        }
        db.flush()?;
        origin.write(path)?;
        Ok(Stamp::read(path)?.write(&Root::default())?)
    }
}

struct Opened {
    db: sled::Db,
    usage: sled::Tree,
    signatures: sled::Tree,
}

fn open(path: &Path) -> Result<Opened, CacheError> {
    remove_half_written(path)?;
    let config = sled::Config::new()
        .path(path)
        // Everything is read only once, at the start.
        .cache_capacity(8 << 20)
        .flush_every_ms(None);
    let config = config.mode(sled::Mode::LowSpace);
    let began = Instant::now();
    let db = loop {
        match config.open() {
            // Time for sled to close what was just dropped.
            Err(error) if is_locked(&error) && began.elapsed() < Duration::from_secs(2) => {
                thread::sleep(Duration::from_millis(5));
            }
            opened => break opened?,
        }
    };
    Ok(Opened {
        usage: usage::open(&db)?,
        signatures: signatures::open(&db)?,
        db,
    })
}

/// Whether sled's own lock is held. The folder is ours, so it is held by threads of sled that have not noticed yet that
/// they are not needed any more.
fn is_locked(error: &sled::Error) -> bool {
    matches!(error, sled::Error::Io(error) if error.to_string().starts_with("could not acquire lock"))
}

/// sled writes a snapshot of its own tables at every start. One that a full disk or a crash cut short it takes for the
/// newest, and then for damage of everything; without it, it uses the one before.
fn remove_half_written(path: &Path) -> Result<(), CacheError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "generating") {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Reads everything in one pass: a header sorts before the chunks of its environment, and the chunks sort in the order
/// in which they were written.
pub(super) fn load(
    db: &sled::Db,
    signatures: &sled::Tree,
    restore: Restore<'_>,
) -> Result<(HashMap<EnvId, Stored>, Root), CacheError> {
    let mut stored = HashMap::new();
    let mut found = Root::default();
    let mut reading: Option<(EnvId, Header, Vec<u8>)> = None;
    let mut finish = |reading: Option<(EnvId, Header, Vec<u8>)>| {
        let Some((env_id, header, bytes)) = reading else {
            return Ok(());
        };
        let signature = signatures::read(signatures, env_id, &header)?;
        // As one: what the earlier frames lead to is older than what was served before.
        let push = merge(header.pushes(env_id, &bytes)?)?;
        if !restore(header.epoch, push, signature) {
            return Err(CacheError::Damaged("a frame that does not apply"));
        }
        stored.insert(env_id, header.stored());
        Ok(())
    };
    for entry in db.iter() {
        let (key, value) = entry?;
        if *key == *root::KEY {
            continue;
        }
        if let Ok(id) = <[u8; 16]>::try_from(&*key) {
            let env_id = Uuid::from_bytes(id).into();
            found.toggle(env_id, &value);
            finish(reading.replace((env_id, Header::decode(&value)?, Vec::new())))?;
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
    Ok((stored, found))
}
