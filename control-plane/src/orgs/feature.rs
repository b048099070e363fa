//! Features that a plan has or lacks.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{model::Plan, store};
use crate::{db, ids::OrgId};

/// A feature, and which plans have it.
#[derive(Debug)]
pub struct Feature {
    /// The least plan that has it.
    pub plan: Plan,
    /// What the others are told.
    pub refusal: &'static str,
}

/// Roles of the organization's own.
pub const CUSTOM_ROLES: Feature = Feature {
    plan: Plan::Enterprise,
    refusal: "custom roles require the enterprise plan",
};

/// A second factor at sign-in.
pub const MFA: Feature = Feature {
    plan: Plan::Pro,
    refusal: "mfa requires the pro plan",
};

/// Why a feature is closed.
#[derive(Debug, thiserror::Error)]
pub enum FeatureError {
    /// The plan lacks it, in the words of the feature.
    #[error("{0}")]
    Lacking(&'static str),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Passes organizations whose plan, as it counts at `now`, has the feature.
pub async fn require(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
    feature: &Feature,
) -> Result<(), FeatureError> {
    let plan = store::current_plan(conn, org_id, now).await?;
    if plan.includes(feature.plan) {
        Ok(())
    } else {
        Err(FeatureError::Lacking(feature.refusal))
    }
}
