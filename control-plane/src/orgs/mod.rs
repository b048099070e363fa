//! Organizations: the tenants, and what their plan allows.

mod create;
mod feature;
pub mod model;
pub mod store;

pub use self::{
    create::create,
    feature::{CUSTOM_ROLES, Feature, FeatureError, MFA, require},
};

use serde_json::json;
use time::OffsetDateTime;

use self::model::Plan;
use crate::{
    audit::{
        self,
        model::{Actor, Entry},
    },
    db::{self, Db},
};

/// Sets the plan of the organization with this id or slug, as an operator. `false` when there is none.
///
/// # Errors
/// When the database fails.
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
    let entry = Entry::new(org.id, Actor::System, "billing.plan_changed")
        .on(org.id)
        .before(&json!({"plan": org.plan}))
        .after(&json!({"plan": plan}));
    audit::store::record(&mut tx, entry, now).await?;
    tx.commit().await?;
    Ok(true)
}
