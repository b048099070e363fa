//! From what an environment came, so that the whole of it can be handed on without a disk or a control plane.
//!
//! Frames are kept, which are far smaller than what is served: that of the whole as it was received, which the cache and the edges
//! below share, and those of the deltas since, without API keys. They become one frame when somebody asks for the whole, and when they
//! grow beyond their bounds; never while a change is applied. Each has the signature of the version to which it leads behind it, if
//! that came with one, so one that is made of several has that of the last.

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::Bytes;
use parking_lot::Mutex;
use protocol::{
    ids::{EnvId, OrgId},
    snapshot::{Snapshot, Version},
    wire::{
        frame::{self, TooLarge},
        merge::{Damaged, decode, merge},
        message::Push,
        sdk, signed,
    },
};
use serving::error::chain;
use tokio::{
    runtime::Handle,
    sync::Semaphore,
    task::{JoinHandle, spawn_blocking},
};

use super::Slot;
use crate::limits::{Full, Limiter};

/// Deltas that are kept.
const DELTAS: usize = 64;
/// Bytes of deltas that are kept where the whole is shorter.
const ROOM: usize = 4 << 10;
/// What a delta takes besides its frame.
const OVERHEAD: usize = 64;

/// An environment as SDKs get it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whole {
    pub(crate) version: Version,
    /// That of what SDKs hold, see [`sdk::tag`].
    pub(crate) tag: String,
    /// With the signature of that version behind it, if there is one.
    pub(crate) frame: Bytes,
}

/// The frames of one environment.
#[derive(Default)]
pub(super) struct Source {
    frames: Mutex<Frames>,
    /// Held while they become one.
    making: Arc<tokio::sync::Mutex<()>>,
    /// Whether they are to become one as soon as there is time.
    is_to_be_made: AtomicBool,
}

#[derive(Clone, Default)]
struct Frames {
    /// Nothing where what came is larger than any frame.
    whole: Option<Kept>,
    /// What came after it, oldest first.
    deltas: Vec<Bytes>,
}

#[derive(Clone)]
enum Kept {
    /// With API keys.
    Received(Bytes),
    Made(Whole),
}

#[derive(Debug, thiserror::Error)]
enum MakeError {
    #[error(transparent)]
    Merge(#[from] Damaged),
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

impl Source {
    /// Another whole replaces everything.
    pub(super) fn replace(&self, frame: Option<Bytes>) {
        *self.frames.lock() = Frames {
            whole: frame.map(Kept::Received),
            deltas: Vec::new(),
        };
    }

    /// A delta without API keys follows.
    pub(super) fn add(&self, frame: Option<Bytes>) {
        let mut frames = self.frames.lock();
        match frame {
            Some(frame) if frames.whole.is_some() => frames.deltas.push(frame),
            _ => *frames = Frames::default(),
        }
    }

    /// Estimated memory.
    pub(super) fn bytes(&self) -> u64 {
        let frames = self.frames.lock();
        (frames.length() + frames.delta_bytes()) as u64
    }

    /// What can be handed out as it is: the newest, or one of at least the version that is wanted.
    fn made(&self, wanted: Version) -> Option<Whole> {
        let frames = self.frames.lock();
        match &frames.whole {
            Some(Kept::Made(whole)) if frames.deltas.is_empty() || whole.version >= wanted => {
                Some(whole.clone())
            }
            _ => None,
        }
    }

    /// Has the frames become one; nothing if they cannot. Takes as long as decoding and encoding the environment.
    fn make(&self, env_id: EnvId) -> Option<Whole> {
        loop {
            let taken = self.frames.lock().clone();
            match taken.merged(env_id)? {
                Ok(made) if self.put(&taken, &made) => return Some(made),
                // Another whole came meanwhile.
                Ok(_) => {}
                Err(error) => {
                    let error = chain(&error);
                    tracing::error!(env.id = %env_id, error, "an environment cannot be handed to SDKs until it comes whole");
                    self.take_out(&taken);
                    return None;
                }
            }
        }
    }

    /// False if they did not become of what is kept now.
    fn put(&self, taken: &Frames, made: &Whole) -> bool {
        let mut frames = self.frames.lock();
        let is_same = frames.begins_like(taken);
        if is_same {
            frames.deltas.drain(..taken.deltas.len());
            frames.whole = Some(Kept::Made(made.clone()));
        }
        is_same
    }

    fn take_out(&self, taken: &Frames) {
        let mut frames = self.frames.lock();
        if frames.begins_like(taken) {
            drop(mem::take(&mut *frames));
        }
    }

    fn is_long(&self) -> bool {
        let frames = self.frames.lock();
        frames.deltas.len() > DELTAS || frames.delta_bytes() > frames.length().max(ROOM)
    }
}

impl Frames {
    fn length(&self) -> usize {
        self.whole.as_ref().map_or(0, |whole| whole.frame().len())
    }

    fn delta_bytes(&self) -> usize {
        self.deltas.iter().map(|delta| OVERHEAD + delta.len()).sum()
    }

    /// Whether the whole is the very same, which only ever gets more deltas.
    fn begins_like(&self, taken: &Self) -> bool {
        match (&self.whole, &taken.whole) {
            (Some(whole), Some(taken)) => whole.frame().as_ptr() == taken.frame().as_ptr(),
            _ => false,
        }
    }

    /// All as one; nothing if there is nothing.
    fn merged(&self, env_id: EnvId) -> Option<Result<Whole, MakeError>> {
        let whole = self.whole.as_ref()?;
        if let (Kept::Made(whole), []) = (whole, &self.deltas[..]) {
            return Some(Ok(whole.clone()));
        }
        Some(self.merge(env_id, whole.frame()))
    }

    fn merge(&self, env_id: EnvId, received: &Bytes) -> Result<Whole, MakeError> {
        let whole = decode(env_id, received)?;
        let whole = match whole {
            Push::Snapshot(snapshot, _) if self.deltas.is_empty() => sdk::snapshot(snapshot),
            // Its digest is not read where deltas follow.
            Push::Snapshot(snapshot, digest) => {
                let keys = Vec::new();
                Push::Snapshot(Snapshot { keys, ..snapshot }, digest)
            }
            other => other,
        };
        let deltas = self.deltas.iter().map(|delta| decode(env_id, delta));
        let push = merge([Ok(whole)].into_iter().chain(deltas))?;
        let last = signed::signature(self.deltas.last().unwrap_or(received))?;
        let frame = signed::with(frame::encode(&push)?, last.as_ref()).into();
        let Push::Snapshot(Snapshot { head, .. }, digest) = push else {
            return Err(Damaged("no whole environment").into());
        };
        Ok(Whole {
            version: head.version,
            tag: sdk::tag(head.version, digest),
            frame,
        })
    }
}

impl Kept {
    fn frame(&self) -> &Bytes {
        match self {
            Self::Received(frame) | Self::Made(Whole { frame, .. }) => frame,
        }
    }
}

impl Slot {
    /// The environment as SDKs get it, of at least the version that is wanted. Whoever asks first has it made, within the
    /// organization's permits, and the others wait for that.
    pub(crate) async fn whole(
        self: &Arc<Self>,
        wanted: Version,
        permits: &Limiter<OrgId>,
        org_id: OrgId,
    ) -> Result<Option<Whole>, Full> {
        if let Some(made) = self.source.made(wanted) {
            return Ok(Some(made));
        }
        let making = Arc::clone(&self.source.making).lock_owned().await;
        if let Some(made) = self.source.made(wanted) {
            return Ok(Some(made));
        }
        let slot = Arc::clone(self);
        let make = move || {
            let _until_made = making;
            slot.source.make(slot.env_id)
        };
        permits.run(org_id, make).await
    }

    /// Has the frames become one later if they grew beyond their bounds; one environment after the other.
    pub(super) fn shorten(self: Arc<Self>, turns: &Arc<Semaphore>) -> Option<JoinHandle<()>> {
        if !self.source.is_long() || self.source.is_to_be_made.swap(true, Ordering::AcqRel) {
            return None;
        }
        let Ok(runtime) = Handle::try_current() else {
            self.make_now();
            return None;
        };
        let turns = Arc::clone(turns);
        Some(runtime.spawn(async move {
            let _turn = turns.acquire().await.expect("it is never closed");
            // Somebody who makes it now has it shortened as well.
            if let Ok(making) = Arc::clone(&self.source.making).try_lock_owned() {
                let slot = Arc::clone(&self);
                let made = spawn_blocking(move || {
                    let _until_made = making;
                    slot.source.make(slot.env_id);
                });
                if let Err(error) = made.await {
                    tracing::error!(env.id = %self.env_id, error = chain(&error), "frames were not merged");
                }
            }
            self.source.is_to_be_made.store(false, Ordering::Release);
        }))
    }

    fn make_now(&self) {
        self.source.make(self.env_id);
        self.source.is_to_be_made.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests;
