//! An environment as it is served, for those who inspect it instead of serving it.

use std::sync::Arc;

use protocol::snapshot::Snapshot;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::{
    Publisher,
    compile::{self, load},
};
use crate::{blocking::blocking, db, ids::EnvId};

/// An environment can be 48 MiB: only a few of these at a time, however many are requested.
const AT_ONCE: usize = 2;

/// Room for [`Whole`]s.
#[derive(Clone, Debug)]
pub(super) struct Room(Arc<Semaphore>);

impl Default for Room {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(AT_ONCE)))
    }
}

/// An environment compiled from the database just now. Others wait for its room: drop it soon.
#[derive(Debug)]
pub struct Whole {
    /// Its contents.
    pub snapshot: Snapshot,
    _permit: OwnedSemaphorePermit,
}

impl Publisher {
    /// Compiles an environment; waits while others are being compiled. `None` if it is gone. Not tenant-scoped: the
    /// caller has found the environment in its organization.
    pub async fn compile(&self, env_id: EnvId) -> db::Result<Option<Whole>> {
        let room = Arc::clone(&self.0.room.0);
        let permit = room
            .acquire_owned()
            .await
            .expect("the semaphore is never closed");
        let Some(rows) = load::whole(&self.0.db, env_id).await? else {
            return Ok(None);
        };
        let snapshot = blocking(move || compile::snapshot(env_id, rows)).await;
        Ok(Some(Whole {
            snapshot,
            _permit: permit,
        }))
    }
}
