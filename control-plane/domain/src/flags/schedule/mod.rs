//! Scheduled enabling and disabling: the leader sleeps until the next due time, and toggles the flag then.
//!
//! Each due time fires once, in time order. Firing is a transaction under the project's lock, which reads the state, toggles it
//! by its earliest due time, and clears that time: a second attempt, on any replica, does nothing. The leader processes due
//! times organization by organization: within one they fire in order, and waiting for a lock does not delay the others. Due
//! times that passed while no replica ran, and those set in the past, fire at the next check.

mod retries;
mod store;

use std::{collections::BTreeMap, sync::Arc};

use futures_util::{StreamExt, stream};
use serving::{clock::Clock, error::chain};
use time::OffsetDateTime;
use tokio::{sync::Mutex, time::timeout};

use self::{retries::Retries, store::Due};
use super::change::{self, Place};
use crate::{environments, events::Actor, unit::Unit};
use base::{
    clocks::Clocks,
    db::{self, Db},
    ids::{FlagStateId, OrgId},
    jobs::{Job, RunsOn, SECOND},
    refusal::Refusal,
};

#[derive(Debug)]
pub struct Schedules {
    db: Db,
    clock: Clock,
    clocks: Clocks,
    retries: Mutex<Retries>,
}

#[derive(Debug, thiserror::Error)]
enum FireError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("not done in time")]
    TooSlow(#[from] tokio::time::error::Elapsed),
}

/// A firing without effect counts as successful.
type Outcome = (FlagStateId, Result<(), FireError>);

impl Schedules {
    pub fn new(db: Db, clock: Clock) -> Self {
        Self {
            db,
            clocks: Clocks::new(clock.clone()),
            clock,
            retries: Mutex::default(),
        }
    }

    pub fn job(db: Db, clock: Clock) -> Job {
        let waker = db.changed().clone();
        let schedules = Arc::new(Self::new(db, clock));
        Job::new(
            "fire_schedules",
            // In case a wake-up was lost or the system clock was corrected.
            5 * SECOND,
            RunsOn::Leader,
            schedules,
            Self::fire_due,
        )
        .woken_by(&waker)
        .meanwhile("schedules wait for the database")
    }

    /// Fires all that is due now, except for recent failures, and returns when to check again. Safe on several replicas at
    /// once.
    pub async fn fire_due(self: Arc<Self>) -> db::Result<Option<OffsetDateTime>> {
        let mut retries = self.retries.lock().await;
        self.fire(&mut retries).await
    }

    async fn fire(&self, retries: &mut Retries) -> db::Result<Option<OffsetDateTime>> {
        loop {
            let now = self.clock.now();
            let mut tx = self.db.begin_reading_by_index().await?;
            let due = store::list_due(&mut tx, now, &retries.waiting(now)).await?;
            if due.is_empty() {
                let next = store::next_after(&mut tx, now).await?;
                return Ok([next, retries.next_after(now)].into_iter().flatten().min());
            }
            // Firing too early is irreversible, and a leader notices only later that its clock is wrong.
            if let Err(error) = self.clocks.compare(db::now(&mut tx).await?) {
                tracing::error!(error = chain(&error), "no schedule fires");
                return Ok(None);
            }
            drop(tx);
            for (id, outcome) in self.fire_all(due).await {
                match outcome {
                    Ok(()) => retries.succeeded(id),
                    Err(error) => {
                        metrics::counter!("halyard_schedule_failures_total").increment(1);
                        let error = chain(&error);
                        tracing::error!(flag_state.id = %id, error, "a schedule did not fire; retrying");
                        retries.failed(id, self.clock.now());
                    }
                }
            }
        }
    }

    async fn fire_all(&self, due: Vec<Due>) -> Vec<Outcome> {
        let mut by_org = BTreeMap::<OrgId, Vec<Due>>::new();
        for due in due {
            by_org.entry(due.org_id).or_default().push(due);
        }
        let firing = stream::iter(by_org.into_values()).map(|due| self.fire_in_order(due));
        // Four organizations at the same time.
        firing.buffer_unordered(4).concat().await
    }

    async fn fire_in_order(&self, due: Vec<Due>) -> Vec<Outcome> {
        let mut outcomes = Vec::<Outcome>::with_capacity(due.len());
        for due in due {
            let has_failed = |(id, outcome): &Outcome| *id == due.id && outcome.is_err();
            if outcomes.iter().any(has_failed) {
                continue;
            }
            // One that takes longer is cancelled and retried later.
            let fired = timeout(2 * SECOND, self.fire_one(&due)).await;
            outcomes.push((due.id, fired.map_err(Into::into).flatten()));
        }
        outcomes
    }

    async fn fire_one(&self, due: &Due) -> Result<(), FireError> {
        let actor = Actor::System;
        let mut unit = Unit::begin(&self.db, due.org_id, actor, self.clock.now()).await?;
        let found = environments::store::find_project(&mut unit, due.org_id, due.env_id).await?;
        let Some(project_id) = found else {
            return Ok(());
        };
        let Some(mut project) = unit.lock_project(&self.clock, project_id).await? else {
            return Ok(());
        };
        let place = Place {
            flag_id: due.flag_id,
            env_id: due.env_id,
        };
        let toggled = match change::toggle_as_scheduled(&mut project, place).await {
            Ok(Some(toggled)) => toggled,
            Ok(None) | Err(Refusal::Gone(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let now = unit.now();
        let state = unit.commit(toggled).await?.made;

        let (flag, env, enabled) = (due.flag_id, due.env_id, state.enabled);
        tracing::info!(flag.id = %flag, env.id = %env, enabled, "flag toggled as scheduled");
        let late = (now - due.due_at).as_seconds_f64();
        metrics::histogram!("halyard_schedule_lateness_seconds").record(late);
        Ok(())
    }
}
