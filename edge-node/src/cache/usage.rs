//! Batches of usage that the control plane has not stored yet, in a tree of their own.
//!
//! A record is the SHA-256 of a frame, then the frame as it is sent over the link, cut into chunks. A record that
//! contradicts its hash is dropped by itself: it does not affect the rest of the cache, nor do batches suffer from
//! damage elsewhere. A batch that comes back although it was removed does no harm: the control plane counts each number
//! of a boot only once.

use protocol::wire::{
    frame::{self, FrameHeader, UPLOAD_LIMIT},
    usage::{Upload, UsageBatch},
};
use sha2::{Digest as _, Sha256};

use super::{CHUNK, CacheError};
use crate::usage::BatchId;

const TREE: &[u8] = b"usage";

/// Opens the tree.
pub(super) fn open(db: &sled::Db) -> Result<sled::Tree, CacheError> {
    Ok(db.open_tree(TREE)?)
}

/// Writes a batch, replacing an earlier state of it.
pub(super) fn write(tree: &sled::Tree, batch: &UsageBatch) -> Result<(), CacheError> {
    let id = BatchId::of(batch);
    let mut changes = removal(tree, id)?;
    // Batches are closed long before a frame is full.
    let frame = frame::encode(&Upload::Served(batch.clone()))
        .map_err(|_| CacheError::Damaged("a batch too large"))?;
    let mut record = Sha256::digest(&frame).to_vec();
    record.extend_from_slice(&frame);
    for (number, chunk) in (0u32..).zip(record.chunks(CHUNK)) {
        changes.insert(&key(id, number), chunk);
    }
    Ok(tree.apply_batch(changes)?)
}

/// Removes a batch.
pub(super) fn remove(tree: &sled::Tree, id: BatchId) -> Result<(), CacheError> {
    let changes = removal(tree, id)?;
    Ok(tree.apply_batch(changes)?)
}

/// All intact batches, those of each boot in their order.
pub(super) fn load(tree: &sled::Tree) -> Result<Vec<UsageBatch>, CacheError> {
    let mut batches = Vec::new();
    let mut reading: Option<([u8; 24], Vec<u8>)> = None;
    for entry in tree {
        let (key, chunk) = entry?;
        let Some((id, _)) = key.split_first_chunk::<24>() else {
            continue;
        };
        match &mut reading {
            Some((of, record)) if of == id && record.len() <= UPLOAD_LIMIT => {
                record.extend_from_slice(&chunk);
            }
            _ => batches.extend(reading.replace((*id, chunk.to_vec())).and_then(decode)),
        }
    }
    batches.extend(reading.and_then(decode));
    Ok(batches)
}

fn decode((id, record): ([u8; 24], Vec<u8>)) -> Option<UsageBatch> {
    let read = || {
        let (hash, frame) = record.split_first_chunk::<32>()?;
        if Sha256::digest(frame)[..] != *hash {
            return None;
        }
        let (header, payload) = frame.split_first_chunk()?;
        let header = FrameHeader::parse(*header, UPLOAD_LIMIT).ok()?;
        let upload: Upload = frame::decode(header, payload).ok()?;
        let Upload::Served(batch) = upload else {
            return None;
        };
        let is_whole = prefix(BatchId::of(&batch)) == id && batch.check().is_ok();
        is_whole.then_some(batch)
    };
    let batch = read();
    if batch.is_none() {
        metrics::counter!("halyard_edge_usage_batches_damaged_total").increment(1);
        tracing::warn!("dropped a damaged batch of usage");
    }
    batch
}

/// The removal of what is stored of a batch.
fn removal(tree: &sled::Tree, id: BatchId) -> Result<sled::Batch, CacheError> {
    let mut changes = sled::Batch::default();
    for key in tree.scan_prefix(prefix(id)).keys() {
        changes.remove(key?);
    }
    Ok(changes)
}

fn prefix(id: BatchId) -> [u8; 24] {
    let mut prefix = [0; 24];
    prefix[..16].copy_from_slice(&id.boot);
    prefix[16..].copy_from_slice(&id.sequence.to_be_bytes());
    prefix
}

fn key(id: BatchId, number: u32) -> [u8; 28] {
    let mut key = [0; 28];
    key[..24].copy_from_slice(&prefix(id));
    key[24..].copy_from_slice(&number.to_be_bytes());
    key
}
