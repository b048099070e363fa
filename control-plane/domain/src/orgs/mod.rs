//! Organizations: the tenants, and the limits of their plans.

pub mod activity;
mod allowance;
pub mod change;
mod create;
mod feature;
pub mod model;
pub mod operate;
pub mod settings;
pub mod store;

pub use self::{
    allowance::Counted,
    create::create,
    feature::{CUSTOM_ROLES, Feature, MFA, SCIM, SIGN_IN_PROVIDERS, require},
};
