//! `halyard secret`: replacing `APP_SECRET`.

use crate::rotate;
use anyhow::ensure;
use base::config::{new_app_secret, old_app_secret};
use serving::settings::{ProcessVariables, Reader};

use super::database;

#[derive(Debug, clap::Subcommand)]
pub(super) enum SecretCommand {
    /// Seal everything anew with `APP_SECRET` that `APP_SECRET_OLD` opens. Stop all control planes first; run it again if
    /// it was interrupted
    Rotate,
}

pub(super) async fn run(SecretCommand::Rotate: SecretCommand) -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let new = new_app_secret(&mut reader);
    let old = old_app_secret(&mut reader, &new);
    reader.finish()?;
    let db = database().await?;
    rotate::require_none_running(&db).await?;
    let done = rotate::rotate(&db, &old, &new).await?;
    let mut unopened = 0;
    for (kind, counts) in done {
        println!(
            "{}: {} sealed anew, {} sealed with the new APP_SECRET already, {} opened by neither",
            kind.as_str(),
            counts.by_old,
            counts.by_new,
            counts.by_neither,
        );
        unopened += counts.by_neither;
    }
    ensure!(
        unopened == 0,
        "{unopened} of them are sealed with another secret, and stay as they are"
    );
    Ok(())
}
