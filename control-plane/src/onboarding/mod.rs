//! First steps of an organization, as its members tick them off. The service never ticks a step itself: that is up to
//! the client.

pub mod model;
pub mod routes;
mod store;

use time::OffsetDateTime;

use self::model::{Onboarding, Steps};
use crate::{
    db::{self, Db},
    ids::OrgId,
};

/// Marks steps as done, or not done. An update without steps changes nothing. Steps are not audited.
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
