//! A project as files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Change, InProject};

pub(super) const PULL: &str = "\
Files keep their comments, and their bytes where they mean the same already.

Examples:
  halyardctl pull --project shop --dir shop
  halyardctl pull --all --dir flags --prune";

pub(super) const PLAN: &str = "\
Ends with 2 if something would change.

Examples:
  halyardctl plan --project shop --dir shop
  halyardctl plan --project shop --dir shop --what-if
  halyardctl diff --project shop --dir shop -o json";

pub(super) const APPLY: &str = "\
Everything is applied, or nothing, also if others change the project meanwhile.
Protected environments get requests for approval.

Examples:
  halyardctl apply --project shop --dir shop
  halyardctl apply --project shop --dir shop --yes --prune --wait edges --comment 'release 42'
  halyardctl apply --all --dir flags --dry-run";

/// Which files of which project.
#[derive(Args, Debug)]
pub struct Place {
    #[command(flatten)]
    pub within: InProject,
    /// Every project, each in a folder with its slug as name
    #[arg(long, conflicts_with = "project")]
    pub all: bool,
    /// The folder of the files
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub dir: PathBuf,
}

/// How files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    Yaml,
    Json,
}

#[derive(Args, Debug)]
pub struct Pull {
    #[command(flatten)]
    pub place: Place,
    /// Remove the files of what the project does not have
    #[arg(long)]
    pub prune: bool,
    /// Write over files that cannot be read
    #[arg(long)]
    pub force: bool,
    /// yaml or json; what is there keeps its format if this is left out
    #[arg(long, value_name = "FORMAT", hide_possible_values = true)]
    pub format: Option<FileFormat>,
}

#[derive(Args, Debug)]
pub struct Plan {
    #[command(flatten)]
    pub place: Place,
    /// Remove what the files do not have
    #[arg(long)]
    pub prune: bool,
}

#[derive(Args, Debug)]
pub struct ShowPlan {
    #[command(flatten)]
    pub plan: Plan,
    /// Estimate how many answers of the last 24 hours it would have changed
    #[arg(long)]
    pub what_if: bool,
}

#[derive(Args, Debug)]
pub struct Apply {
    #[command(flatten)]
    pub plan: Plan,
    /// Do not ask
    #[arg(short, long)]
    pub yes: bool,
    /// Let the service check it, and change nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub change: Change,
}
