//! `halyard account`: accounts that an operator opens.

use std::{
    io::{self, BufRead, Read},
    sync::Arc,
};

use crate::{
    accounts::{self, AccountCommand},
    config::Settings,
};
use anyhow::Context;
use base::{db::Db, mail::Mailer, waker::Waker};
use domain::{
    accounts::{Accounts, tokens::Tokens},
    mfa::Mfa,
};
use serving::{clock::Clock, settings::ProcessVariables};
use tokio_util::task::TaskTracker;

/// Upper bound on the bytes of a password.
const LONGEST_LINE: u64 = 8_192;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    command: AccountCommand,
}

pub(super) async fn run(args: Args) -> anyhow::Result<()> {
    let (settings, _) = Settings::load(&ProcessVariables)?;
    let AccountCommand::Create(new) = &args.command;
    let password = new.password_stdin.then(first_line).transpose()?;
    let db = Db::connect(&settings.database, Waker::new()).await?;
    let accounts = accounts(&settings, &db);
    let (api, clock) = (&settings.urls.api, Clock::system());
    let text = accounts::run(args.command, password, &accounts, api, &clock).await?;
    print!("{text}");
    Ok(())
}

/// The accounts service outside of a running control plane.
pub(super) fn accounts(settings: &Settings, db: &Db) -> Accounts {
    let secret = &settings.publish.app_secret;
    Accounts::new(
        db.clone(),
        Arc::new(Tokens::new(&settings.tokens)),
        Arc::new(Mfa::new(db.clone(), secret)),
        Mailer::new(secret, settings.mail.rates),
        &settings.setup_of_accounts(),
        TaskTracker::new(),
    )
}

fn first_line() -> anyhow::Result<String> {
    let mut line = String::new();
    io::stdin()
        .lock()
        .take(LONGEST_LINE)
        .read_line(&mut line)
        .context("reading the password")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
