//! What tenants could do to others: each abuse runs for a while against a control plane and an edge of their own, beside a
//! quiet tenant whose answers are timed. `./dev abuse [NAME…]` builds what is abused, and runs this.
//!
//! It asserts nothing: times depend on the machine. The bounds themselves are held by the tests that `docs/reliability.md`
//! names.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "people read what it finds"
)]

mod abuses;
mod attacker;
mod measure;
mod quiet;

use std::env;
use std::process::ExitCode;

use abuses::{
    answers, explain, keys, lists, mail, patterns, readers, sign_in, usage, work, writers,
};
use measure::{Abuse, Plan};

/// Runs them in this order.
macro_rules! abuses {
    ($($abuse:ty),+ $(,)?) => {
        const NAMES: &[&str] = &[$(<$abuse as Abuse>::NAME),+];

        async fn run(plan: &Plan) {
            $(plan.run::<$abuse>().await;)+
        }
    };
}

abuses![
    patterns::Compiled,
    patterns::LongTexts,
    work::LongVersions,
    work::LargeSegments,
    work::LongLists,
    work::WholeAnswers,
    lists::Duplicates,
    writers::OfOneProject,
    answers::LargeAuditPages,
    readers::ThatDoNotRead,
    answers::LongNumbers,
    explain::ManyAtOnce,
    sign_in::LongPasswords,
    sign_in::FailedLogins,
    mail::Invitations,
    usage::Flushes,
    keys::Rotations,
];

#[tokio::main]
async fn main() -> ExitCode {
    // Cargo adds arguments of its own.
    let wanted = env::args().skip(1).filter(|name| !name.starts_with('-'));
    let plan = match Plan::new(wanted.collect(), NAMES) {
        Ok(plan) => plan,
        Err(unknown) => {
            eprintln!("{unknown}");
            return ExitCode::FAILURE;
        }
    };
    plan.explain().await;
    run(&plan).await;
    ExitCode::SUCCESS
}
