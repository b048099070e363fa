//! Keys by which SDKs ask for flags.

use clap::{Args, Subcommand, ValueEnum};

use super::{Change, InEnvironment, Paging, Sure};

pub(super) const GROUP: &str = "\
Examples:
  halyardctl key list --project shop --env production
  halyardctl key create backend --project shop --env production";

/// Who has a key: servers, or clients such as browsers.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum KeyType {
    Server,
    Client,
}

#[derive(Args, Debug)]
pub struct CreateKey {
    /// Its name
    pub name: String,
    /// server or client
    #[arg(long = "type", value_name = "TYPE", hide_possible_values = true)]
    pub kind: Option<KeyType>,
    /// How long it is valid, in days
    #[arg(long, value_name = "DAYS")]
    pub expires_in_days: Option<u32>,
    #[command(flatten)]
    pub within: InEnvironment,
    #[command(flatten)]
    pub change: Change,
}

#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// List the keys of an environment, without their secrets
    #[command(after_help = "Examples:\n  halyardctl key list --project shop --env production")]
    List {
        #[command(flatten)]
        within: InEnvironment,
        #[command(flatten)]
        paging: Paging,
    },
    /// Create a key, which is shown this once
    #[command(
        after_help = "Examples:\n  halyardctl key create web --type client --project shop --env production"
    )]
    Create(CreateKey),
    /// End a key now
    #[command(
        after_help = "Examples:\n  halyardctl key revoke 0190a5d6-7c4b-7e1a-9d3f-2b6c8e4f1a70 --yes"
    )]
    Revoke {
        /// Its id
        id: String,
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        sure: Sure,
    },
    /// Replace a key; the old one goes on for a while
    #[command(
        after_help = "Examples:\n  halyardctl key rotate 0190a5d6-7c4b-7e1a-9d3f-2b6c8e4f1a70 --grace-hours 48"
    )]
    Rotate {
        /// Its id
        id: String,
        /// How long the old one goes on, in hours
        #[arg(long, value_name = "HOURS")]
        grace_hours: Option<u32>,
        #[command(flatten)]
        change: Change,
    },
}
