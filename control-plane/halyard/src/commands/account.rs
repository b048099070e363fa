//! `halyard account`: accounts, as operators open and help them.

use std::io::{self, BufRead, Read};

use crate::{
    accounts::{self, AccountCommand},
    config::Settings,
    service::sign_in,
};
use anyhow::Context;
use base::{db::Db, waker::Waker};
use serving::{clock::Clock, settings::ProcessVariables};
use tokio_util::task::TaskTracker;

pub(super) async fn run(command: AccountCommand) -> anyhow::Result<()> {
    let (settings, _) = Settings::load(&ProcessVariables)?;
    let password = match &command {
        AccountCommand::Create(new) if new.password_stdin => Some(first_line()?),
        _ => None,
    };
    let db = Db::connect(&settings.database, Waker::new()).await?;
    let (accounts, ..) = sign_in(&settings, &db, TaskTracker::new());
    let (api, clock) = (&settings.urls.api, Clock::system());
    let text = accounts::run(command, password, &db, &accounts, api, &clock).await?;
    print!("{text}");
    Ok(())
}

fn first_line() -> anyhow::Result<String> {
    let mut line = String::new();
    io::stdin()
        .lock()
        // Longer than any password.
        .take(8_192)
        .read_line(&mut line)
        .context("reading the password")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
