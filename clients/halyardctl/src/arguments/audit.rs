//! What happens and happened: the audit log, edges, events.

use clap::{Args, Subcommand};

use super::Paging;

pub(super) const AUDIT: &str = "\
Examples:
  halyardctl audit --limit 20
  halyardctl audit --project shop --action flag.killed --from 2026-01-01T00:00:00Z";

pub(super) const EDGES: &str = "\
Examples:
  halyardctl edges
  halyardctl edges waves --project shop --env production";

pub(super) const STREAM: &str = "\
Connects again by itself. With -o json each line is an event.

Examples:
  halyardctl stream
  halyardctl stream -o json --count 10";

#[derive(Args, Debug)]
pub struct Audit {
    /// Of a project, by slug or id
    #[arg(long, value_name = "SLUG")]
    pub project: Option<String>,
    /// Of an environment of that project
    #[arg(long, value_name = "SLUG")]
    pub env: Option<String>,
    /// With this action, such as flag.killed
    #[arg(long)]
    pub action: Option<String>,
    /// About this kind of thing, such as flag
    #[arg(long, value_name = "TYPE")]
    pub resource_type: Option<String>,
    /// About the thing with this id
    #[arg(long, value_name = "ID")]
    pub resource: Option<String>,
    /// By the user, key or token with this id
    #[arg(long, value_name = "ID")]
    pub actor: Option<String>,
    /// From this time on (RFC 3339)
    #[arg(long, value_name = "TIME")]
    pub from: Option<String>,
    /// Before this time
    #[arg(long, value_name = "TIME")]
    pub to: Option<String>,
    /// With these words
    #[arg(short, long, value_name = "WORDS")]
    pub query: Option<String>,
    #[command(flatten)]
    pub paging: Paging,
}

#[derive(Args, Debug)]
pub struct Edges {
    #[command(subcommand)]
    pub command: Option<EdgesCommand>,
}

#[derive(Debug, Subcommand)]
pub enum EdgesCommand {
    /// List the edges
    #[command(after_help = "Examples:\n  halyardctl edges list -o json")]
    List,
    /// List changes, and when each edge served them
    #[command(after_help = "Examples:\n  halyardctl edges waves --limit 5")]
    Waves(Waves),
}

#[derive(Args, Debug)]
pub struct Waves {
    /// The project of the environment, by slug or id
    #[arg(long, value_name = "SLUG")]
    pub project: Option<String>,
    /// Of an environment, by slug or id
    #[arg(long, value_name = "SLUG")]
    pub env: Option<String>,
    /// Only so many, at most 100
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
}

#[derive(Args, Debug)]
pub struct Stream {
    /// End after so many events
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
}
