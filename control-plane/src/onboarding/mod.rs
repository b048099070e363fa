//! First steps of an organization, as its members tick them off. Nothing else ticks them: what happened elsewhere is for
//! the caller to notice.

pub mod model;
pub mod routes;
mod store;

use time::OffsetDateTime;

use self::model::{Onboarding, Steps};
use crate::{
    db::{self, Db},
    ids::OrgId,
};

/// Marks steps as done, or takes them back. An update that names none changes nothing. The audit trail knows nothing of steps.
pub async fn update(
    db: &Db,
    org_id: OrgId,
    steps: Steps,
    now: OffsetDateTime,
) -> db::Result<Onboarding> {
    let mut tx = db.begin().await?;
    if steps.are_none() {
        return store::get(&mut tx, org_id).await;
    }
    let mut onboarding = store::get_for_update(&mut tx, org_id, now).await?;
    onboarding.apply(steps, now);
    store::update(&mut tx, &onboarding).await?;
    tx.commit().await?;
    Ok(onboarding)
}
