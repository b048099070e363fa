//! Projects.

use clap::Subcommand;

use super::{Change, Paging, Sure};

pub(super) const GROUP: &str = "\
Examples:
  halyardctl project list
  halyardctl project create Shop --slug shop";

#[derive(Debug, Subcommand)]
pub enum ProjectCommand {
    /// List the projects
    #[command(after_help = "Examples:\n  halyardctl project list -o json")]
    List(Paging),
    /// Show a project
    #[command(after_help = "Examples:\n  halyardctl project get shop")]
    Get {
        /// Its slug or id
        project: String,
    },
    /// Create a project
    #[command(after_help = "Examples:\n  halyardctl project create Shop --slug shop")]
    Create {
        /// Its name
        name: String,
        /// Its slug; made of the name if left out
        #[arg(long)]
        slug: Option<String>,
    },
    /// Rename a project
    #[command(after_help = "Examples:\n  halyardctl project update shop --name 'The shop'")]
    Update {
        /// Its slug or id
        project: String,
        /// A new name
        #[arg(long)]
        name: Option<String>,
        /// A new slug
        #[arg(long)]
        slug: Option<String>,
    },
    /// Delete a project with all it has
    #[command(after_help = "Examples:\n  halyardctl project delete shop --yes")]
    Delete {
        /// Its slug or id
        project: String,
        #[command(flatten)]
        change: Change,
        #[command(flatten)]
        sure: Sure,
    },
}
