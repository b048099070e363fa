//! Shared by the routes of all domains: authorization, reports in answers, words of refusals.

pub mod access;
pub mod behalf;
mod device;
mod dry_run;
pub mod fields;
mod found;
pub mod openapi;
mod part;
mod prefer;
mod published;
pub mod rates;
pub mod tags;
mod warned;

pub(crate) use self::{
    access::{
        Access, AnyPlan, AnyRole, BySession, CustomRoles, Editor, Manager, Mfa, Owner, Scim,
        ScimClient, SignInProviders, declare::endpoints,
    },
    device::FromDevice,
    dry_run::{DryRunQuery, Outcome},
    part::{AskedPart, NextPart, PartQuery},
    published::Published,
    tags::{IfMatch, IfNoneMatch, Tagged, Versioned},
    warned::Warned,
};

/// The endpoints of a domain.
pub type Routes = utoipa_axum::router::OpenApiRouter<crate::state::AppState>;
