//! `halyard backup` and `halyard restore`.

use base::config::database_url;
use secrecy::SecretString;
use serving::settings::{ProcessVariables, Reader};

use super::database;
use crate::backup::{self, Backup, Restore};

pub(super) async fn back_up(arguments: Backup) -> anyhow::Result<()> {
    let size = backup::back_up(&url()?, &arguments).await?;
    println!("{size} bytes, complete and readable");
    Ok(())
}

pub(super) async fn restore(arguments: Restore) -> anyhow::Result<()> {
    let db = database().await?;
    backup::restore(&url()?, &db, &arguments).await?;
    println!("restored");
    Ok(())
}

fn url() -> anyhow::Result<SecretString> {
    let mut reader = Reader::new(&ProcessVariables);
    let url = database_url(&mut reader);
    reader.finish()?;
    Ok(url)
}
