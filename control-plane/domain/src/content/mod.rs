//! All definitions of a project at once: environments, segments, flags and states, read page by page and written as one change.
//!
//! A change is planned without a lock, from one view of the database: all bodies are checked there. Under the project's lock it is
//! written only if the project still has the version of that view.

mod apply;
mod approvals;
mod changes;
pub mod conflicts;
mod granted;
pub mod input;
pub mod model;
mod named;
mod overlay;
pub mod parts;
mod plan;
mod read;
mod rights;
mod store;

pub use self::{
    apply::{Acting, Tried, apply},
    plan::{
        Plan,
        found::{Found, find},
    },
    read::{After, page},
    rights::reads_all,
};
