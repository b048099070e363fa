//! `halyard org`: what an operator changes about an organization.

use anyhow::Context;
use clap::{Subcommand, ValueEnum};
use control_plane::{
    config::trial_length,
    orgs::{change, model::Plan},
};
use serving::{
    clock::Clock,
    settings::{ProcessVariables, Reader},
};

use super::database;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Set what an organization may use
    SetPlan {
        /// Id or slug
        org: String,
        plan: PlanName,
    },
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PlanName {
    Trial,
    Free,
    Pro,
    Enterprise,
}

impl From<PlanName> for Plan {
    fn from(name: PlanName) -> Self {
        match name {
            PlanName::Trial => Self::Trial,
            PlanName::Free => Self::Free,
            PlanName::Pro => Self::Pro,
            PlanName::Enterprise => Self::Enterprise,
        }
    }
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let Command::SetPlan { org, plan } = args.command;
    let db = database().await?;
    let mut reader = Reader::new(&ProcessVariables);
    let trial_length = trial_length(&mut reader);
    reader.finish()?;
    let clock = Clock::system();
    change::set_plan_as_operator(&db, &clock, &org, plan.into(), trial_length)
        .await
        .context("setting the plan")?
        .with_context(|| format!("no organization has the id or slug `{org}`"))?;
    Ok(())
}
