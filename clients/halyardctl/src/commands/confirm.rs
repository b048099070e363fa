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
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(Error::Usage(format!(
            "{what} cannot be taken back: say --yes where nobody can be asked"
        )));
    }
    let mut err = io::stderr();
    let asked = write!(err, "{what} cannot be taken back. Go on? [y/N] ");
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
