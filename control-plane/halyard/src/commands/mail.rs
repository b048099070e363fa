//! `halyard mail`: mail that waits.

use serving::clock::Clock;

use super::database;
use crate::mails::{self, MailCommand};

pub(super) async fn run(command: MailCommand) -> anyhow::Result<()> {
    print!(
        "{}",
        mails::run(command, &database().await?, &Clock::system()).await?
    );
    Ok(())
}
