//! The versions that a unit of work makes, until its commit.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{
    model::{MAX_BYTES, NewVersion},
    store,
};
use crate::{events::Actor, unit::ProjectChange};
use base::{
    db,
    ids::{FlagId, OrgId, ProjectId},
};

/// Versions that go at once where an organization has too much: more than a change makes.
const AT_ONCE: i64 = 5_000;

/// What is not written yet. It is written last, all by one statement, since it locks a row that all changes of the organization
/// come by.
#[derive(Debug, Default)]
pub struct Unwritten {
    project_id: Option<ProjectId>,
    versions: Vec<NewVersion>,
    /// What is written already and the organization is not charged with yet.
    bytes: i64,
}

impl Unwritten {
    /// Adds versions of flags of the project.
    pub fn add(&mut self, project_id: ProjectId, versions: impl IntoIterator<Item = NewVersion>) {
        self.project_id = Some(project_id);
        self.versions.extend(versions);
    }

    /// Writes what there is and charges the organization. Where that has too much, its oldest versions go.
    pub async fn write(
        self,
        conn: &mut PgConnection,
        org_id: OrgId,
        actor: Actor,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        let Some(project_id) = self.project_id.filter(|_| !self.versions.is_empty()) else {
            return Ok(());
        };
        let kept = store::insert(
            conn,
            org_id,
            project_id,
            &self.versions,
            actor,
            now,
            self.bytes,
        )
        .await?;
        if kept > MAX_BYTES {
            store::delete_oldest(conn, org_id, kept - MAX_BYTES, AT_ONCE).await?;
        }
        Ok(())
    }
}

/// Keeps what the states of a flag are, which is about to be deleted.
pub async fn keep_states(change: &mut ProjectChange<'_>, flag_id: FlagId) -> db::Result<()> {
    let (org_id, now) = (change.org_id(), change.now());
    let bytes = store::keep_states(change, org_id, flag_id, now).await?;
    change.unwritten().bytes += bytes;
    Ok(())
}
