//! Environments of a project.

use clap::{Args, Subcommand};

use super::{Change, InProject, MatchedChange, Paging, Sure};

pub(super) const GROUP: &str = "\
Examples:
  halyardctl env list --project shop
  halyardctl env create Production --slug production --project shop";

/// What an environment has, besides its name.
#[derive(Args, Debug)]
pub struct EnvironmentFields {
    /// Its slug
    #[arg(long)]
    pub slug: Option<String>,
    /// Its colour, like #22c55e
    #[arg(long)]
    pub color: Option<String>,
    /// Whether changes need approval: true or false
    #[arg(long, value_name = "BOOL", hide_possible_values = true)]
    pub protected: Option<bool>,
    /// By how many people, where it is protected
    #[arg(long, value_name = "N")]
    pub required_approvals: Option<u32>,
}

#[derive(Debug, Subcommand)]
pub enum EnvironmentCommand {
    /// List the environments of a project
    #[command(after_help = "Examples:\n  halyardctl env list --project shop")]
    List {
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show an environment
    #[command(after_help = "Examples:\n  halyardctl env get production --project shop")]
    Get {
        /// Its slug or id
        env: String,
        #[command(flatten)]
        within: InProject,
    },
    /// Create an environment
    #[command(
        after_help = "Examples:\n  halyardctl env create Staging --slug staging --project shop"
    )]
    Create {
        /// Its name
        name: String,
        #[command(flatten)]
        fields: EnvironmentFields,
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        change: Change,
    },
    /// Change an environment
    #[command(
        after_help = "Examples:\n  halyardctl env update production --protected true --required-approvals 2"
    )]
    Update {
        /// Its slug or id
        env: String,
        /// A new name
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        fields: EnvironmentFields,
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        change: MatchedChange,
    },
    /// Delete an environment with its keys and states
    #[command(after_help = "Examples:\n  halyardctl env delete staging --project shop --yes")]
    Delete {
        /// Its slug or id
        env: String,
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        change: MatchedChange,
        #[command(flatten)]
        sure: Sure,
    },
}
