//! Features of plans that a handler's signature can name.

use domain::orgs::{self, Feature};

/// A required feature of plans.
pub trait PlanGate: Send + Sync + 'static {
    /// The feature; `None` for every plan.
    const FEATURE: Option<&'static Feature>;
}

#[derive(Clone, Copy, Debug)]
pub struct AnyPlan;

impl PlanGate for AnyPlan {
    const FEATURE: Option<&'static Feature> = None;
}

/// Plans with custom roles.
#[derive(Clone, Copy, Debug)]
pub struct CustomRoles;

impl PlanGate for CustomRoles {
    const FEATURE: Option<&'static Feature> = Some(&orgs::CUSTOM_ROLES);
}

/// Plans with provisioning by an identity provider.
#[derive(Clone, Copy, Debug)]
pub struct Scim;

impl PlanGate for Scim {
    const FEATURE: Option<&'static Feature> = Some(&orgs::SCIM);
}

/// Plans with sign-in by providers.
#[derive(Clone, Copy, Debug)]
pub struct SignInProviders;

impl PlanGate for SignInProviders {
    const FEATURE: Option<&'static Feature> = Some(&orgs::SIGN_IN_PROVIDERS);
}

/// Plans with a second factor.
#[derive(Clone, Copy, Debug)]
pub struct Mfa;

impl PlanGate for Mfa {
    const FEATURE: Option<&'static Feature> = Some(&orgs::MFA);
}
