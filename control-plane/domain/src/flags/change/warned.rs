//! Warnings about a state before it is written.

use std::collections::HashSet;

use sqlx::PgConnection;

use crate::{flags::warnings::Suspects, segments};
use base::{
    db,
    ids::{OrgId, ProjectId},
    warning::Warning,
};

/// The warnings that apply in a project.
pub async fn warnings(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    suspects: &Suspects<'_>,
) -> db::Result<Vec<Warning>> {
    let keys = suspects.segment_keys();
    let known = if keys.is_empty() {
        Vec::new()
    } else {
        segments::store::known_keys(conn, org_id, project_id, &keys).await?
    };
    let known: HashSet<_> = known.iter().map(String::as_str).collect();
    Ok(suspects.warnings(&known))
}
