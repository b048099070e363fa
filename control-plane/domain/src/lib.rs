//! Halyard's domains, a folder each: `model` (types and pure rules), `input` (bodies and their checks), `change` (operations),
//! `store` (SQL). The crate is independent of HTTP.

// `sqlx.toml` refers to types by crate name, also within that crate.
extern crate self as domain;

pub mod access_tokens;
pub mod accounts;
pub mod api_keys;
pub mod approvals;
pub mod audit;
pub mod billing;
pub mod change_sets;
pub mod content;
pub mod dry_run;
pub mod environments;
pub mod events;
pub mod flags;
pub mod grants;
pub mod lifecycle;
pub mod me;
pub mod members;
pub mod mfa;
pub mod migration;
pub mod onboarding;
pub mod orgs;
pub mod projects;
pub mod references;
pub mod rehearsals;
pub mod roles;
pub mod sales;
pub mod sampling;
pub mod scim;
pub mod search;
pub mod segments;
pub mod service_accounts;
pub mod sessions;
pub mod sign_in;
pub mod team;
pub mod unit;
pub mod usage;
pub mod version;
pub mod webhooks;
pub mod what_if;
