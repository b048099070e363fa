//! Flags that may go, with the reasons.

pub mod input;
pub mod model;
mod store;

use serving::page::{Page, Paged};
use time::OffsetDateTime;

use self::{input::StaleFilter, model::StaleFlags};
use super::model::Step;
use crate::projects;
use base::{
    db::Reading,
    ids::{OrgId, ProjectId},
    refusal::{Missing, Refusal},
};

/// Reads a page: flags with a reason that holds in all environments first, each by key.
pub async fn read(
    tx: &mut Reading,
    org_id: OrgId,
    project_id: ProjectId,
    filter: &StaleFilter,
    page: Page,
    now: OffsetDateTime,
) -> Result<StaleFlags, Refusal> {
    let project = projects::store::find(tx, org_id, project_id).await?;
    project.ok_or(Missing::Project)?;
    let unused_since = now - filter.age;
    let since = store::Since {
        unused: unused_since,
        day: Step::Day.floor(unused_since),
    };
    let found = store::list(tx, org_id, project_id, filter, page, since).await?;
    Ok(StaleFlags {
        page: Paged::new(found.flags, found.total, page),
        undistinguished: found.undistinguished,
    })
}
