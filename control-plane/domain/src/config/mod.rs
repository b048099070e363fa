//! Settings of the domains (`docs/settings.md`).

mod accounts;
mod audit;
mod billing;
mod lifecycle;
mod migration;
mod proofs;
mod sales;
mod scim;
mod sign_in;
mod signup;
mod tokens;
mod usage;
mod webhooks;

pub use self::{
    accounts::{AccountSettings, data_regions, trial_length},
    audit::AuditSettings,
    billing::{BillingSettings, FormGatewaySettings, RedirectGatewaySettings},
    lifecycle::LifecycleSettings,
    migration::MigrationSettings,
    proofs::ProofSettings,
    sales::SalesSettings,
    scim::ScimSettings,
    sign_in::{LockoutSettings, SignInSettings},
    signup::{FirstPlan, SignupPolicy},
    tokens::TokenSettings,
    usage::UsageSettings,
    webhooks::WebhookSettings,
};
