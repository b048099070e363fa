//! The history of flags: versions that a unit of work adds. They are written at its commit, by one statement, since it locks a
//! row that all changes of the organization contend for.

use serde_json::Value;
use sqlx::{PgConnection, types::Json};
use time::OffsetDateTime;

use super::{ProjectChange, Unit, store};
use crate::events::{Action, Actor};
use base::{
    db,
    ids::{ApprovalId, EnvId, FlagId, OrgId, ProjectId},
    input::Comment,
};

/// Versions kept of a flag's own fields, and of its state in each environment.
pub(super) const MAX_VERSIONS: i64 = 200;

/// Bytes that the versions of an organization may take.
pub(crate) const MAX_BYTES: i64 = 1024 * 1024 * 1024;

/// Versions that a commit deletes at most, when an organization has too many bytes: more than a change adds.
const AT_ONCE: i64 = 5_000;

/// A version of a flag's own fields, or of its state in an environment.
#[derive(Debug)]
pub struct NewVersion {
    pub flag_id: FlagId,
    /// `None` for the flag's own fields.
    pub env_id: Option<EnvId>,
    pub action: Action,
    /// The approved request.
    pub approval_id: Option<ApprovalId>,
    pub difference: Difference,
}

impl NewVersion {
    /// A version of a flag's own fields.
    pub const fn of_flag(flag_id: FlagId, action: Action, difference: Difference) -> Self {
        Self {
            flag_id,
            env_id: None,
            action,
            approval_id: None,
            difference,
        }
    }
}

/// The difference from the version before.
#[derive(Debug, Default, PartialEq)]
pub struct Difference {
    /// The names of the changed fields.
    pub changed: Vec<&'static str>,
    /// Their values before; `None` if the flag or the state did not exist.
    pub before: Option<Value>,
}

/// Versions of a project that are not written yet, as columns of their table.
#[derive(Debug, Default)]
pub(super) struct PendingVersions {
    pub(super) project_id: Option<ProjectId>,
    pub(super) flags: Vec<FlagId>,
    pub(super) envs: Vec<Option<EnvId>>,
    pub(super) actions: Vec<String>,
    pub(super) approvals: Vec<Option<ApprovalId>>,
    pub(super) changed: Vec<Json<Vec<&'static str>>>,
    pub(super) before: Vec<Option<Value>>,
    /// Growth of stored versions that the organization is not charged with yet.
    pub(super) bytes: i64,
}

impl PendingVersions {
    fn add(&mut self, version: NewVersion) {
        self.flags.push(version.flag_id);
        self.envs.push(version.env_id);
        self.actions.push(version.action.as_str().to_owned());
        self.approvals.push(version.approval_id);
        self.changed.push(Json(version.difference.changed));
        self.before.push(version.difference.before);
    }

    /// Writes them and charges the organization. If it has too many bytes then, deletes its oldest versions.
    pub(super) async fn write(
        &self,
        conn: &mut PgConnection,
        org_id: OrgId,
        actor: Actor,
        comment: Option<&Comment>,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        if self.flags.is_empty() {
            return Ok(());
        }
        let excess = store::insert(conn, org_id, self, actor, comment, now).await? - MAX_BYTES;
        if excess > 0 {
            store::delete_oldest(conn, org_id, excess, AT_ONCE).await?;
        }
        Ok(())
    }
}

impl ProjectChange<'_> {
    /// Adds versions to the history of the project's flags, written at the commit.
    pub fn add_versions(&mut self, versions: impl IntoIterator<Item = NewVersion>) {
        let project_id = self.held.id;
        let pending = &mut self.unit.pending_versions;
        pending.project_id = Some(project_id);
        for version in versions {
            pending.add(version);
        }
    }

    /// Writes the versions so far. The commit writes one version of each part of a flag: call this between two changes of the
    /// same part.
    pub async fn write_versions(&mut self) -> db::Result<()> {
        let Unit {
            tx,
            org_id,
            actor,
            now,
            pending_versions,
            comment,
            ..
        } = &mut *self.unit;
        let pending = std::mem::take(pending_versions);
        pending
            .write(tx, *org_id, *actor, comment.as_ref(), *now)
            .await
    }

    /// Charges the organization for stored versions that grew by `bytes`, at the commit.
    pub const fn charge_history(&mut self, bytes: i64) {
        self.unit.pending_versions.bytes += bytes;
    }

    /// Lets the history of the project's flags expire, before the project is deleted.
    pub async fn expire_history(&mut self) -> db::Result<()> {
        let (org_id, project_id) = (self.org_id(), self.held.id);
        store::expire_of_project(self, org_id, project_id).await
    }
}
