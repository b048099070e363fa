//! Grants: what a member, a custom role or an access token may change in a protected environment without approval, within a budget.
//!
//! A grant stands for an approval, and for nothing else: who may not change the state at all is refused before grants are looked at.
//! They are spent under the project's lock, in the transaction of the change, so that many holders at once never exceed one.

pub mod change;
mod clauses;
pub mod input;
pub mod model;
mod moved;
mod spend;
pub mod store;
mod widened;

pub(crate) use self::{
    spend::{Purse, Spent, spend},
    widened::{Guarded, adds_tags},
};
