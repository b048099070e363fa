//! Where flags are named in code.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{InProject, Sure};

pub(super) const GROUP: &str = "\
Examples:
  halyardctl refs scan --project shop
  halyardctl refs check old-checkout
  halyardctl refs list --project shop";

const SCAN: &str = "\
Files that git ignores, hidden, binary and large ones are left out, and those of .halyardignore.
A template of aliases has snake_case, camelCase, PascalCase or SCREAMING_SNAKE in braces.
.halyard/refs.toml can have aliases, alias_patterns, include, exclude and link.

Examples:
  halyardctl refs scan --project shop
  halyardctl refs scan web --project shop --alias-pattern camelCase --alias-pattern 'is{PascalCase}'
  halyardctl refs scan --project shop --link 'https://git.example.com/{commit}/{path}#L{line}'
  halyardctl refs scan --dir flags-repo --dry-run";

const CHECK: &str = "\
Keys are given, or are those that applying the files of --dir with --prune archives or deletes.
With a project, what other repositories have is told, and fails with --strict.

Examples:
  halyardctl refs check old-checkout dark-mode --path web
  halyardctl refs check --dir flags-repo --project shop --junit refs.xml";

#[derive(Debug, Subcommand)]
pub enum RefsCommand {
    /// Find flags in a repository, and tell the service
    #[command(after_help = SCAN)]
    Scan(Scan),
    /// Fail if flags that are to go are still named in a tree
    #[command(after_help = CHECK)]
    Check(CheckRefs),
    /// List the repositories that were scanned
    #[command(after_help = "Examples:\n  halyardctl refs list --project shop")]
    List {
        #[command(flatten)]
        within: InProject,
    },
    /// Forget what a repository has
    #[command(after_help = "Examples:\n  halyardctl refs remove acme/shop --project shop --yes")]
    Remove {
        /// Its name or its id
        repository: String,
        #[command(flatten)]
        within: InProject,
        #[command(flatten)]
        sure: Sure,
    },
}

/// Which repository; git is asked for what is left out.
#[derive(Args, Clone, Debug)]
pub struct InRepository {
    /// Its name, such as acme/shop
    #[arg(long, value_name = "NAME")]
    pub repository: Option<String>,
    /// The branch
    #[arg(long)]
    pub branch: Option<String>,
    /// The commit, in hex digits
    #[arg(long)]
    pub commit: Option<String>,
}

/// What stands for a flag.
#[derive(Args, Clone, Debug)]
pub struct Named {
    /// A name that stands for a flag; can be repeated
    #[arg(long = "alias", value_name = "KEY=NAME")]
    pub aliases: Vec<String>,
    /// A template of such names, as camelCase or is{PascalCase}
    #[arg(long = "alias-pattern", value_name = "TEMPLATE")]
    pub patterns: Vec<String>,
    /// Count keys in quotes alone
    #[arg(long)]
    pub quoted: bool,
}

#[derive(Args, Debug)]
pub struct Scan {
    /// What to look at
    #[arg(default_value = ".")]
    pub path: PathBuf,
    #[command(flatten)]
    pub within: InProject,
    /// Take the keys from flags as files
    #[arg(long, value_name = "DIR", requires = "dry_run")]
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub of: InRepository,
    /// How a line is linked to, with {commit}, {path} and {line}
    #[arg(long, value_name = "TEMPLATE")]
    pub link: Option<String>,
    #[command(flatten)]
    pub named: Named,
    /// Show what was found, and send nothing
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(Args, Debug)]
pub struct CheckRefs {
    /// The keys of flags that are to go
    #[arg(value_name = "KEY", required_unless_present = "dir")]
    pub keys: Vec<String>,
    /// The flags as files that are to be applied
    #[arg(long, value_name = "DIR", conflicts_with = "keys")]
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub within: InProject,
    /// What to look at
    #[arg(long, default_value = ".")]
    pub path: PathBuf,
    /// The name of the repository, which is not told as another one
    #[arg(long, value_name = "NAME")]
    pub repository: Option<String>,
    #[command(flatten)]
    pub named: Named,
    /// Fail if other repositories have them too
    #[arg(long)]
    pub strict: bool,
    /// Also write a report in the form of JUnit
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}
