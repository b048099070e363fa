//! Change sets: edits that are reviewed and applied together.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{InProject, MatchedChange, Paging, Sure};

pub(super) const GROUP: &str = "\
Examples:
  halyardctl change-set create 'New checkout' --project shop --dir shop
  halyardctl change-set list --project shop --status pending";

const CREATE: &str = "\
The edits are what `halyardctl plan` shows. Nothing is changed before the set is applied.

Examples:
  halyardctl change-set create 'New checkout' --project shop --dir shop";

const APPLY: &str = "\
Examples:
  halyardctl change-set apply 0192f0c1-7a3b-7cde-8f01-23456789abcd --wait edges
  halyardctl change-set apply 0192f0c1-7a3b-7cde-8f01-23456789abcd --at 2027-01-02T15:04:05Z";

const DELETE: &str = "\
Examples:
  halyardctl change-set delete 0192f0c1-7a3b-7cde-8f01-23456789abcd --yes";

macro_rules! examples {
    ($command:literal) => {
        concat!(
            "Examples:\n  halyardctl change-set ",
            $command,
            " 0192f0c1-7a3b-7cde-8f01-23456789abcd"
        )
    };
}

/// Which change set of which project.
#[derive(Args, Clone, Debug)]
pub struct InChangeSet {
    /// Its id
    pub id: String,
    #[command(flatten)]
    pub within: InProject,
}

#[derive(Debug, Subcommand)]
pub enum ChangeSetCommand {
    /// List the change sets of a project
    #[command(after_help = "Examples:\n  halyardctl change-set list --project shop")]
    List {
        /// draft, pending, approved, scheduled, applied, rejected or failed
        #[arg(long)]
        status: Option<String>,
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        paging: Paging,
    },
    /// Show a change set
    #[command(after_help = examples!("get"))]
    Get(InChangeSet),
    /// Show what a change set would do now, and what stands in its way
    #[command(after_help = examples!("diff"))]
    Diff(InChangeSet),
    /// Draft what files say
    #[command(after_help = CREATE)]
    Create {
        /// Its name
        name: String,
        /// What it is for
        #[arg(long, value_name = "TEXT")]
        description: Option<String>,
        #[command(flatten)]
        within: InProject,
        /// The folder of the files
        #[arg(long, value_name = "DIR", default_value = ".")]
        dir: PathBuf,
        /// Remove what the files do not have
        #[arg(long)]
        prune: bool,
    },
    /// Ask for approval of a draft
    #[command(after_help = examples!("request"))]
    Request(InChangeSet),
    /// Approve a change set that others drafted
    #[command(after_help = examples!("approve"))]
    Approve {
        #[command(flatten)]
        set: InChangeSet,
        /// Why
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
        /// Also over what was changed since: the version that `diff` shows
        #[arg(long, value_name = "VERSION")]
        seen_version: Option<i64>,
    },
    /// Reject a change set that others drafted
    #[command(after_help = examples!("reject"))]
    Reject {
        #[command(flatten)]
        set: InChangeSet,
        /// Why
        #[arg(long, value_name = "TEXT")]
        note: Option<String>,
    },
    /// Apply a change set as one version, or nothing
    #[command(after_help = APPLY)]
    Apply {
        #[command(flatten)]
        set: InChangeSet,
        /// Then, and not now
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        /// Also over what was changed since: the version that `diff` shows
        #[arg(long, value_name = "VERSION")]
        seen_version: Option<i64>,
        #[command(flatten)]
        change: MatchedChange,
    },
    /// Draft the way back from one that was applied
    #[command(after_help = examples!("undo"))]
    Undo(InChangeSet),
    /// Make it a draft again
    #[command(after_help = examples!("reopen"))]
    Reopen(InChangeSet),
    /// Delete a change set that is not applied
    #[command(after_help = DELETE)]
    Delete {
        #[command(flatten)]
        set: InChangeSet,
        #[command(flatten)]
        sure: Sure,
    },
}
