//! `halyard edge`: enroll, list, revoke, history. Each returns the text to print.

mod history;
mod next;
mod table;

use std::{net::SocketAddr, path::PathBuf};

use clap::Subcommand;
use serving::{clock::Clock, settings::parse_duration};
use time::Duration;

use self::{next::Next, table::table};
use base::{
    db::{self, Db},
    operator,
    replicas::Replicas,
};
use publish::{
    config::PublishSettings,
    edges::{EnrollError, Enrolment, enroll, fleet, revoke, store},
    fleet::of_others,
    tls::{Authority, AuthorityError},
};

/// What to do with edges.
#[derive(Debug, Subcommand)]
pub enum EdgeCommand {
    /// Issue a certificate to a new edge, write what it needs to connect, and print the command that starts it.
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
        /// Do nothing where the folder holds an identity. The database is not asked, so that a container with an edge, which runs
        /// this at each start, starts without it.
        #[arg(long)]
        unless_enrolled: bool,
    },
    /// List the enrolled edges and the state of those connected. VIA is the relay that an edge is connected to; (-N) after
    /// ENVIRONMENTS means that N of them are out of date. CERTIFICATE ENDS is about the newest one, and RENEWED when the
    /// edge got it. Edges that may no longer connect stay in the list: REVOKED says since when, or CERTIFICATE ENDS is over.
    List,
    /// Revoke all certificates of an edge; its link closes within seconds. It hears of no change from then on, and answers
    /// from what it holds until it is stopped.
    Revoke {
        /// Name of the edge.
        name: String,
    },
    /// Show who enrolled and revoked edges, and when. USER is the user of the database, and FROM the address of the
    /// connection.
    History {
        /// Name of an edge; all if omitted.
        name: Option<String>,
        /// How many at most, the newest ones.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        limit: u32,
    },
}

impl EdgeCommand {
    /// Whether it enrolls an edge only where the folder holds no identity, and this one does.
    #[must_use]
    pub fn is_done(&self) -> bool {
        // Enrolling writes this file last.
        matches!(self, Self::Enroll { unless_enrolled: true, out, .. } if out.join("ca.pem").is_file())
    }
}

/// The installation, as far as the commands need it.
#[derive(Clone, Copy, Debug)]
pub struct Installation<'a> {
    /// The link and its authority.
    pub settings: &'a PublishSettings,
    /// The regions that organizations may choose.
    pub regions: &'a [String],
    /// The address on which a control plane with these settings listens for edges.
    pub link: SocketAddr,
    /// The edge's program, for printed commands.
    pub program: &'a str,
}

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

/// Runs a command and returns the text to print.
pub async fn run(
    command: EdgeCommand,
    db: &Db,
    installation: Installation<'_>,
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
            unless_enrolled: _,
        } => {
            let Installation {
                settings, regions, ..
            } = installation;
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
            let next = Next {
                edge: &edge,
                folder: &out,
                installation,
            };
            Ok(next.to_string())
        }
        EdgeCommand::List => {
            let certificates = store::list(&mut *db.acquire().await?).await?;
            let connected = of_others(&Replicas::new(db.clone()), Some(&[])).await;
            let edges = fleet::join(&certificates, connected, now);
            Ok(table(&fleet::with_former(edges, &certificates)))
        }
        EdgeCommand::Revoke { name } => {
            if revoke(db, &name, now).await? {
                Ok(format!(
                    "revoked {name}: its link ends within seconds; it answers from what it holds until you stop it\n"
                ))
            } else {
                Err(CommandError::NotEnrolled(name))
            }
        }
        EdgeCommand::History { name, limit } => {
            let mut conn = db.acquire().await?;
            let events = operator::store::list(&mut conn, name.as_deref(), limit.into()).await?;
            Ok(history::table(&events))
        }
    }
}

/// With a shorter life an edge would be renewing constantly; with a longer one, the authority itself expires.
fn life(text: &str) -> Result<Duration, String> {
    parse_duration(text)
        .and_then(|life| Duration::try_from(life).ok())
        .filter(|life| (Duration::seconds(10)..=Duration::days(10 * 365)).contains(life))
        .ok_or_else(|| "expected a duration from 10s to 3650d".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use publish::edges::model;

    #[test]
    fn a_certificate_is_valid_for_a_time_that_makes_sense() {
        assert_eq!(life("730d"), Ok(model::DEFAULT_LIFE));
        assert_eq!(life("10s"), Ok(Duration::seconds(10)));
        for text in ["9s", "0", "3651d", "2y", ""] {
            assert!(life(text).is_err(), "{text}");
        }
    }
}
