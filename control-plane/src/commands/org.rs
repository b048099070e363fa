//! `halyard org`: what an operator changes about an organization.

use anyhow::{Context, bail};
use clap::{Subcommand, ValueEnum};
use control_plane::orgs::{self, model::Plan};
use serving::clock::Clock;

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
    let found = orgs::set_plan(&db, &org, plan.into(), Clock::system().now())
        .await
        .context("setting the plan")?;
    if !found {
        bail!("no organization has the id or slug `{org}`");
    }
    Ok(())
}
