//! `halyard edge`: enroll, list, revoke. Each returns the text to print.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

use clap::Subcommand;
use serving::{clock::Clock, settings::parse_duration};
use time::Duration;

use super::{
    EnrollError, Enrolment, enroll,
    fleet::{self, FleetEdge},
    model::EdgeCertificate,
    revoke, store,
};
use crate::{
    config::PublishSettings,
    db::{self, Db},
    operator::date,
    publish::{
        fleet::of_others,
        tls::{Authority, AuthorityError},
    },
    replicas::Replicas,
};

/// What to do with edges.
#[derive(Debug, Subcommand)]
pub enum EdgeCommand {
    /// Issue a certificate to a new edge, and write what it needs to connect.
    Enroll {
        /// Name of the edge.
        #[arg(long)]
        name: String,
        /// Data region whose organizations the edge may hold; all if omitted.
        #[arg(long)]
        region: Option<String>,
        /// How long each of its certificates is valid, such as 90d; it renews them by itself when a third of that is left.
        #[arg(long, value_parser = life, default_value = "730d")]
        valid_for: Duration,
        /// Let other edges connect to it in place of a control plane, at its `EDGE_RELAY_ADDR`.
        #[arg(long)]
        relay: bool,
        /// Folder for ca.pem, edge.pem and edge.key: the edge's `EDGE_IDENTITY`.
        #[arg(long)]
        out: PathBuf,
    },
    /// List the enrolled edges and the state of those connected. VIA is the relay that an edge is connected to; (-N) after
    /// ENVIRONMENTS means that N of them are out of date. CERTIFICATE ENDS is about the newest one, and RENEWED when the
    /// edge got it.
    List,
    /// Revoke all certificates of an edge; its link closes within seconds.
    Revoke {
        /// Name of the edge.
        name: String,
    },
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    #[error(transparent)]
    Enroll(#[from] EnrollError),
    #[error("unknown region {region}: DATA_REGIONS names {known}")]
    UnknownRegion { region: String, known: String },
    #[error("no edge named {0} is enrolled")]
    NotEnrolled(String),
}

/// Runs a command and returns the text to print. `regions` are those that organizations may choose.
pub async fn run(
    command: EdgeCommand,
    db: &Db,
    settings: &PublishSettings,
    regions: &[String],
    clock: &Clock,
) -> Result<String, CommandError> {
    let now = clock.now();
    match command {
        EdgeCommand::Enroll {
            name,
            region,
            valid_for,
            relay,
            out,
        } => {
            if let Some(region) = &region
                && !regions.contains(region)
            {
                return Err(CommandError::UnknownRegion {
                    region: region.clone(),
                    known: regions.join(", "),
                });
            }
            let authority = Authority::load(db, settings, now).await?;
            let enrolment = Enrolment {
                name: &name,
                region: region.as_deref(),
                life: valid_for,
                is_relay: relay,
            };
            let edge = enroll(db, &authority, enrolment, &out, now).await?;
            Ok(enrolled(&edge, &out))
        }
        EdgeCommand::List => {
            let certificates = store::list(&mut *db.acquire().await?).await?;
            let connected = of_others(&Replicas::new(db.clone()), Some(&[])).await;
            Ok(table(&fleet::join(&certificates, connected, now)))
        }
        EdgeCommand::Revoke { name } => {
            if revoke(db, &name, now).await? {
                Ok(format!("revoked {name}\n"))
            } else {
                Err(CommandError::NotEnrolled(name))
            }
        }
    }
}

fn enrolled(edge: &EdgeCertificate, folder: &Path) -> String {
    let (role, also) = if edge.is_relay {
        (" as a relay", " and EDGE_RELAY_ADDR")
    } else {
        ("", "")
    };
    format!(
        "enrolled {}{role} until {}\nstart it with EDGE_IDENTITY={}{also}\n",
        edge.name,
        date(edge.expires_at),
        folder.display()
    )
}

const fn kind(is_relay: bool) -> &'static str {
    if is_relay { "relay" } else { "edge" }
}

/// Shorter than this, an edge would do little else than renew; longer, the authority itself ends.
fn life(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .and_then(|life| Duration::try_from(life).ok())
        .filter(|life| (Duration::seconds(10)..=Duration::days(10 * 365)).contains(life))
        .ok_or_else(|| "expected a duration from 10s to 3650d".to_owned())
}

fn table(edges: &[FleetEdge]) -> String {
    let mut text = String::new();
    let mut row = |cells: [&str; 12]| {
        let [
            name,
            region,
            kind,
            since,
            via,
            rtt,
            streams,
            environments,
            build,
            seen,
            ends,
            renewed,
        ] = cells;
        let line = format!(
            "{name:<24} {region:<8} {kind:<5} {since:<20} {via:<16} {rtt:>8} {streams:>8} {environments:>12} {build:<10} {seen:<20} {ends:<20} {renewed}"
        );
        writeln!(text, "{}", line.trim_end()).expect("writing to a string cannot fail");
    };
    row([
        "NAME",
        "REGION",
        "KIND",
        "CONNECTED SINCE",
        "VIA",
        "RTT MS",
        "STREAMS",
        "ENVIRONMENTS",
        "BUILD",
        "LAST SEEN",
        "CERTIFICATE ENDS",
        "RENEWED",
    ]);
    for edge in edges {
        let environments = match edge.behind {
            0 => edge.held.to_string(),
            behind => format!("{} (-{behind})", edge.held),
        };
        let certificate = edge.certificate;
        let renewed_at = certificate.and_then(|certificate| certificate.renewed_at);
        row([
            &edge.name,
            edge.region.as_deref().unwrap_or("all"),
            kind(edge.is_relay()),
            &edge.connected_since.map_or_else(|| "-".to_owned(), date),
            edge.via.as_deref().unwrap_or("-"),
            &edge
                .rtt_ms
                .map_or_else(|| "-".to_owned(), |rtt| format!("{rtt:.1}")),
            &edge.streams.to_string(),
            &environments,
            edge.build.as_deref().unwrap_or("-"),
            &edge.last_seen_at.map_or_else(|| "never".to_owned(), date),
            &certificate.map_or_else(
                || "-".to_owned(),
                |certificate| date(certificate.expires_at),
            ),
            &renewed_at.map_or_else(|| "-".to_owned(), date),
        ]);
    }
    text
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::edges::{fleet::Standing, model};

    #[test]
    fn a_certificate_is_valid_for_a_time_that_makes_sense() {
        assert_eq!(life("730d"), Ok(model::DEFAULT_LIFE));
        assert_eq!(life("10s"), Ok(Duration::seconds(10)));
        for text in ["9s", "0", "3651d", "2y", ""] {
            assert!(life(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_table_shows_a_row_for_each_edge() {
        let connected = FleetEdge {
            name: "fra-1".to_owned(),
            region: Some("eu".to_owned()),
            connected: true,
            connected_since: Some(datetime!(2026-05-04 12:00 UTC)),
            last_seen_at: Some(datetime!(2026-05-05 12:00 UTC)),
            build: Some("0.1.0".to_owned()),
            rtt_ms: Some(12.34),
            via: None,
            streams: 1_000,
            certificate: Some(Standing {
                expires_at: datetime!(2028-05-04 12:00 UTC),
                renewed_at: Some(datetime!(2026-05-04 12:00 UTC)),
                is_relay: true,
            }),
            environments: Vec::new(),
            held: 2,
            behind: 1,
        };
        let below = FleetEdge {
            name: "fra-11".to_owned(),
            via: Some("fra-1".to_owned()),
            certificate: Some(Standing {
                is_relay: false,
                ..connected.certificate.unwrap()
            }),
            held: 0,
            behind: 0,
            ..connected.clone()
        };
        let away = FleetEdge {
            name: "fra-2".to_owned(),
            region: None,
            connected: false,
            connected_since: None,
            last_seen_at: None,
            build: None,
            rtt_ms: None,
            via: None,
            streams: 0,
            certificate: Some(Standing {
                expires_at: datetime!(2027-01-01 0:00 UTC),
                renewed_at: None,
                is_relay: false,
            }),
            environments: Vec::new(),
            held: 0,
            behind: 0,
        };
        let expected = "\
NAME                     REGION   KIND  CONNECTED SINCE      VIA                RTT MS  STREAMS ENVIRONMENTS BUILD      LAST SEEN            CERTIFICATE ENDS     RENEWED
fra-1                    eu       relay 2026-05-04T12:00:00Z -                    12.3     1000       2 (-1) 0.1.0      2026-05-05T12:00:00Z 2028-05-04T12:00:00Z 2026-05-04T12:00:00Z
fra-11                   eu       edge  2026-05-04T12:00:00Z fra-1                12.3     1000            0 0.1.0      2026-05-05T12:00:00Z 2028-05-04T12:00:00Z 2026-05-04T12:00:00Z
fra-2                    all      edge  -                    -                       -        0            0 -          never                2027-01-01T00:00:00Z -
";
        assert_eq!(table(&[connected, below, away]), expected);
    }
}
