//! Features that depend on the plan.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{model::Plan, store};
use base::{ids::OrgId, refusal::Refusal};

#[derive(Debug)]
pub struct Feature {
    /// The lowest plan that includes it.
    pub plan: Plan,
    pub refusal: &'static str,
}

/// Roles of the organization's own.
pub const CUSTOM_ROLES: Feature = Feature {
    plan: Plan::Enterprise,
    refusal: "custom roles require the enterprise plan",
};

pub const MFA: Feature = Feature {
    plan: Plan::Pro,
    refusal: "mfa requires the pro plan",
};

/// Provisioning by an identity provider.
pub const SCIM: Feature = Feature {
    plan: Plan::Enterprise,
    refusal: "scim requires the enterprise plan",
};

/// Sign-in by providers of the organization's own.
pub const SIGN_IN_PROVIDERS: Feature = Feature {
    plan: Plan::Enterprise,
    refusal: "sign-in providers require the enterprise plan",
};

/// Refuses organizations whose plan at `now` lacks the feature.
pub async fn require(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
    feature: &Feature,
) -> Result<(), Refusal> {
    feature.allow(store::current_plan(conn, org_id, now).await?)
}

impl Feature {
    pub fn allow(&self, plan: Plan) -> Result<(), Refusal> {
        if plan.includes(self.plan) {
            Ok(())
        } else {
            Err(Refusal::Plan(self.refusal))
        }
    }
}
