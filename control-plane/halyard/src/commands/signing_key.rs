//! `halyard signing-key`: the keys that what edges and SDKs are sent is signed with.

use std::fmt::Write;

use base::{
    config::AppEnv,
    operator::{date, date_or_dash},
};
use clap::Subcommand;
use data_encoding::BASE64URL_NOPAD;
use publish::{
    config::PublishSettings,
    signing::{self, StoredKey},
};
use serving::{
    clock::Clock,
    settings::{ProcessVariables, Reader, parse_duration},
};
use time::Duration;

use super::database;

#[derive(Debug, Subcommand)]
pub(super) enum SigningKeyCommand {
    /// List the keys whose signatures are accepted. PUBLIC is what SDKs pin.
    List,
    /// Make another key. Edges learn of it within a minute; SDKs that pin keys must have it before it signs
    Rotate {
        /// When it begins to sign.
        #[arg(long, value_parser = span, default_value = "24h")]
        after: Duration,
        /// How long the signatures of the keys before are accepted after that. With `--after 0s --overlap 0s` they are refused at
        /// once: for a key that others may know.
        #[arg(long, value_parser = span, default_value = "7d")]
        overlap: Duration,
    },
}

pub(super) async fn run(command: SigningKeyCommand) -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let env = reader.parse("APP_ENV", AppEnv::Development);
    let secret = PublishSettings::load(&mut reader, env).app_secret;
    reader.finish()?;
    let db = database().await?;
    let now = Clock::system().now();
    if let SigningKeyCommand::Rotate { after, overlap } = command {
        signing::rotate(&db, &secret, now, after, overlap).await?;
    }
    print!("{}", table(&signing::list(&db, now).await?));
    Ok(())
}

fn table(keys: &[StoredKey]) -> String {
    let mut text = String::new();
    let mut row = |public: &str, from: &str, until: &str| {
        writeln!(text, "{public:<44} {from:<20} {until}").expect("writing to a string cannot fail");
    };
    row("PUBLIC", "SIGNS FROM", "ACCEPTED UNTIL");
    for key in keys {
        let public = BASE64URL_NOPAD.encode(&key.public_key);
        row(&public, &date(key.signs_from), &date_or_dash(key.ends_at));
    }
    text
}

fn span(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .and_then(|span| Duration::try_from(span).ok())
        .filter(|span| *span <= Duration::days(365))
        .ok_or_else(|| "expected a duration of at most 365d".to_owned())
}
