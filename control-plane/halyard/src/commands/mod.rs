//! The commands of `halyard`. Results go to standard output, everything else to standard error.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "commands talk to the operator's terminal"
)]

mod account;
mod backup;
mod edge;
mod health;
mod mail;
mod migrate;
mod org;
mod secret;
mod seed;
mod serve;
mod signing_key;

use std::process::ExitCode;

use anyhow::Context;
use base::{
    db::{self, Db},
    waker::Waker,
};
use clap::{Parser, Subcommand};
use serving::{
    build,
    error::chain,
    settings::{Problems, ProcessVariables, Reader},
};

use crate::{
    accounts::AccountCommand,
    backup::{Backup, Restore},
    edges::EdgeCommand,
    mails::MailCommand,
    orgs::OrgCommand,
    standalone,
};

/// Halyard's control plane. Settings are environment variables: docs/settings.md.
#[derive(Debug, Parser)]
#[command(name = "halyard", version = build::text())]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API, the built-in edge and the link for separate edges
    Serve,
    /// Bring the database's schema up to date
    Migrate(migrate::Args),
    /// Create the demo account, unless it is there, and print how to use it as JSON
    Seed,
    /// Manage the edges that may join
    #[command(subcommand)]
    Edge(EdgeCommand),
    /// Open accounts, and help those who cannot sign in
    #[command(subcommand)]
    Account(AccountCommand),
    /// See and change organizations
    #[command(subcommand)]
    Org(OrgCommand),
    /// See the mail that waits, and send it now
    #[command(subcommand)]
    Mail(MailCommand),
    /// Replace `APP_SECRET`
    #[command(subcommand)]
    Secret(secret::SecretCommand),
    /// The keys that what edges and SDKs are sent is signed with
    #[command(subcommand)]
    SigningKey(signing_key::SigningKeyCommand),
    /// Write the database into a file
    Backup(Backup),
    /// Restore it from such a file, in one transaction
    Restore(Restore),
    /// Ask a running control plane whether it is ready (for containers)
    Health,
    /// Print the API document
    Openapi,
}

pub fn run(cli: Cli) -> ExitCode {
    let provider = rustls::crypto::aws_lc_rs::default_provider();
    provider
        .install_default()
        .expect("nobody installed a provider before main");

    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build();
    let result = match runtime {
        Ok(runtime) => runtime.block_on(dispatch(cli.command)),
        Err(error) => Err(error).context("starting the runtime"),
    };
    match result {
        Ok(status) => status,
        Err(error) => {
            eprintln!("halyard: {}", chain(error.as_ref()));
            if error.is::<Problems>() {
                ExitCode::from(2)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

async fn dispatch(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve => serve::run().await,
        Command::Migrate(args) => return migrate::run(args).await,
        Command::Seed => seed::run().await,
        Command::Edge(command) => edge::run(command).await,
        Command::Account(command) => account::run(command).await,
        Command::Org(command) => org::run(command).await,
        Command::Mail(command) => mail::run(command).await,
        Command::Secret(command) => secret::run(command).await,
        Command::SigningKey(command) => signing_key::run(command).await,
        Command::Backup(arguments) => backup::back_up(arguments).await,
        Command::Restore(arguments) => backup::restore(arguments).await,
        Command::Health => health::run().await,
        Command::Openapi => {
            println!("{}", standalone::document().to_pretty_json()?);
            Ok(())
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Connects to the database named by `DATABASE_URL`, for a short command.
async fn database() -> anyhow::Result<Db> {
    let mut reader = Reader::new(&ProcessVariables);
    let url = base::config::database_url(&mut reader);
    reader.finish()?;
    db::require_sessions(&url).await?;
    Ok(Db::new(db::connect(&url, 2).await?, Waker::new()))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory;

    use super::*;

    /// The commands of the program, with their names.
    fn commands(command: &clap::Command, name: &str) -> BTreeSet<String> {
        let mut inner = command.get_subcommands().peekable();
        if inner.peek().is_none() {
            return BTreeSet::from([name.to_owned()]);
        }
        inner
            .flat_map(|inner| commands(inner, &format!("{name} {}", inner.get_name())))
            .collect()
    }

    /// The commands of a table, without arguments.
    fn documented(table: &str) -> BTreeSet<String> {
        let is_name = |word: &&str| {
            let is_argument = word.starts_with('-');
            !is_argument && word.chars().all(|c| c.is_ascii_lowercase() || c == '-')
        };
        table
            .split('`')
            .filter(|code| code.starts_with("halyard "))
            .map(|code| {
                let words = code.split(' ').take_while(is_name);
                words.collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    /// The arguments with a value, of a command and those below it.
    fn arguments(command: &clap::Command) -> Vec<String> {
        let own = command
            .get_arguments()
            .filter(|it| it.get_action().takes_values());
        let own = own.map(|argument| argument.get_id().to_string());
        own.chain(command.get_subcommands().flat_map(arguments))
            .collect()
    }

    #[test]
    fn no_command_takes_a_secret_as_an_argument() {
        let arguments = arguments(&Cli::command());
        assert!(arguments.contains(&"email".to_owned()), "{arguments:?}");
        for argument in arguments {
            let mut secrets = ["password", "secret", "token", "url", "key"].into_iter();
            let found = secrets.find(|word| argument.contains(word));
            assert_eq!(
                found, None,
                "{argument}: others see the arguments of a process"
            );
        }
    }

    #[test]
    fn the_readme_has_exactly_the_commands_that_there_are() {
        let readme = include_str!("../../../../README.md");
        let (_, table) = readme.split_once("## Commands").unwrap();
        let (table, _) = table.split_once("\n## ").unwrap();
        assert_eq!(documented(table), commands(&Cli::command(), "halyard"));
    }
}
