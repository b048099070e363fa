//! `halyard edge`: the edges that may join.

use std::env;

use crate::edges::{self, EdgeCommand, Installation};
use base::config::{AppEnv, quic_addr};
use domain::accounts::settings::data_regions;
use publish::config::PublishSettings;
use serving::{
    clock::Clock,
    settings::{ProcessVariables, Reader},
};

use super::database;

pub(super) async fn run(command: EdgeCommand) -> anyhow::Result<()> {
    if command.is_done() {
        return Ok(());
    }
    let mut reader = Reader::new(&ProcessVariables);
    let env = reader.parse("APP_ENV", AppEnv::Development);
    let settings = PublishSettings::load(&mut reader, env);
    let regions = data_regions(&mut reader);
    let link = quic_addr(&mut reader);
    reader.finish()?;
    let db = database().await?;
    let installation = Installation {
        settings: &settings,
        regions: &regions,
        link,
        program: &program(),
    };
    let text = edges::run(command, &db, installation, &Clock::system()).await?;
    print!("{text}");
    Ok(())
}

/// The edge's program beside this one, where both are installed together; else its name.
fn program() -> String {
    const NAME: &str = "halyard-edge";
    let beside = env::current_exe().map(|this| this.with_file_name(NAME));
    match beside {
        Ok(program) if program.is_file() => program.to_string_lossy().into_owned(),
        _ => NAME.to_owned(),
    }
}
