//! First steps of an organization. The service ticks some of them in the transaction that completes them: a flag is created,
//! edges report the use of a key or an evaluation, a plan is paid for. Members may tick and untick any.
//!
//! Completed steps cost no lock: reporters first check whether a step is still awaited.

pub mod model;
pub mod store;

use std::collections::BTreeMap;

use sqlx::PgConnection;
use time::OffsetDateTime;

use self::model::{Onboarding, Step, Steps};
use base::{
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

pub async fn select_plan(tx: &mut Tx, org_id: OrgId, now: OffsetDateTime) -> db::Result<()> {
    let mut onboarding = store::get_for_update(tx, org_id, now).await?;
    if !onboarding.plan_selected {
        onboarding.apply(Steps::PLAN_SELECTED, now);
        store::update(tx, &onboarding).await?;
    }
    Ok(())
}

/// The organizations in which a flag was evaluated, according to their steps.
pub async fn list_evaluated(conn: &mut PgConnection, org_ids: &[OrgId]) -> db::Result<Vec<OrgId>> {
    if org_ids.is_empty() {
        return Ok(Vec::new());
    }
    store::list_evaluated(conn, org_ids).await
}

pub async fn note_flag(tx: &mut Tx, org_id: OrgId, now: OffsetDateTime) -> db::Result<()> {
    if store::awaits_flag(tx, org_id).await? {
        tick(tx, org_id, &[Step::FirstFlag], now).await?;
    }
    Ok(())
}

/// Marks the awaited steps of organizations. Locks them in one order.
pub async fn note_all(
    tx: &mut Tx,
    seen: &BTreeMap<OrgId, Vec<Step>>,
    now: OffsetDateTime,
) -> db::Result<()> {
    for (org_id, steps) in seen {
        tick(tx, *org_id, steps, now).await?;
    }
    Ok(())
}

async fn tick(tx: &mut Tx, org_id: OrgId, steps: &[Step], now: OffsetDateTime) -> db::Result<()> {
    let mut onboarding = store::get_for_update(tx, org_id, now).await?;
    if onboarding.tick(steps, now) {
        store::update(tx, &onboarding).await?;
    }
    Ok(())
}
