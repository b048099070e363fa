//! Completions of shells, and manual pages, both made of the arguments.

use std::{fs, path::Path};

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{
    api::Error,
    arguments::Cli,
    output::{message, write},
};

/// Writes a script for a shell to standard output.
pub(super) fn completions(shell: Shell) -> Result<(), Error> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "halyardctl", &mut script);
    write(&String::from_utf8_lossy(&script))
}

/// Writes a page for the program and one for each command. The same release writes the same pages.
pub(super) fn pages(folder: &Path) -> Result<(), Error> {
    let failed = |why| Error::while_doing(&folder.display().to_string(), why);
    fs::create_dir_all(folder).map_err(failed)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
    message(&format!("the pages are in {}", folder.display()));
    Ok(())
}
