//! What tenants could do to others: each abuse runs for a while against a control plane and an edge of their own, beside a
//! quiet tenant whose answers are timed. `./dev abuse [NAME…]` builds what is abused, and runs this.
//!
//! It asserts nothing: times depend on the machine. The bounds themselves are held by the tests that `docs/reliability.md`
//! names.

#![expect(clippy::print_stdout, reason = "people read what it finds")]

mod abuses;
mod attacker;
mod measure;
mod quiet;

use std::env;

use abuses::{answers, explain, keys, lists, mail, patterns, sign_in, usage, writers};
use measure::Plan;

#[tokio::main]
async fn main() {
    // Cargo adds arguments of its own.
    let wanted = env::args().skip(1).filter(|name| !name.starts_with('-'));
    let plan = Plan::new(wanted.collect());
    plan.explain();
    plan.run::<patterns::Compiled>().await;
    plan.run::<patterns::LongTexts>().await;
    plan.run::<lists::Duplicates>().await;
    plan.run::<writers::OfOneProject>().await;
    plan.run::<answers::LargeAuditPages>().await;
    plan.run::<answers::ReadersThatDoNotRead>().await;
    plan.run::<answers::LongNumbers>().await;
    plan.run::<explain::ManyAtOnce>().await;
    plan.run::<sign_in::LongPasswords>().await;
    plan.run::<sign_in::FailedLogins>().await;
    plan.run::<mail::Invitations>().await;
    plan.run::<usage::Flushes>().await;
    plan.run::<keys::Rotations>().await;
}
