//! Flags with their effect in each environment: one request per screen of rows instead of hundreds of requests for flags and
//! states.

pub mod filter;
pub mod model;
mod store;

use serving::page::{Page, Paged};
use time::{Duration, OffsetDateTime};

use self::{
    filter::Filter,
    model::{Overview, Row},
};
use crate::projects;
use base::{
    db::Db,
    ids::{OrgId, ProjectId},
    refusal::{Missing, Refusal},
};

/// A flag that was not used for so long is stale.
pub(crate) const STALE_AFTER: Duration = Duration::days(30);

/// Reads a page from one snapshot.
pub async fn read(
    db: &Db,
    org_id: OrgId,
    project_id: ProjectId,
    filter: &Filter,
    page: Page,
    now: OffsetDateTime,
) -> Result<Overview, Refusal> {
    let mut tx = db.begin_reading().await?;
    let environments = store::environments(&mut tx, org_id, project_id).await?;
    // Only a project whose environments were all deleted has none.
    if environments.is_empty() {
        let project = projects::store::find(&mut tx, org_id, project_id).await?;
        project.ok_or(Missing::Project)?;
    }
    if let Some(env_id) = filter.env_id
        && !environments
            .iter()
            .any(|environment| environment.id == env_id)
    {
        return Err(Missing::Environment.into());
    }
    let unused_since = now - STALE_AFTER;
    let (flags, total) =
        store::flags(&mut tx, org_id, project_id, filter, page, unused_since).await?;
    let ids: Vec<_> = flags.iter().map(|flag| flag.id).collect();
    let states = store::states(&mut tx, org_id, &ids).await?;
    let tags = store::tags(&mut tx, org_id, project_id).await?;
    Ok(Overview {
        page: Paged::new(Row::with_states(flags, states), total, page),
        environments,
        tags,
    })
}
