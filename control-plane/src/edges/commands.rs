//! `halyard edge`: enroll, list, revoke. Each gives the text to be printed.

use std::{fmt::Write, path::PathBuf};

use clap::Subcommand;
use serving::clock::Clock;
use time::{OffsetDateTime, macros::format_description};

use super::{EnrollError, enroll, model::EdgeCertificate, revoke, store};
use crate::{
    config::PublishSettings,
    db::{self, Db},
    publish::tls::{Authority, AuthorityError},
};

/// What to do with edges.
#[derive(Debug, Subcommand)]
pub enum EdgeCommand {
    /// Issue a certificate to a new edge, and write what it needs to join.
    Enroll {
        /// Name of the edge.
        #[arg(long)]
        name: String,
        /// Data region whose organizations the edge may hold; all without it.
        #[arg(long)]
        region: Option<String>,
        /// Folder for ca.pem, edge.pem and edge.key: the edge's `EDGE_IDENTITY`.
        #[arg(long)]
        out: PathBuf,
    },
    /// List all edges that were ever enrolled.
    List,
    /// Take an edge's certificate back; its link closes within seconds.
    Revoke {
        /// Name of the edge.
        name: String,
    },
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
    /// There is no authority to issue with.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// The edge was not enrolled.
    #[error(transparent)]
    Enroll(#[from] EnrollError),
    /// No edge has this name, or its certificate was revoked before.
    #[error("no edge named {0} is enrolled")]
    NotEnrolled(String),
}

/// Runs a command; gives what to print.
///
/// # Errors
/// [`CommandError`].
pub async fn run(
    command: EdgeCommand,
    db: &Db,
    settings: &PublishSettings,
    clock: &Clock,
) -> Result<String, CommandError> {
    let now = clock.now();
    match command {
        EdgeCommand::Enroll { name, region, out } => {
            let authority = Authority::load(db, settings, now).await?;
            let edge = enroll(db, &authority, &name, region.as_deref(), &out, now).await?;
            Ok(format!(
                "enrolled {name} until {}\nstart it with EDGE_IDENTITY={}\n",
                date(edge.expires_at),
                out.display()
            ))
        }
        EdgeCommand::List => Ok(table(&store::list(&mut *db.acquire().await?).await?)),
        EdgeCommand::Revoke { name } => {
            if revoke(db, &name, now).await? {
                Ok(format!("revoked {name}\n"))
            } else {
                Err(CommandError::NotEnrolled(name))
            }
        }
    }
}

fn table(edges: &[EdgeCertificate]) -> String {
    let mut text = String::new();
    let mut row = |cells: [&str; 6]| {
        let [name, region, issued, expires, seen, revoked] = cells;
        let line =
            format!("{name:<24} {region:<8} {issued:<20} {expires:<20} {seen:<20} {revoked}");
        writeln!(text, "{}", line.trim_end()).expect("writing to a string cannot fail");
    };
    row([
        "NAME",
        "REGION",
        "ISSUED",
        "EXPIRES",
        "LAST SEEN",
        "REVOKED",
    ]);
    for edge in edges {
        row([
            &edge.name,
            edge.region.as_deref().unwrap_or("all"),
            &date(edge.issued_at),
            &date(edge.expires_at),
            &edge.last_seen_at.map_or_else(|| "never".to_owned(), date),
            &edge.revoked_at.map(date).unwrap_or_default(),
        ]);
    }
    text
}

fn date(time: OffsetDateTime) -> String {
    time.format(format_description!(
        "[year]-[month]-[day]T[hour]:[minute]:[second]Z"
    ))
    .expect("every time has these parts")
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn the_table_shows_a_row_for_each_edge() {
        let edge = EdgeCertificate {
            fingerprint: vec![0; 32],
            name: "fra-1".to_owned(),
            region: None,
            issued_at: datetime!(2026-05-04 12:00 UTC),
            expires_at: datetime!(2028-05-03 12:00 UTC),
            last_seen_at: None,
            revoked_at: Some(datetime!(2026-06-01 0:00 UTC)),
        };
        assert_eq!(
            table(&[edge]),
            "NAME                     REGION   ISSUED               EXPIRES              LAST SEEN            REVOKED\n\
             fra-1                    all      2026-05-04T12:00:00Z 2028-05-03T12:00:00Z never                2026-06-01T00:00:00Z\n"
        );
    }
}
