//! The permanent deletion of an organization, in steps that are each a transaction. An interrupted deletion leaves an
//! inaccessible organization, and the next run continues it.
//!
//! Accounts are deleted first, one at a time, including those provisioned for former members by the identity provider; members
//! of another organization keep theirs. Then the projects, so that edges are notified of each; then the audit log and the
//! reports of imports, in batches; finally the organization itself.

use std::time::Duration;

use sqlx::PgConnection;

use super::{Lifecycle, store};
use crate::{
    accounts::{self, store::users},
    audit,
    events::Actor,
    flags::{history, states},
    members, migration, projects, scim,
    unit::{Committed, Unit},
    usage,
};
use base::{
    db::{self, Tx},
    ids::{OrgId, ProjectId, UserId},
    jobs::sweep::{BATCH, Sweep, SweepError, sweep},
    refusal::Refusal,
};

/// Rows per transaction.
const ENTRIES: i64 = 10_000;

impl Lifecycle {
    pub async fn purge_organizations(&self) -> Result<(), SweepError> {
        sweep(&self.db, &Purged(self)).await
    }

    /// Deletes only the projects, so that edges stop serving them before the accounts are deleted.
    pub async fn withdraw_organizations(&self) -> Result<(), SweepError> {
        sweep(&self.db, &Withdrawn(self)).await
    }

    async fn withdraw(&self, org_id: OrgId) -> Result<(), Refusal> {
        let projects = {
            let mut conn = self.db.acquire().await?;
            projects::store::list_ids(&mut conn, org_id).await?
        };
        for project_id in projects {
            self.purge_project(org_id, project_id).await?;
        }
        Ok(())
    }

    async fn purge(&self, org_id: OrgId) -> Result<(), Refusal> {
        loop {
            let members = {
                let mut conn = self.db.acquire().await?;
                members::store::list_user_ids(&mut conn, org_id, BATCH).await?
            };
            if members.is_empty() {
                break;
            }
            for user_id in members {
                self.purge_member(org_id, user_id).await?;
            }
        }
        self.purge_provisioned(org_id).await?;
        self.withdraw(org_id).await?;
        self.purge_large_tables(org_id).await?;
        self.purge_rest(org_id).await
    }

    /// Deletes the account, or only the membership of a user who is also a member elsewhere.
    async fn purge_member(&self, org_id: OrgId, user_id: UserId) -> Result<(), Refusal> {
        let mut tx = self.db.begin().await?;
        if delete_unless_member_elsewhere(&mut tx, user_id, org_id).await? {
            return Ok(tx.commit().await?);
        }
        // Roll back: the account stays.
        drop(tx);
        let mut tx = self.db.begin().await?;
        members::store::delete_of_user(&mut tx, org_id, user_id).await?;
        accounts::delete::end_sessions(&mut tx, user_id, org_id).await?;
        Ok(tx.commit().await?)
    }

    /// Deletes the unclaimed accounts that the organization's identity provider created, of users without a membership. Claimed
    /// accounts stay, as do those of other former members.
    async fn purge_provisioned(&self, org_id: OrgId) -> Result<(), Refusal> {
        loop {
            let made_here = {
                let mut conn = self.db.acquire().await?;
                scim::store::list_made_here(&mut conn, org_id, BATCH).await?
            };
            if made_here.is_empty() {
                return Ok(());
            }
            for user_id in made_here {
                let mut tx = self.db.begin().await?;
                let account = users::find_credentials_of(&mut tx, user_id).await?;
                let is_claimed = account.is_some_and(|found| found.password_hash.is_some());
                if is_claimed || !delete_unless_member_elsewhere(&mut tx, user_id, org_id).await? {
                    // Roll back: the account stays.
                    drop(tx);
                    tx = self.db.begin().await?;
                    scim::store::delete(&mut tx, org_id, user_id).await?;
                }
                tx.commit().await?;
            }
        }
    }

    async fn purge_project(&self, org_id: OrgId, project_id: ProjectId) -> Result<(), Refusal> {
        let mut unit = Unit::begin(&self.db, org_id, Actor::System, self.clock.now()).await?;
        let Some(mut project) = unit.lock_project(&self.clock, project_id).await? else {
            return Ok(());
        };
        let deleted = projects::change::delete(&mut project).await?;
        let Committed { .. } = unit.commit(deleted).await?;
        Ok(())
    }

    /// Deletes the large tables in batches: states and histories of flags, audit entries, evaluation series, and lines of
    /// import reports.
    async fn purge_large_tables(&self, org_id: OrgId) -> db::Result<()> {
        let mut conn = self.db.acquire().await?;
        while states::store::delete_removed(&mut conn, ENTRIES).await? > 0 {}
        while history::store::delete_of_org(&mut conn, org_id, ENTRIES).await? > 0 {}
        while audit::store::delete_of_org(&mut conn, org_id, ENTRIES).await? > 0 {}
        usage::forget_organization(&mut conn, org_id).await?;
        while migration::store::delete_items_of_org(&mut conn, org_id, ENTRIES).await? > 0 {}
        Ok(())
    }

    async fn purge_rest(&self, org_id: OrgId) -> Result<(), Refusal> {
        let mut tx = self.db.begin().await?;
        let is_deleted = store::purge::delete(&mut tx, org_id).await?;
        tx.commit().await?;
        if is_deleted {
            metrics::counter!("halyard_organizations_deleted_total", "how" => "permanent")
                .increment(1);
            tracing::info!(org.id = %org_id, "an organization was deleted permanently");
        }
        Ok(())
    }
}

/// Deletes the account and all data stored under its address. Returns `false` if the account is a member of another organization,
/// or is provisioned by the identity provider of another one; the caller must then roll back.
pub async fn delete_unless_member_elsewhere(
    tx: &mut Tx,
    user_id: UserId,
    org_id: OrgId,
) -> db::Result<bool> {
    if !accounts::delete::begin(tx, user_id).await? {
        return Ok(true);
    }
    if members::store::is_member_elsewhere(tx, user_id, org_id).await?
        || scim::store::is_known_elsewhere(tx, user_id, org_id).await?
    {
        return Ok(false);
    }
    users::delete(tx, user_id).await?;
    Ok(true)
}

struct Purged<'a>(&'a Lifecycle);

impl Sweep for Purged<'_> {
    // It may have millions of rows. Completed batches stay deleted: the next run continues.
    const PATIENCE: Duration = Duration::from_secs(10 * 60);

    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        store::purge::list(conn, after).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        self.0.purge(org_id).await
    }
}

struct Withdrawn<'a>(&'a Lifecycle);

impl Sweep for Withdrawn<'_> {
    // A project may have many flags, and an organization many projects.
    const PATIENCE: Duration = Purged::PATIENCE;

    async fn list(&self, conn: &mut PgConnection, after: OrgId) -> db::Result<Vec<OrgId>> {
        store::purge::list(conn, after).await
    }

    async fn apply(&self, org_id: OrgId) -> Result<(), Refusal> {
        self.0.withdraw(org_id).await
    }
}
