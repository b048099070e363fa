//! An environment as it is served, for those who inspect it instead of serving it.

use std::time::Duration;

use super::{
    Publisher,
    compile::{self, load},
};
use base::{
    blocking::blocking,
    db,
    ids::{EnvId, OrgId},
    refusal::Refusal,
    shares::{Full, Place, Queue, Shares},
};
use protocol::snapshot::Snapshot;

/// An environment can be 48 MiB: only a few of these at a time, however many are requested.
const AT_ONCE: usize = 2;
/// One organization leaves a place for another.
const SHARE: usize = 1;
/// A page that explains a flag in each of its environments is answered, one after the other.
const QUEUE: Queue = Queue {
    each: 16,
    all: 256,
    patience: Duration::from_secs(10),
};
/// When to try again what there was no room for.
const PAUSE: Duration = Duration::from_secs(1);

/// Room for [`Whole`]s.
#[derive(Clone, Debug)]
pub(super) struct Room(Shares);

impl Default for Room {
    fn default() -> Self {
        Self(Shares::with_queue(AT_ONCE, SHARE, QUEUE))
    }
}

/// An environment compiled from the database just now. Others wait for its room: drop it soon.
#[derive(Debug)]
pub struct Whole {
    /// Its contents.
    pub snapshot: Snapshot,
    _place: Place,
}

impl Publisher {
    /// Compiles an environment; waits while others of the organization are being compiled. `None` if it is gone. Not
    /// tenant-scoped: the caller has found the environment in its organization.
    pub async fn compile(&self, org_id: OrgId, env_id: EnvId) -> Result<Option<Whole>, Refusal> {
        let place = self.0.room.0.enter(org_id).await.map_err(refuse)?;
        let db = self.0.db.clone();
        // In a task of its own. It uses connections of publishing: the organization may have none free, and would keep its room
        // while it waits for one. And it counts until it has ended, if nobody waits for it any more.
        let compiling = tokio::spawn(async move {
            let Some(rows) = load::whole(&db, env_id).await? else {
                return Ok(None);
            };
            let snapshot = blocking(move || compile::snapshot(env_id, rows)).await;
            Ok::<_, db::Error>(Some(Whole {
                snapshot,
                _place: place,
            }))
        });
        match compiling.await {
            Ok(compiled) => Ok(compiled?),
            Err(ended) => Err(Refusal::Fault(ended.into())),
        }
    }
}

fn refuse(full: Full) -> Refusal {
    match full {
        Full::Share => Refusal::TooMany {
            words: "too many explanations at once",
            retry_after: PAUSE,
        },
        Full::All => Refusal::Unavailable {
            words: "too many explanations are being made, please try again",
            retry_after: Some(PAUSE),
        },
    }
}
