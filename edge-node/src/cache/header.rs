//! The header record of a cached environment: what its chunks must add up to.

use protocol::{
    ids::EnvId,
    snapshot::Version,
    wire::{
        frame::{FrameHeader, PUSH_LIMIT},
        merge::{Damaged, decode},
        message::{Epoch, Push},
    },
};
use sha2::{Digest as _, Sha256};

use super::{CHUNK, CacheError, Stored, record};

/// What is stored of one environment.
#[derive(Clone)]
pub(super) struct Header {
    pub(super) epoch: Epoch,
    /// The version after the last frame.
    pub(super) version: Version,
    /// The frames, beginning with a snapshot.
    pub(super) parts: Vec<Part>,
    /// The number of the next frame.
    pub(super) next_part: u64,
}

/// One frame.
#[derive(Clone)]
pub(super) struct Part {
    number: u64,
    length: usize,
    sha256: [u8; 32],
}

impl Header {
    /// A header without frames. Frame numbers continue from those of the header that this one replaces.
    pub(super) fn new(epoch: Epoch, next_part: u64) -> Self {
        Self {
            epoch,
            version: 0,
            parts: Vec::new(),
            next_part,
        }
    }

    /// Adds a frame and returns its number.
    pub(super) fn push(&mut self, version: Version, frame: &[u8]) -> u64 {
        let number = self.next_part;
        self.parts.push(Part {
            number,
            length: frame.len(),
            sha256: Sha256::digest(frame).into(),
        });
        self.version = version;
        self.next_part += 1;
        number
    }

    /// SHA-256 of the last frame.
    pub(super) fn last_hash(&self) -> Option<[u8; 32]> {
        self.parts.last().map(|part| part.sha256)
    }

    /// Which state of the environment this is.
    pub(super) fn stored(&self) -> Stored {
        Stored {
            epoch: self.epoch,
            version: self.version,
        }
    }

    /// The length of all frames.
    pub(super) fn length(&self) -> usize {
        self.parts.iter().map(|part| part.length).sum()
    }

    /// The keys of all chunks, in the order of their bytes.
    pub(super) fn chunk_keys(&self, env_id: EnvId) -> impl Iterator<Item = [u8; 28]> {
        self.parts.iter().flat_map(move |part| {
            let chunks = part.length.div_ceil(CHUNK);
            (0u32..)
                .take(chunks)
                .map(move |number| chunk_key(env_id, part.number, number))
        })
    }

    /// The messages of the frames that `bytes` holds one after the other. All checksums are verified before the first
    /// message is returned.
    pub(super) fn pushes<'a>(
        &'a self,
        env_id: EnvId,
        mut bytes: &'a [u8],
    ) -> Result<impl Iterator<Item = Result<Push, Damaged>>, CacheError> {
        let mut frames = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let (frame, rest) = bytes
                .split_at_checked(part.length)
                .ok_or(CacheError::Damaged("chunks are missing"))?;
            if Sha256::digest(frame)[..] != part.sha256 {
                return Err(CacheError::Damaged("a checksum differs"));
            }
            frames.push(frame);
            bytes = rest;
        }
        if !bytes.is_empty() {
            return Err(CacheError::Damaged("bytes behind the last frame"));
        }
        Ok(frames.into_iter().map(move |frame| decode(env_id, frame)))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        let parts: Vec<_> = self
            .parts
            .iter()
            .map(|part| (part.number, part.length as u64, part.sha256))
            .collect();
        record::encode(&(self.epoch, self.version, self.next_part, parts))
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, CacheError> {
        const NAME: &str = "a header";
        let (epoch, version, next_part, parts): (_, _, _, Vec<(u64, u64, [u8; 32])>) =
            record::decode(bytes, NAME)?;
        let parts = parts
            .into_iter()
            .map(|(number, length, sha256)| match usize::try_from(length) {
                Ok(length) if length <= FrameHeader::LENGTH + PUSH_LIMIT => Ok(Part {
                    number,
                    length,
                    sha256,
                }),
                _ => Err(CacheError::Damaged(NAME)),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            epoch,
            version,
            parts,
            next_part,
        })
    }
}

/// The key of a chunk: sorts after the environment's header, by frame and position.
pub(super) fn chunk_key(env_id: EnvId, part: u64, number: u32) -> [u8; 28] {
    let mut key = [0; 28];
    key[..16].copy_from_slice(env_id.uuid().as_bytes());
    key[16..24].copy_from_slice(&part.to_be_bytes());
    key[24..].copy_from_slice(&number.to_be_bytes());
    key
}
