//! Deletes the states and counters of removed environments.
//!
//! There may be very many, and a project is locked while an environment of it is deleted. Neither can be reached once the
//! environment is gone, so they are deleted later, in batches.

use std::time::Duration;

use crate::{flags::states, usage};
use base::{
    db::{self, Db},
    jobs::{Job, RunsOn::Leader as OnLeader},
    waker::Waker,
};

/// Interval of checking for removals by other replicas.
const EVERY: Duration = Duration::from_secs(10 * 60);

/// States per transaction.
const BATCH: i64 = 5_000;

/// Wakes the job after removals. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Removals(Waker);

impl Removals {
    /// Call it after the commit that removed environments.
    pub fn wake(&self) {
        self.0.wake();
    }

    /// The job that deletes the remains.
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
