//! Writing environments: whole ones, deltas, removals.

use protocol::{
    ids::EnvId,
    signature::Signature,
    snapshot::{Delta, Version},
    wire::{
        frame,
        merge::{decode, merge},
        message::{Epoch, Push},
        signed,
    },
};

use super::{
    CHUNK, Cache, CacheError, Change, guarded,
    header::{Header, chunk_key},
    root, signatures,
};

/// The number of deltas kept after a snapshot before all are merged into a new one.
pub(super) const DELTAS: usize = 64;

impl Cache {
    /// Writes a change; after an error the cache has to be reopened. A delta that neither continues what is stored nor
    /// begins before it is left out: what is stored stays as it is until the environment comes whole.
    pub(crate) fn write(&mut self, env_id: EnvId, change: &Change) -> Result<(), CacheError> {
        guarded(|| match change {
            Change::Whole {
                epoch,
                version,
                frame,
            } => self.replace(env_id, *epoch, *version, &Signed::split(frame)?),
            Change::Delta {
                base,
                version,
                frame,
            } => self.append(env_id, *base, *version, &Signed::split(frame)?),
            Change::Adopted { epoch } => self.adopt(env_id, *epoch),
            Change::Removed => self.remove(env_id),
        })
    }

    fn replace(
        &mut self,
        env_id: EnvId,
        epoch: Epoch,
        version: Version,
        push: &Signed<'_>,
    ) -> Result<(), CacheError> {
        let old = self.header(env_id)?;
        // Parts are never overwritten: a chunk that damage brings back cannot replace a newer one.
        let mut header = Header::new(epoch, old.as_ref().map_or(0, |old| old.next_part));
        let mut batch = sled::Batch::default();
        if let Some(old) = &old {
            old.chunk_keys(env_id).for_each(|key| batch.remove(&key));
        }
        insert(&mut batch, env_id, &mut header, version, push.frame);
        self.commit(env_id, batch, old.as_ref(), Some(&header))?;
        self.sign(env_id, &header, push)
    }

    fn append(
        &mut self,
        env_id: EnvId,
        base: Version,
        version: Version,
        push: &Signed<'_>,
    ) -> Result<(), CacheError> {
        let Some(old) = self.header(env_id)? else {
            return Ok(());
        };
        if base < old.version && old.version < version {
            return self.take_in(env_id, &old, push);
        }
        if base != old.version {
            return Ok(());
        }
        let mut header = old.clone();
        let mut batch = sled::Batch::default();
        insert(&mut batch, env_id, &mut header, version, push.frame);
        self.commit(env_id, batch, Some(&old), Some(&header))?;
        self.sign(env_id, &header, push)?;
        if header.parts.len() > DELTAS {
            let bytes = self.bytes(env_id, &header)?;
            let merged = merge(header.pushes(env_id, &bytes)?)?;
            let signature = push.signature.as_ref();
            self.replace_by(env_id, header.epoch, header.version, &merged, signature)
        } else {
            Ok(())
        }
    }

    /// Takes in a delta that begins before what is stored: a merged one, whose first changes were written by an attempt
    /// that failed as a whole. It says how everything is that it names, so it applies to what is in between too; if the
    /// digest differs all the same, this is of another history, and is left out.
    fn take_in(
        &mut self,
        env_id: EnvId,
        old: &Header,
        push: &Signed<'_>,
    ) -> Result<(), CacheError> {
        let Push::Delta(delta) = decode(env_id, push.frame)? else {
            return Ok(());
        };
        let version = delta.head.version;
        let delta = Delta {
            base: old.version,
            ..delta
        };
        let bytes = self.bytes(env_id, old)?;
        let stored = old.pushes(env_id, &bytes)?;
        match merge(stored.chain([Ok(Push::Delta(delta))])) {
            Ok(merged) => {
                let signature = push.signature.as_ref();
                self.replace_by(env_id, old.epoch, version, &merged, signature)
            }
            Err(_) => Ok(()),
        }
    }

    /// The frames of an environment, one after the other.
    fn bytes(&self, env_id: EnvId, header: &Header) -> Result<Vec<u8>, CacheError> {
        let mut bytes = Vec::new();
        for key in header.chunk_keys(env_id) {
            let chunk = self.db.get(key)?;
            bytes.extend_from_slice(&chunk.ok_or(CacheError::Damaged("a chunk is missing"))?);
        }
        Ok(bytes)
    }

    /// Writes a snapshot merged with its deltas as one frame, so that neither disk space nor start-up time grows with the
    /// number of changes.
    fn replace_by(
        &mut self,
        env_id: EnvId,
        epoch: Epoch,
        version: Version,
        merged: &Push,
        signature: Option<&Signature>,
    ) -> Result<(), CacheError> {
        match frame::encode(merged) {
            Ok(frame) => {
                let push = Signed {
                    frame: &frame,
                    signature: signature.copied(),
                };
                self.replace(env_id, epoch, version, &push)
            }
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
        self.commit(env_id, batch, Some(&old), None)?;
        signatures::remove(&self.signatures, env_id)
    }

    /// Records the signature of what was just written. Should that not succeed, there is none: the one before is that of another
    /// frame.
    fn sign(&self, env_id: EnvId, header: &Header, push: &Signed<'_>) -> Result<(), CacheError> {
        signatures::write(&self.signatures, env_id, header, push.signature.as_ref())
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

    pub(super) fn header(&self, env_id: EnvId) -> Result<Option<Header>, CacheError> {
        let record = self.db.get(env_id.uuid().as_bytes())?;
        record.map(|bytes| Header::decode(&bytes)).transpose()
    }
}

/// A push in its parts.
struct Signed<'a> {
    frame: &'a [u8],
    signature: Option<Signature>,
}

impl<'a> Signed<'a> {
    fn split(push: &'a [u8]) -> Result<Self, CacheError> {
        Ok(Self {
            frame: &push[..signed::frame_length(push)?],
            signature: signed::signature(push)?,
        })
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
