//! Flags whose states in two environments differ.

pub mod model;
mod store;

use serving::page::{Page, Paged};

use self::model::Differing;
use super::states::store as states;
use base::{
    db::{self, Db},
    ids::{EnvId, OrgId, ProjectId},
};

/// Reads a page from one snapshot, in the order of keys.
pub async fn page(
    db: &Db,
    org_id: OrgId,
    project_id: ProjectId,
    (from, to): (EnvId, EnvId),
    page: Page,
) -> db::Result<Paged<Differing>> {
    let mut tx = db.begin_reading().await?;
    let (flags, total) = store::differing(&mut tx, org_id, project_id, (from, to), page).await?;
    let ids: Vec<_> = flags.iter().map(|flag| flag.id).collect();
    let states = states::find_in(&mut tx, org_id, &ids, &[from, to]).await?;
    let differing = Differing::with_states(flags, states, from);
    Ok(Paged::new(differing, total, page))
}
