//! Asks before what cannot be taken back.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::{api::Error, arguments::Sure};

/// Asks whether to do it, unless that was said before.
///
/// # Errors
/// When the answer is no, or nobody can be asked.
pub(super) fn confirm(sure: &Sure, what: &str) -> Result<(), Error> {
    if sure.yes {
        return Ok(());
    }
    ask(
        &format!("{what} cannot be taken back. Go on?"),
        &format!("{what} cannot be taken back: say --yes where nobody can be asked"),
    )
}

/// Asks a question that is answered with yes or no.
///
/// # Errors
/// When the answer is no; when nobody can be asked, with these words for that.
pub(super) fn ask(question: &str, nobody: &str) -> Result<(), Error> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Error::Usage(nobody.to_owned()));
    }
    let mut err = io::stderr();
    let asked = write!(err, "{question} [y/N] ");
    asked
        .and_then(|()| err.flush())
        .map_err(|why| Error::while_doing("nobody can be asked", why))?;
    let mut line = String::new();
    io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|why| Error::while_doing("nobody can be asked", why))?;
    match line.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::Failed("nothing was done".to_owned())),
    }
}
