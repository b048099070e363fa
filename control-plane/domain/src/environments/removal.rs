//! Deletes what removed environments leave behind: their states, and what was counted in them.
//!
//! There may be very much of both, and a project is locked while an environment of it is deleted. Nothing finds either once
//! the environment is gone, so they can go later, in batches.

use std::time::Duration;

use crate::{flags::states, usage};
use base::{
    db::{self, Db},
    jobs::{Job, RunsOn::Leader as OnLeader},
    waker::Waker,
};

/// What other replicas removed is found after this time.
const EVERY: Duration = Duration::from_secs(10 * 60);

/// States per transaction.
const BATCH: i64 = 5_000;

/// Where handlers say that environments were removed. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Removals(Waker);

impl Removals {
    /// Environments are gone: call it after the commit.
    pub fn tell(&self) {
        self.0.wake();
    }

    /// Deletes what they leave behind.
    pub fn job(&self, db: Db) -> Job {
        Job::new(
            "forget_removed_environments",
            EVERY,
            OnLeader,
            db,
            async |db| forget(&db).await,
        )
        .woken_by(&self.0)
        .meanwhile("states and counters of environments that are gone are kept for longer")
    }
}

async fn forget(db: &Db) -> db::Result<()> {
    let mut conn = db.acquire().await?;
    while states::store::delete_removed(&mut conn, BATCH).await? > 0 {}
    drop(conn);
    usage::forget_removed(db).await
}
