//! First steps of an organization, as its members tick them off. The service ticks one itself: a plan was chosen, once it
//! is paid for.

pub mod model;
pub mod routes;
mod store;

use time::OffsetDateTime;

use self::model::{Onboarding, Steps};
use crate::{
    db::{self, Db, Tx},
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

/// Marks that a plan was chosen: somebody paid for it.
pub async fn select_plan(tx: &mut Tx, org_id: OrgId, now: OffsetDateTime) -> db::Result<()> {
    let mut onboarding = store::get_for_update(tx, org_id, now).await?;
    if !onboarding.plan_selected {
        onboarding.apply(Steps::PLAN_SELECTED, now);
        store::update(tx, &onboarding).await?;
    }
    Ok(())
}
