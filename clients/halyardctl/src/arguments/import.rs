//! Importing from another platform.

use clap::{Args, Subcommand, ValueEnum};

use super::{InProject, Paging};

pub(super) const GROUP: &str = "\
The credential of the other platform is read from standard input, or from HALYARD_IMPORT_KEY.

Examples:
  halyardctl import analyze --from unleash --base-url https://unleash.example.com --project shop
  halyardctl import execute --from launchdarkly --source-project web --project shop <key.txt";

const ANALYZE: &str = "\
Examples:
  halyardctl import analyze --from launchdarkly --source-project web --project shop <key.txt";

const EXECUTE: &str = "\
Examples:
  halyardctl import execute --from launchdarkly --source-project web --project shop <key.txt
  halyardctl import execute --from unleash --base-url https://unleash.example.com \\
    --environment development=dev --keep-buckets --dry-run <key.txt";

/// Where flags can come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Platform {
    Launchdarkly,
    Unleash,
    Flagsmith,
}

/// A project of another platform.
#[derive(Args, Debug)]
pub struct Source {
    /// launchdarkly, unleash or flagsmith
    #[arg(long, value_name = "PLATFORM", hide_possible_values = true)]
    pub from: Platform,
    /// The address of the platform, if it is not the usual one
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// The project there
    #[arg(long, value_name = "KEY")]
    pub source_project: Option<String>,
    /// The slug here of an environment there; can be repeated
    #[arg(long = "environment", value_name = "THERE=HERE")]
    pub environments: Vec<String>,
    /// Keep users in the percentages they have
    #[arg(long)]
    pub keep_buckets: bool,
    #[command(flatten)]
    pub within: InProject,
}

#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// Show what would be imported, and how exactly
    #[command(after_help = ANALYZE)]
    Analyze(Source),
    /// Import, and wait for the end
    #[command(after_help = EXECUTE)]
    Execute {
        #[command(flatten)]
        source: Source,
        /// Show what would be created, and create nothing
        #[arg(long)]
        dry_run: bool,
        /// Do not wait for the end
        #[arg(long)]
        no_wait: bool,
    },
    /// Show how far an import is
    #[command(
        after_help = "Examples:\n  halyardctl import status 0190a5d6-7c4b-7e1a-9d3f-2b6c8e4f1a70"
    )]
    Status {
        /// Its id
        id: String,
    },
    /// List what became of each thing
    #[command(
        after_help = "Examples:\n  halyardctl import report 0190a5d6-7c4b-7e1a-9d3f-2b6c8e4f1a70 --verdict skipped"
    )]
    Report {
        /// The id of the import
        id: String,
        /// exact, approximated or skipped
        #[arg(long)]
        verdict: Option<String>,
        #[command(flatten)]
        paging: Paging,
    },
}
