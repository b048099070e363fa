//! `halyard edge`: which edges may join.

use control_plane::{
    config::{AppEnv, PublishSettings, data_regions},
    edges::commands::{self, EdgeCommand},
};
use serving::{
    clock::Clock,
    settings::{ProcessVariables, Reader},
};

use super::database;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: EdgeCommand,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let env = reader.parse("APP_ENV", AppEnv::Development);
    let settings = PublishSettings::load(&mut reader, env);
    let regions = data_regions(&mut reader);
    reader.finish()?;
    let db = database().await?;
    let text = commands::run(args.command, &db, &settings, &regions, &Clock::system()).await?;
    print!("{text}");
    Ok(())
}
