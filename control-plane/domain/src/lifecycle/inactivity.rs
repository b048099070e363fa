//! Free organizations without logins: warned, deleted restorably, warned again, and then handed over to the permanent deletion
//! ([`super::purge`]). [`super::model`] decides which step is due.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{
    Lifecycle,
    model::{Standing, Step},
    store,
};
use crate::{
    events::{Action, Actor, Event, Subject},
    orgs::activity,
    unit::{Committed, OrgChange, Unit},
};
use base::{
    db,
    ids::OrgId,
    jobs::sweep::{Sweep, SweepError, sweep},
    mail::Template,
    refusal::Refusal,
};

impl Lifecycle {
    /// Takes the next step for every inactive organization that is due.
    pub async fn retire_inactive(&self) -> Result<(), SweepError> {
        if self.settings.inactivity_limit.is_zero() {
            return Ok(());
        }
        sweep(&self.db, &Inactive(self, self.clock.now())).await
    }

    async fn retire(&self, org_id: OrgId) -> db::Result<()> {
        let mut unit = Unit::begin(&self.db, org_id, Actor::System, self.clock.now()).await?;
        // Before the organization, as logins do.
        if !activity::lock(&mut unit, org_id).await? {
            return Ok(());
        }
        let mut change = unit.lock_org(&self.clock).await?;
        let now = change.now();
        let Some(standing) = store::inactivity::find_standing(&mut change, org_id).await? else {
            return Ok(());
        };
        match standing.next_step(&self.settings, now) {
            None => Ok(()),
            Some(Step::Warn(date)) => {
                self.warn(&mut change, &standing, date).await?;
                unit.commit_unrecorded().await
            }
            Some(Step::SoftDelete) => {
                store::inactivity::soft_delete(&mut change, org_id, now).await?;
                let event = Event::new(Action::OrganizationSoftDeleted, Subject::Org(org_id));
                let deleted = change.record(event, ()).await?;
                let Committed { .. } = unit.commit(deleted).await?;
                metrics::counter!("halyard_organizations_deleted_total", "how" => "soft")
                    .increment(1);
                tracing::info!(org.id = %org_id, "an inactive organization was deleted; a login restores it");
                Ok(())
            }
            Some(Step::WarnOfPurge(date)) => {
                self.warn_of_purge(&mut change, &standing, date).await?;
                unit.commit_unrecorded().await
            }
            Some(Step::Purge) => {
                store::purge::begin(&mut change, org_id, now).await?;
                unit.commit_unrecorded().await?;
                tracing::info!(org.id = %org_id, "the permanent deletion of an organization begins");
                Ok(())
            }
        }
    }

    async fn warn(
        &self,
        change: &mut OrgChange<'_>,
        standing: &Standing,
        date: OffsetDateTime,
    ) -> db::Result<()> {
        let (org_id, now) = (change.org_id(), change.now());
        let name = change.org().name.clone();
        store::inactivity::note_deletion_warning(change, org_id, now).await?;
        let mail = Template::DeletionWarning {
            organization: &name,
            last_login: standing.last_login_at.date(),
            date: date.date(),
            grace: self.settings.inactivity_grace,
            link: &self.login_link(),
        };
        self.enqueue(change, org_id, &mail).await
    }

    async fn warn_of_purge(
        &self,
        change: &mut OrgChange<'_>,
        standing: &Standing,
        date: OffsetDateTime,
    ) -> db::Result<()> {
        let (org_id, now) = (change.org_id(), change.now());
        let name = change.org().name.clone();
        store::inactivity::note_purge_warning(change, org_id, now).await?;
        let mail = Template::PurgeWarning {
            organization: &name,
            last_login: standing.last_login_at.date(),
            date: date.date(),
            link: &self.login_link(),
        };
        self.enqueue(change, org_id, &mail).await
    }
}

struct Inactive<'a>(&'a Lifecycle, OffsetDateTime);

impl Sweep for Inactive<'_> {
    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        store::inactivity::list_inactive(conn, &self.0.settings, self.1, after).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        Ok(self.0.retire(org_id).await?)
    }
}
