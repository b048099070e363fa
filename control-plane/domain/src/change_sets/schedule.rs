//! Applying sets at their times: the leader sleeps until the next one, and applies it by the right that its scheduler has then.
//!
//! One that is refused then has failed, says why, and stays as it is; one that meets a fault, or a busy project, is tried again.

use std::{net::Ipv4Addr, sync::Arc};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serving::{clock::Clock, error::chain};
use time::OffsetDateTime;

use super::{
    apply::{Applying, event},
    model::Status,
    store::{self, Due},
};
use crate::{
    approvals::mail::Announcements,
    events::{Action, Actor},
    members::{
        self,
        caller::{Caller, Credential},
    },
    unit::{Expected, Unit},
};
use base::{
    clocks::Clocks,
    config::UrlSettings,
    db::{self, Db},
    ids::FamilyId,
    jobs::{Job, RunsOn, SECOND},
    limits::Limiter,
    mail::Mailer,
    refusal::Refusal,
};

const GONE: Refusal =
    Refusal::Forbidden("whoever scheduled it is no longer a member of the organization");

/// What the job needs.
pub struct ChangeSets {
    db: Db,
    clock: Clock,
    clocks: Clocks,
    mailer: Mailer,
    urls: Arc<UrlSettings>,
    content_writes: Limiter,
}

impl ChangeSets {
    pub fn job(
        db: Db,
        clock: Clock,
        mailer: Mailer,
        urls: Arc<UrlSettings>,
        content_writes: Limiter,
    ) -> Job {
        let waker = db.changed().clone();
        let sets = Arc::new(Self {
            db,
            clocks: Clocks::new(clock.clone()),
            clock,
            mailer,
            urls,
            content_writes,
        });
        Job::new(
            "apply_change_sets",
            // In case a wake-up was lost, and for those to be tried again.
            5 * SECOND,
            RunsOn::Leader,
            sets,
            Self::apply_due,
        )
        .woken_by(&waker)
        .meanwhile("change sets wait for the database")
    }

    /// Applies what is due now, and returns when the next one is. Safe on several replicas at once.
    pub async fn apply_due(self: Arc<Self>) -> db::Result<Option<OffsetDateTime>> {
        loop {
            let now = self.clock.now();
            let mut tx = self.db.begin_reading_by_index().await?;
            let due = store::list_due(&mut tx, now).await?;
            let next = store::next_after(&mut tx, now).await?;
            if due.is_empty() {
                return Ok(next);
            }
            if let Err(error) = self.clocks.compare(db::now(&mut tx).await?) {
                tracing::error!(error = chain(&error), "no change set is applied");
                return Ok(None);
            }
            drop(tx);
            // Four organizations at the same time.
            let applied = stream::iter(due).map(|one| self.apply(one));
            let applied: Vec<_> = applied.buffer_unordered(4).try_collect().await?;
            if applied.contains(&false) {
                // The next run tries it again.
                return Ok(next);
            }
        }
    }

    /// Whether it is done with, one way or the other.
    async fn apply(&self, due: Due) -> db::Result<bool> {
        match self.try_to_apply(due).await {
            Ok(()) => {
                let late = (self.clock.now() - due.apply_at).as_seconds_f64();
                metrics::histogram!("halyard_schedule_lateness_seconds").record(late);
                tracing::info!(change_set.id = %due.id, "change set applied as scheduled");
                Ok(true)
            }
            Err(
                refusal @ (Refusal::Database(_)
                | Refusal::Fault(_)
                | Refusal::TooMany { .. }
                | Refusal::Unavailable { .. }),
            ) => {
                metrics::counter!("halyard_schedule_failures_total").increment(1);
                let error = chain(&refusal);
                tracing::error!(change_set.id = %due.id, error, "a change set was not applied; retrying");
                Ok(false)
            }
            Err(refusal) => {
                self.fail(due, &refusal).await?;
                Ok(true)
            }
        }
    }

    async fn try_to_apply(&self, due: Due) -> Result<(), Refusal> {
        let _place = self.content_writes.enter(due.org_id).await?;
        let caller = self.caller(due).await?;
        let applying = Applying {
            db: &self.db,
            clock: &self.clock,
            caller: &caller,
            project_id: due.project_id,
            id: due.id,
            expected: &Expected::Any,
            seen_version: None,
            actor: Actor::System,
            comment: None,
            announcements: Announcements {
                mailer: &self.mailer,
                urls: &self.urls,
            },
        };
        let (unit, recorded) = applying.run().await?;
        drop(unit.commit(recorded).await?);
        Ok(())
    }

    async fn begin(&self, due: Due) -> db::Result<Unit> {
        Unit::begin(&self.db, due.org_id, Actor::System, self.clock.now()).await
    }

    /// The member by whose right it is applied, as they are now.
    async fn caller(&self, due: Due) -> Result<Caller, Refusal> {
        let Due {
            org_id,
            scheduled_by,
            ..
        } = due;
        let mut conn = self.db.acquire().await?;
        let standing = members::store::find_standing(&mut conn, org_id, scheduled_by).await?;
        drop(conn);
        let (member_id, role, permissions) = standing.ok_or(GONE)?;
        let now = self.clock.now();
        Ok(Caller {
            user_id: scheduled_by,
            org_id,
            member_id,
            role,
            permissions: permissions.map(Into::into),
            // Only sessions schedule; which one it was does not matter.
            credential: Credential::Session(FamilyId::new(now)),
            token_ends_at: now,
            ip: Ipv4Addr::UNSPECIFIED.into(),
        })
    }

    /// Notes that it could not be applied, unless somebody has changed it meanwhile.
    async fn fail(&self, due: Due, refusal: &Refusal) -> db::Result<()> {
        let mut unit = self.begin(due).await?;
        let locked = store::lock(&mut unit, due.org_id, due.project_id, due.id).await?;
        let is_due = |set: &super::model::ChangeSet| {
            set.status == Status::Scheduled && set.apply_at == Some(due.apply_at)
        };
        let Some(before) = locked.filter(is_due) else {
            return Ok(());
        };
        let mut after = before.clone();
        after.status = Status::Failed;
        after.failure = Some(refusal.to_string());
        after.touch(unit.now());
        store::update(&mut unit, due.org_id, &after).await?;
        let event = event(Action::ChangeSetFailed, &before, &after);
        let recorded = unit.record(event, ()).await?;
        drop(unit.commit(recorded).await?);
        tracing::warn!(change_set.id = %due.id, error = chain(refusal), "a change set could not be applied at its time");
        Ok(())
    }
}
