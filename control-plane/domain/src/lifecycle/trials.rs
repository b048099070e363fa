//! The end of a trial: announced before, then stored as the Free plan.
//!
//! The end takes effect on time, whatever is stored ([`crate::orgs::model::Plan::at`]). It is stored, recorded and mailed once,
//! by a request of the organization or the job, whichever comes first.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{Lifecycle, store};
use crate::{
    events::Actor,
    orgs::{change::set_plan, model::Plan},
    unit::{Committed, Unit},
};
use base::{
    db,
    ids::OrgId,
    jobs::sweep::{Sweep, SweepError, sweep},
    mail::Template,
    refusal::Refusal,
};

impl Lifecycle {
    /// Announces trials that end soon, and stores those that have ended.
    pub async fn end_trials(&self) -> Result<(), SweepError> {
        let ended = sweep(&self.db, &Ended(self, self.clock.now())).await;
        let announced = if self.settings.trial_notice.is_zero() {
            Ok(())
        } else {
            sweep(&self.db, &Ending(self, self.clock.now())).await
        };
        ended.and(announced)
    }

    /// Puts the organization on the Free plan, if its trial has ended.
    pub async fn end_trial(&self, org_id: OrgId) -> db::Result<()> {
        let mut unit = Unit::begin(&self.db, org_id, Actor::System, self.clock.now()).await?;
        let mut change = unit.lock_org(&self.clock).await?;
        let org = change.org();
        let in_effect = org.plan.at(org.trial_expires_at, change.now());
        if (org.plan, in_effect) != (Plan::Trial, Plan::Free) {
            return Ok(());
        }
        let name = org.name.clone();
        let Some(ended) = set_plan(&mut change, Plan::Free).await? else {
            return Ok(());
        };
        let mail = Template::TrialEnded {
            organization: &name,
            link: &self.billing_link(),
        };
        self.enqueue(&mut change, org_id, &mail).await?;
        let Committed { .. } = unit.commit(ended).await?;
        metrics::counter!("halyard_trials_ended_total").increment(1);
        tracing::info!(org.id = %org_id, "a trial has ended");
        Ok(())
    }

    /// Mails the owners that the trial ends soon, once.
    async fn announce_end(&self, org_id: OrgId) -> db::Result<()> {
        let mut unit = Unit::begin(&self.db, org_id, Actor::System, self.clock.now()).await?;
        let mut change = unit.lock_org(&self.clock).await?;
        let now = change.now();
        let notice = self.settings.trial_notice;
        if !store::trials::note_notice(&mut change, org_id, notice, now).await? {
            return Ok(());
        }
        let org = change.org().clone();
        let Some(end) = org.trial_expires_at else {
            return Ok(());
        };
        let mail = Template::TrialEnding {
            organization: &org.name,
            date: end.date(),
            link: &self.billing_link(),
        };
        self.enqueue(&mut change, org_id, &mail).await?;
        unit.commit_unrecorded().await
    }
}

struct Ended<'a>(&'a Lifecycle, OffsetDateTime);

impl Sweep for Ended<'_> {
    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        store::trials::list_ended(conn, self.1, after).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        Ok(self.0.end_trial(org_id).await?)
    }
}

struct Ending<'a>(&'a Lifecycle, OffsetDateTime);

impl Sweep for Ending<'_> {
    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        let notice = self.0.settings.trial_notice;
        store::trials::list_ending(conn, notice, self.1, after).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        Ok(self.0.announce_end(org_id).await?)
    }
}
