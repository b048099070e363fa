//! Segments: conditions with a name.

use clap::{Args, Subcommand};

use super::{Change, InProject, MatchedChange, Paging, Sure, TriedChange};

pub(super) const GROUP: &str = "\
Examples:
  halyardctl segment list --project shop
  halyardctl segment get beta --project shop -o yaml";

const CREATE: &str = "\
Examples:
  halyardctl segment create beta --rules \\
    '[{\"attribute\": \"country\", \"operator\": \"in\", \"values\": [\"NL\"]}]'
  halyardctl segment create beta --rules @rules.json --project shop";

/// What a segment has, besides its key.
#[derive(Args, Debug)]
pub struct SegmentFields {
    /// Its name
    #[arg(long)]
    pub name: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub description: Option<String>,
    /// Whether all or any of the rules must match
    #[arg(long = "match", value_name = "all|any")]
    pub match_type: Option<String>,
    /// The rules as JSON, or @FILE
    #[arg(long, value_name = "JSON")]
    pub rules: Option<String>,
    /// All fields as JSON: a file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: Option<String>,
}

#[derive(Debug, Subcommand)]
pub enum SegmentCommand {
    /// List the segments of a project
    #[command(after_help = "Examples:\n  halyardctl segment list --project shop")]
    List {
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a segment
    #[command(after_help = "Examples:\n  halyardctl segment get beta --project shop")]
    Get {
        /// Its key
        key: String,
        #[command(flatten)]
        within: InProject,
    },
    /// Create a segment
    #[command(after_help = CREATE)]
    Create {
        /// Its key
        key: String,
        #[command(flatten)]
        fields: SegmentFields,
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        change: Change,
    },
    /// Change a segment
    #[command(after_help = "Examples:\n  halyardctl segment update beta --match any --dry-run")]
    Update {
        /// Its key
        key: String,
        #[command(flatten)]
        fields: SegmentFields,
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        change: TriedChange,
    },
    /// Delete a segment that no flag uses
    #[command(after_help = "Examples:\n  halyardctl segment delete beta --yes")]
    Delete {
        /// Its key
        key: String,
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        change: MatchedChange,
        #[command(flatten)]
        sure: Sure,
    },
}
