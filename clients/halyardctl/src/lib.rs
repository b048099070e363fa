//! The command line client of Halyard: what is typed (`arguments`), what is done (`commands`), how the API is called (`api`), what
//! is kept on this machine (`contexts`), and what is written (`output`).

pub mod api;
pub mod arguments;
pub mod commands;
pub mod contexts;
pub mod environment;
pub mod exit;
pub mod output;

use std::ffi::OsString;

use clap::{Parser, error::ErrorKind};

use api::Error;
use arguments::Cli;
use exit::Exit;

/// Runs a command line, with the name of the program as its first word, and says how it ended.
pub fn run(words: impl IntoIterator<Item = OsString>) -> Exit {
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(told) => {
            // Where it is written to may be gone; there is nowhere else to tell.
            drop(told.print());
            return match told.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => Exit::Done,
                _ => Exit::NotUnderstood,
            };
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let done = runtime
        .map_err(|why| Error::while_doing("the program cannot start", why))
        .and_then(|runtime| runtime.block_on(commands::run(cli)));
    done.unwrap_or_else(|error| {
        output::message(&format!(
            "halyardctl: {}",
            output::escape(&error.to_string())
        ));
        Exit::from(&error)
    })
}
