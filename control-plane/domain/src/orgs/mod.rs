//! Organizations: the tenants, and what their plan allows.

mod allowance;
pub mod change;
mod create;
mod feature;
pub mod model;
pub mod store;

pub use self::{
    allowance::Counted,
    create::create,
    feature::{CUSTOM_ROLES, Feature, MFA, SCIM, require},
};
