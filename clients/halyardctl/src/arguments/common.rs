//! Options that several commands take.

use clap::{Args, ValueEnum};

/// Which project.
#[derive(Args, Clone, Debug)]
pub struct InProject {
    /// The project, by slug or id
    #[arg(long, value_name = "SLUG")]
    pub project: Option<String>,
}

/// Which environment of which project.
#[derive(Args, Clone, Debug)]
pub struct InEnvironment {
    #[command(flatten)]
    pub within: InProject,
    /// The environment, by slug or id
    #[arg(long, value_name = "SLUG")]
    pub env: String,
}

/// Which part of a list; all of it where nothing is said.
#[derive(Args, Clone, Debug, Default)]
pub struct Paging {
    /// Only so many, at most 100
    #[arg(long, value_name = "N")]
    pub limit: Option<u64>,
    /// Leave out so many at the beginning
    #[arg(long, value_name = "N", requires = "limit")]
    pub offset: Option<u64>,
}

/// What a change waits for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Wait {
    Edges,
}

/// What changes take.
#[derive(Args, Clone, Debug, Default)]
pub struct Change {
    /// Wait until all connected edges serve it: edges
    #[arg(long, value_name = "edges", hide_possible_values = true)]
    pub wait: Option<Wait>,
    /// Why, for the audit log
    #[arg(long, value_name = "TEXT")]
    pub comment: Option<String>,
}

/// What changes take of what has a version.
#[derive(Args, Clone, Debug, Default)]
pub struct MatchedChange {
    #[command(flatten)]
    pub change: Change,
    /// Only if it still has this version (the ETag)
    #[arg(long, value_name = "TAG")]
    pub if_match: Option<String>,
}

/// What changes take that can be tried.
#[derive(Args, Clone, Debug, Default)]
pub struct TriedChange {
    #[command(flatten)]
    pub matched: MatchedChange,
    /// Show what would change, and change nothing
    #[arg(long)]
    pub dry_run: bool,
}

/// What deletions take.
#[derive(Args, Clone, Debug)]
pub struct Sure {
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
}
