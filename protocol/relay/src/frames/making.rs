//! Merging frames, away from the async threads and without a lock.

use std::sync::Arc;

use bytes::Bytes;
use fanout::Frame;
use protocol::{
    ids::EnvId,
    snapshot::Version,
    wire::{
        frame::{self, TooLarge},
        merge::{Damaged, decode, merge},
        signed,
    },
};
use serving::{apart::begin_apart, error::chain};
use tokio::{
    sync::{Semaphore, watch},
    task::JoinError,
};

use super::{
    Environment,
    held::{Link, Whole},
};

/// Frames that are to be merged into one.
pub(super) struct Work {
    /// The version that the result starts from; `None` for a whole environment.
    pub(super) base: Option<Version>,
    /// The deltas are applied to it; without it they become one delta.
    pub(super) whole: Option<Whole>,
    /// One at least.
    pub(super) deltas: Vec<Link>,
    /// Of what is held.
    pub(super) lineage: u64,
    /// For those who wait for the result. It is dropped without one if there is none.
    pub(super) made: watch::Sender<Option<Frame>>,
}

#[derive(Debug, thiserror::Error)]
enum MakeError {
    #[error(transparent)]
    Merge(#[from] Damaged),
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    #[error(transparent)]
    Panicked(#[from] JoinError),
}

impl Work {
    fn length(&self) -> usize {
        let whole = self.whole.as_ref().map_or(0, |whole| whole.bytes.len());
        let deltas = self.deltas.iter().map(|link| link.frame.bytes.len());
        whole + deltas.sum::<usize>()
    }

    fn merge(&self, env_id: EnvId) -> Result<Bytes, MakeError> {
        let whole = self.whole.iter().map(|whole| &whole.bytes);
        let deltas = self.deltas.iter().map(|link| &link.frame.bytes);
        let frames = whole.chain(deltas);
        let push = merge(frames.map(|frame| decode(env_id, frame)))?;
        let newest = self.deltas.last().ok_or(Damaged("no delta"))?;
        let signature = signed::signature(&newest.frame.bytes)?;
        Ok(signed::with(frame::encode(&push)?, signature.as_ref()).into())
    }

    fn frame(&self, bytes: Bytes) -> Option<Frame> {
        Some(Frame {
            version: self.deltas.last()?.frame.version,
            bytes,
            urgent: self.whole.is_none() && self.deltas.iter().any(|link| link.frame.urgent),
        })
    }
}

impl Environment {
    /// Makes a frame, and then those that have to be made after it.
    pub(super) fn make(self: Arc<Self>, work: Work, large: &Arc<Semaphore>) {
        let large = Arc::clone(large);
        tokio::spawn(async move {
            let mut next = Some(work);
            while let Some(work) = next {
                next = self.finish(work, &large).await;
            }
        });
    }

    async fn finish(&self, work: Work, large: &Semaphore) -> Option<Work> {
        // Shorter frames never wait for longer ones.
        let _permit = if work.length() > 64 << 10 {
            let permit = large.acquire().await;
            Some(permit.expect("the semaphore is never closed"))
        } else {
            None
        };
        let (env_id, lineage) = (self.env_id, work.lineage);
        let merged = begin_apart(move || {
            let merged = work.merge(env_id);
            merged.map(|bytes| (work.frame(bytes), work))
        });
        match merged.await.map_err(MakeError::from).flatten() {
            Ok((frame, work)) => {
                let (follows, next) = self.held().take(&work, frame.as_ref()?);
                if follows {
                    work.made.send_replace(frame);
                }
                next
            }
            Err(error) => {
                tracing::error!(
                    env.id = %env_id,
                    error = chain(&error),
                    "the frames of an environment cannot be merged; it is passed on once it was received again"
                );
                self.held().failed(lineage);
                None
            }
        }
    }
}
