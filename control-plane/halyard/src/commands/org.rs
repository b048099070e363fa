//! `halyard org`: organizations, as operators see and change them.

use crate::orgs::{self, CommandSettings, OrgCommand};
use domain::{lifecycle::settings::LifecycleSettings, orgs::settings::trial_length};
use serving::{
    clock::Clock,
    settings::{ProcessVariables, Reader},
};

use super::database;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: OrgCommand,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let settings = CommandSettings {
        trial_length: trial_length(&mut reader),
        lifecycle: LifecycleSettings::load(&mut reader),
    };
    reader.finish()?;
    let db = database().await?;
    let text = orgs::run(args.command, &db, &settings, &Clock::system()).await?;
    print!("{text}");
    Ok(())
}
