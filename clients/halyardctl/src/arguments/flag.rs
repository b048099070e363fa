//! Flags and their states.

use clap::{Args, Subcommand};

use super::{Change, InEnvironment, InProject, MatchedChange, Paging, Sure, TriedChange};

pub(super) const GROUP: &str = "\
Examples:
  halyardctl flag list --project shop
  halyardctl flag create new-checkout --project shop
  halyardctl flag enable new-checkout --project shop --env production --wait edges
  halyardctl flag kill new-checkout --project shop --env production --comment 'checkout fails'";

const UPDATE: &str = "\
Without --env the flag itself changes, with --env its state there.

Examples:
  halyardctl flag update new-checkout --tag checkout --tag web
  halyardctl flag update new-checkout --env production --rollout 12.5
  halyardctl flag update new-checkout --env production --rules @rules.json --dry-run";

const EXPLAIN: &str = "\
Examples:
  halyardctl flag explain new-checkout --env production --user ada -a country=NL
  halyardctl flag explain new-checkout --env production --user ada -a 'age=34' -o json";

const STALE: &str = "\
Reasons: not_evaluated, one_value, fully_on, fully_off.

Examples:
  halyardctl flag stale --project shop --days 60
  halyardctl flag stale --project shop --reason fully_on --fail";

#[derive(Debug, Subcommand)]
pub enum FlagCommand {
    /// List the flags of a project, with their states
    #[command(after_help = "Examples:\n  halyardctl flag list --project shop --tag checkout")]
    List(ListFlags),
    /// Show a flag, or its state in an environment
    #[command(
        after_help = "Examples:\n  halyardctl flag get new-checkout --env production -o yaml"
    )]
    Get {
        /// Its key
        key: String,
        /// Its state in this environment
        #[arg(long, value_name = "SLUG")]
        env: Option<String>,
        #[command(flatten)]
        within: InProject,
    },
    /// Create a flag, which is off everywhere
    #[command(
        after_help = "Examples:\n  halyardctl flag create greeting --type string --default '\"hello\"'"
    )]
    Create(CreateFlag),
    /// Change a flag, or its state in an environment
    #[command(after_help = UPDATE)]
    Update(UpdateFlag),
    /// Switch a flag on in an environment
    #[command(
        after_help = "Examples:\n  halyardctl flag enable new-checkout --project shop --env production"
    )]
    Enable(Switch),
    /// Switch a flag off in an environment
    #[command(
        after_help = "Examples:\n  halyardctl flag disable new-checkout --project shop --env production"
    )]
    Disable(Switch),
    /// Switch a flag off at once, also where changes need approval
    #[command(
        after_help = "Examples:\n  halyardctl flag kill new-checkout --env production --comment 'it fails'"
    )]
    Kill {
        /// Its key
        key: String,
        #[command(flatten)]
        within: InEnvironment,
        #[command(flatten)]
        change: MatchedChange,
    },
    /// Show what a user gets, and why
    #[command(after_help = EXPLAIN)]
    Explain(Explain),
    /// List the versions of a flag, or show one
    #[command(
        after_help = "Examples:\n  halyardctl flag history new-checkout --env production --version 42"
    )]
    History(FlagHistory),
    /// Bring back an older version
    #[command(
        after_help = "Examples:\n  halyardctl flag rollback new-checkout --env production --to 42"
    )]
    Rollback(RollBack),
    /// Copy the state of an environment to another one
    #[command(
        after_help = "Examples:\n  halyardctl flag promote new-checkout --from staging --to production"
    )]
    Promote(Promote),
    /// Archive a flag: it is served no more, and can be restored
    #[command(after_help = "Examples:\n  halyardctl flag archive old-checkout --project shop")]
    Archive(Whole),
    /// Restore an archived flag
    #[command(after_help = "Examples:\n  halyardctl flag restore old-checkout --project shop")]
    Restore(Whole),
    /// Delete a flag for good
    #[command(after_help = "Examples:\n  halyardctl flag delete old-checkout --project shop --yes")]
    Delete {
        #[command(flatten)]
        whole: Whole,
        #[command(flatten)]
        sure: Sure,
    },
    /// List where a flag is named in code
    #[command(after_help = "Examples:\n  halyardctl flag references old-checkout --project shop")]
    References {
        /// Its key
        key: String,
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        paging: Paging,
    },
    /// Say which flags can go, and why
    #[command(after_help = STALE)]
    Stale(Stale),
}

#[derive(Args, Debug)]
pub struct ListFlags {
    #[command(flatten)]
    pub within: InProject,
    /// With these words in key, name or tags
    #[arg(short, long, value_name = "WORDS")]
    pub query: Option<String>,
    /// With this tag
    #[arg(long)]
    pub tag: Option<String>,
    /// Of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    /// In this state: on, partial, off or scheduled
    #[arg(long)]
    pub state: Option<String>,
    /// The environment of --state
    #[arg(long, value_name = "SLUG")]
    pub env: Option<String>,
    /// The archived ones instead
    #[arg(long, conflicts_with_all = ["query", "tag", "kind", "state", "env"])]
    pub archived: bool,
    #[command(flatten)]
    pub paging: Paging,
}

/// What a flag has, besides its key and its type.
#[derive(Args, Debug)]
pub struct FlagFields {
    /// Its name
    #[arg(long)]
    pub name: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub description: Option<String>,
    /// What it serves where nothing else is said, as JSON or @FILE
    #[arg(long, value_name = "JSON")]
    pub default: Option<String>,
    /// A tag; can be repeated
    #[arg(long = "tag", value_name = "TAG")]
    pub tags: Vec<String>,
    /// A flag that must be on; can be repeated
    #[arg(long = "prerequisite", value_name = "KEY")]
    pub prerequisites: Vec<String>,
    /// The group of which one flag is on for a user
    #[arg(long, value_name = "GROUP")]
    pub group: Option<String>,
    /// Whether it never is stale: true or false
    #[arg(long, value_name = "BOOL", hide_possible_values = true)]
    pub permanent: Option<bool>,
    /// All fields as JSON: a file, or - for standard input
    #[arg(long, value_name = "FILE")]
    pub input: Option<String>,
}

#[derive(Args, Debug)]
pub struct CreateFlag {
    /// Its key
    pub key: String,
    /// boolean (if left out), string, number, json or ab
    #[arg(long = "type", value_name = "TYPE")]
    pub kind: Option<String>,
    #[command(flatten)]
    pub fields: FlagFields,
    #[command(flatten)]
    pub within: InProject,
    #[command(flatten)]
    pub change: Change,
}

/// What a state has, besides a default value.
#[derive(Args, Debug)]
pub struct StateFields {
    /// How many users get it, in percent
    #[arg(long, value_name = "PERCENT", requires = "env")]
    pub rollout: Option<String>,
    /// The rules as JSON, or @FILE
    #[arg(long, value_name = "JSON", requires = "env")]
    pub rules: Option<String>,
    /// The variants as JSON, or @FILE
    #[arg(long, value_name = "JSON", requires = "env")]
    pub variants: Option<String>,
    /// When it is switched on (RFC 3339)
    #[arg(long, value_name = "TIME", requires = "env")]
    pub enable_at: Option<String>,
    /// When it is switched off
    #[arg(long, value_name = "TIME", requires = "env")]
    pub disable_at: Option<String>,
}

#[derive(Args, Debug)]
pub struct UpdateFlag {
    /// Its key
    pub key: String,
    #[command(flatten)]
    pub within: InProject,
    /// The environment whose state changes
    #[arg(long, value_name = "SLUG")]
    #[arg(conflicts_with_all = ["name", "description", "tags", "prerequisites", "group", "permanent"])]
    pub env: Option<String>,
    #[command(flatten)]
    pub fields: FlagFields,
    #[command(flatten)]
    pub state: StateFields,
    #[command(flatten)]
    pub change: TriedChange,
}

#[derive(Args, Debug)]
pub struct Switch {
    /// Its key
    pub key: String,
    #[command(flatten)]
    pub within: InEnvironment,
    #[command(flatten)]
    pub change: TriedChange,
}

#[derive(Args, Debug)]
pub struct Explain {
    /// Its key
    pub key: String,
    #[command(flatten)]
    pub within: InEnvironment,
    /// The key of the user
    #[arg(long, value_name = "KEY")]
    pub user: String,
    /// An attribute, as JSON or text; can be repeated
    #[arg(short, long = "attribute", value_name = "NAME=VALUE")]
    pub attributes: Vec<String>,
    /// As of this version of the flag
    #[arg(long, value_name = "N")]
    pub version: Option<i64>,
}

#[derive(Args, Debug)]
pub struct FlagHistory {
    /// Its key
    pub key: String,
    #[command(flatten)]
    pub within: InProject,
    /// Only what concerns this environment
    #[arg(long, value_name = "SLUG")]
    pub env: Option<String>,
    /// Show this version
    #[arg(long, value_name = "N", conflicts_with = "limit")]
    pub version: Option<i64>,
    #[command(flatten)]
    pub paging: Paging,
}

#[derive(Args, Debug)]
pub struct RollBack {
    /// Its key
    pub key: String,
    #[command(flatten)]
    pub within: InEnvironment,
    /// The version to bring back
    #[arg(long, value_name = "VERSION")]
    pub to: i64,
    #[command(flatten)]
    pub change: TriedChange,
}

#[derive(Args, Debug)]
pub struct Promote {
    /// Its key
    pub key: String,
    #[command(flatten)]
    pub within: InProject,
    /// The environment to copy
    #[arg(long, value_name = "SLUG")]
    pub from: String,
    /// The environment to change
    #[arg(long, value_name = "SLUG")]
    pub to: String,
    /// Whether variants are copied: true or false
    #[arg(long, value_name = "BOOL", hide_possible_values = true)]
    pub variants: Option<bool>,
    #[command(flatten)]
    pub change: TriedChange,
}

#[derive(Args, Debug)]
pub struct Whole {
    /// Its key
    pub key: String,
    #[command(flatten)]
    pub within: InProject,
    #[command(flatten)]
    pub change: MatchedChange,
}

#[derive(Args, Debug)]
pub struct Stale {
    #[command(flatten)]
    pub within: InProject,
    /// Stale in this environment
    #[arg(long, value_name = "SLUG")]
    pub env: Option<String>,
    /// For this reason
    #[arg(long)]
    pub reason: Option<String>,
    /// For so many days, 7 to 365 (30 if left out)
    #[arg(long, value_name = "N")]
    pub days: Option<u64>,
    /// End with 2 if no code names one of them any more
    #[arg(long)]
    pub fail: bool,
    #[command(flatten)]
    pub paging: Paging,
}
