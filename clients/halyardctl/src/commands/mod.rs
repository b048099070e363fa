//! What commands do: a file for each group.

mod account;
mod audit;
mod change_sets;
mod confirm;
mod environments;
mod explain;
mod files;
mod flags;
mod generate;
mod gitops;
mod hints;
mod history;
mod import;
mod input;
mod keys;
mod login;
mod manual;
mod projects;
mod raw;
mod refs;
mod segments;
mod session;
mod stale;
mod states;
mod stream;

use crate::{
    api::Error,
    arguments::{Cli, Command, FlagCommand, Global},
    exit::Exit,
    output,
};

pub use session::Session;

/// Runs a command.
///
/// # Errors
/// When it does not do what it was asked for.
pub async fn run(cli: Cli) -> Result<Exit, Error> {
    let Cli { global, command } = cli;
    match command {
        Command::Login(login) => login::login(&global, &login).await?,
        Command::Logout => account::logout(&global)?,
        Command::Context(command) => account::contexts(&global, &command)?,
        Command::Completions { shell } => manual::completions(shell)?,
        Command::Man { out } => manual::pages(&out)?,
        Command::Validate(validate) => return files::validate(&global, &validate),
        Command::Test(test) => return files::test(&global, &test),
        Command::Schema(wanted) => return files::schema(&wanted),
        Command::Refs(command) => return refs::run(&global, &command).await,
        Command::Flag(FlagCommand::Stale(wanted)) => {
            return stale::stale(&Session::open(&global)?, wanted).await;
        }
        Command::Generate(wanted) => return generate::generate(&global, &wanted).await,
        Command::Version => output::write(concat!("halyardctl ", env!("CARGO_PKG_VERSION"), "\n"))?,
        Command::Pull(pull) => return gitops::pull(&Session::open(&global)?, &pull).await,
        Command::Plan(plan) => return gitops::plan(&Session::open(&global)?, &plan).await,
        Command::ChangeSet(command) => {
            return change_sets::run(&Session::open(&global)?, command).await;
        }
        Command::Apply(apply) => return gitops::apply(&Session::open(&global)?, &apply).await,
        online => remote(&global, online).await?,
    }
    Ok(Exit::Done)
}

/// Commands that call the service.
async fn remote(global: &Global, command: Command) -> Result<(), Error> {
    let session = Session::open(global)?;
    match command {
        Command::Whoami => account::whoami(&session).await,
        Command::Project(command) => projects::run(&session, command).await,
        Command::Env(command) => environments::run(&session, command).await,
        Command::Flag(command) => flags::run(&session, command).await,
        Command::Segment(command) => segments::run(&session, command).await,
        Command::Key(command) => keys::run(&session, command).await,
        Command::Audit(audit) => audit::audit(&session, audit).await,
        Command::Edges(edges) => audit::edges(&session, edges).await,
        Command::Stream(stream) => stream::follow(&session, &stream).await,
        Command::Import(command) => import::run(&session, command).await,
        Command::Api(api) => raw::send(&session, &api).await,
        Command::Login(_)
        | Command::Logout
        | Command::Context(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Validate(_)
        | Command::Test(_)
        | Command::Schema(_)
        | Command::Generate(_)
        | Command::Refs(_)
        | Command::Pull(_)
        | Command::Plan(_)
        | Command::Apply(_)
        | Command::ChangeSet(_)
        | Command::Version => Ok(()),
    }
}
