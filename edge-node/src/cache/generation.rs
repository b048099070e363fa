//! One generation of a cache: opening it and reading it through.

use std::path::Path;

use protocol::{
    ids::EnvId,
    wire::{
        message::{Epoch, Push},
        usage::UsageBatch,
    },
};
use uuid::Uuid;

use super::{
    CacheError, folder,
    header::Header,
    root::{self, Root, Stamp},
    usage,
};

/// sled never returns space lost to damage: a folder larger than this is replaced by an empty one.
const FOLDER_LIMIT: u64 = 8 << 30;
/// sled's own page cache; everything is read only once, at the start.
const PAGE_CACHE: u64 = 8 << 20;

/// A generation that has been read through.
pub(super) struct Generation {
    pub(super) db: sled::Db,
    pub(super) usage: sled::Tree,
    pub(super) root: Root,
    pub(super) stamp: Stamp,
    pub(super) environments: usize,
}

impl Generation {
    /// Opens or creates a generation and hands out all it holds. `batches` is filled even if the rest is damaged.
    pub(super) fn open(
        path: &Path,
        restore: &mut dyn FnMut(Epoch, Push) -> bool,
        batches: &mut Vec<UsageBatch>,
    ) -> Result<Self, CacheError> {
        if folder::size(path)? > FOLDER_LIMIT {
            return Err(CacheError::Damaged("the folder grew beyond its bound"));
        }
        let stamp = Stamp::read(path)?;
        let config = sled::Config::new()
            .path(path)
            .cache_capacity(PAGE_CACHE)
            .flush_every_ms(None);
        let db = config.mode(sled::Mode::LowSpace).open()?;
        let usage = usage::open(&db)?;
        batches.extend(usage::load(&usage)?);
        let root = match db.get(root::KEY)? {
            Some(record) => Root::decode(&record)?,
            None => Root::default(),
        };
        if !stamp.admits(&root) {
            return Err(CacheError::Damaged("the latest writes are gone"));
        }
        let (environments, found) = load(&db, restore)?;
        if !found.agrees(&root) {
            return Err(CacheError::Damaged("some environments are gone"));
        }
        Ok(Self {
            db,
            usage,
            root,
            stamp,
            environments,
        })
    }
}

/// Reads everything in one pass: a header sorts before the chunks of its environment, and the chunks sort in the order
/// in which they were written.
fn load(
    db: &sled::Db,
    restore: &mut dyn FnMut(Epoch, Push) -> bool,
) -> Result<(usize, Root), CacheError> {
    let mut environments = 0;
    let mut found = Root::default();
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
    Ok((environments, found))
}
