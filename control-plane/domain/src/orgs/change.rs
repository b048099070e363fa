//! Changing the name and the plan of an organization.

use std::time::Duration;

use serde_json::json;
use serving::clock::Clock;

use super::{
    model::{Organization, Plan},
    store,
};
use crate::{
    events::{Action, Actor, Event, Subject},
    unit::{Committed, OrgChange, Recorded, Unit},
};
use base::{
    db::{self, Db},
    refusal::Refusal,
};

/// Renames the organization, and returns it with the plan in effect. Its slug stays: operators name it by that. Records nothing
/// if it has that name.
pub async fn rename(
    change: &mut OrgChange<'_>,
    name: String,
) -> Result<Recorded<Organization>, Refusal> {
    let (org_id, now) = (change.org_id(), change.now());
    let before = change.org().clone();
    let mut after = Organization {
        plan: before.plan.at(before.trial_expires_at, now),
        ..before.clone()
    };
    if before.name == name {
        return Ok(change.unchanged(after));
    }
    store::update_name(change, org_id, &name, now).await?;
    (after.name, after.updated_at) = (name, now);
    let [old, new] = [&before.name, &after.name].map(|name| json!({"name": name}));
    let subject = Subject::Org(org_id);
    let event = Event::updated(Action::OrganizationUpdated, subject, &old, &new);
    Ok(change.record(event, after).await?)
}

/// Puts the organization on a plan. A paid one restores it from deletion for inactivity. `None` if it already is on that plan.
pub async fn set_plan(change: &mut OrgChange<'_>, plan: Plan) -> db::Result<Option<Recorded<()>>> {
    let (org_id, now) = (change.org_id(), change.now());
    let before = change.org().plan;
    if before == plan {
        return Ok(None);
    }
    store::update_plan(change, org_id, plan, now).await?;
    let [before, after] = [before, plan].map(|plan| json!({"plan": plan}));
    let subject = Subject::Org(org_id);
    let event = Event::updated(Action::BillingPlanChanged, subject, &before, &after);
    Ok(Some(change.record(event, ()).await?))
}

#[derive(Debug)]
pub struct PlanSet {
    pub org: Organization,
    pub before: Plan,
}

/// Sets the plan of the organization with this id or slug, as an operator. An ended trial restarts, for `trial_length`. `None`
/// if there is no such organization.
pub async fn set_plan_as_operator(
    db: &Db,
    clock: &Clock,
    id_or_slug: &str,
    plan: Plan,
    trial_length: Duration,
) -> db::Result<Option<PlanSet>> {
    let mut tx = db.begin().await?;
    let now = clock.now();
    let Some(mut org) = store::find_by_name_for_update(&mut tx, id_or_slug).await? else {
        return Ok(None);
    };
    let before = org.plan.at(org.trial_expires_at, now);
    let mut unit = Unit::within(tx, org.id, Actor::Operator, now);
    let mut change = unit.lock_org(clock).await?;
    if plan == Plan::Trial && org.trial_expires_at.is_none_or(|end| end <= now) {
        let end = now + trial_length;
        store::update_trial(&mut change, org.id, end).await?;
        org.trial_expires_at = Some(end);
        if org.plan == Plan::Trial {
            // The end counts before the job stores it.
            store::update_plan(&mut change, org.id, before, now).await?;
            change = unit.lock_org(clock).await?;
        }
    }
    if let Some(changed) = set_plan(&mut change, plan).await? {
        let Committed { .. } = unit.commit(changed).await?;
    } else {
        unit.commit_unrecorded().await?;
    }
    org.plan = plan;
    Ok(Some(PlanSet { org, before }))
}
