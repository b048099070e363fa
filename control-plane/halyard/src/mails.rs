//! `halyard mail`: list, retry. Returns the text to print.

use std::fmt::Write;

use clap::Subcommand;
use serving::clock::Clock;
use uuid::Uuid;

use base::{
    db::Db,
    ids::MailId,
    mail::{list_waiting, make_due},
    operator::date,
};

/// What to do with mail that waits.
#[derive(Debug, Subcommand)]
pub enum MailCommand {
    /// List it in the order in which it is sent
    List {
        /// How many at most
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
    },
    /// Try it again now, as after the repair of a mail server. What is being sent at this moment may arrive twice
    Retry {
        /// One from the list; all when absent
        id: Option<Uuid>,
    },
}

/// Runs a command.
///
/// # Errors
/// When the database fails, or there is no such mail.
pub async fn run(command: MailCommand, db: &Db, clock: &Clock) -> anyhow::Result<String> {
    let now = clock.now();
    let mut conn = db.acquire().await?;
    match command {
        MailCommand::List { limit } => {
            let mut text = String::new();
            let mut row = |[id, kind, attempts, due, recipient]: [&str; 5]| {
                let line = format!("{id:<36} {kind:<22} {attempts:>8} {due:<20} {recipient}");
                writeln!(text, "{line}").expect("writing to a string cannot fail");
            };
            row(["ID", "KIND", "ATTEMPTS", "DUE", "TO"]);
            for mail in list_waiting(&mut conn, limit).await? {
                let (id, attempts) = (mail.id.to_string(), mail.attempts.to_string());
                row([
                    &id,
                    &mail.kind,
                    &attempts,
                    &date(mail.due_at),
                    &mail.recipient,
                ]);
            }
            Ok(text)
        }
        MailCommand::Retry { id } => {
            let due = make_due(&mut conn, id.map(MailId), now).await?;
            anyhow::ensure!(due > 0 || id.is_none(), "no mail that waits has this id");
            Ok(format!("{due} due now\n"))
        }
    }
}
