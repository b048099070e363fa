//! Organizations: the tenants, and what their plan allows.

mod allowance;
mod create;
mod feature;
pub mod model;
pub mod store;

pub use self::{
    allowance::Counted,
    create::create,
    feature::{CUSTOM_ROLES, Feature, MFA, require},
};

use serde_json::json;
use time::OffsetDateTime;

use self::model::Plan;
use crate::{
    db::{self, Db},
    events::{self, Action, Actor, Event, Subject},
};

/// Sets the plan of the organization with this id or slug, as an operator. `false` when there is none.
pub async fn set_plan(
    db: &Db,
    id_or_slug: &str,
    plan: Plan,
    now: OffsetDateTime,
) -> db::Result<bool> {
    let mut tx = db.begin().await?;
    let Some(org) = store::find_by_name_for_update(&mut tx, id_or_slug).await? else {
        return Ok(false);
    };
    store::update_plan(&mut tx, org.id, plan, now).await?;
    let [before, after] = [org.plan, plan].map(|plan| json!({"plan": plan}));
    let subject = Subject::Org(org.id);
    let event = Event::updated(Action::BillingPlanChanged, subject, &before, &after);
    events::record(&mut tx, org.id, Actor::System, event, now).await?;
    tx.commit().await?;
    Ok(true)
}
