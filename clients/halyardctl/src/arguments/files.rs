//! Flags as files: what can be done with them without a service.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

pub(super) const VALIDATE: &str = "\
Problems are written as FILE:LINE:COLUMN: MESSAGE on standard error.

Examples:
  halyardctl validate
  halyardctl validate --dir flags-repo --strict
  halyardctl validate flags.yaml -o json";

pub(super) const TEST: &str = "\
Cases are in tests/*.yaml, or under `tests` in a single file.

Examples:
  halyardctl test
  halyardctl test --dir flags-repo --junit report.xml
  halyardctl test flags.yaml --filter checkout";

pub(super) const SCHEMA: &str = "\
Kinds: flag, segment, environments, tests, project.

Examples:
  halyardctl schema flag >flag.schema.json
  halyardctl schema --out schemas";

/// The folder or file that a command is about.
#[derive(Args, Debug)]
pub struct Files {
    /// The folder, or the file [default: .]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,
    /// The same, by name
    #[arg(long, value_name = "DIR", conflicts_with = "path")]
    dir: Option<PathBuf>,
}

impl Files {
    /// The path; the current folder unless another one was given.
    #[must_use]
    pub fn path(&self) -> &Path {
        let given = self.path.as_deref().or(self.dir.as_deref());
        given.unwrap_or(Path::new("."))
    }
}

#[derive(Args, Debug)]
pub struct Validate {
    #[command(flatten)]
    pub files: Files,
    /// Fail on warnings too
    #[arg(long)]
    pub strict: bool,
}

#[derive(Args, Debug)]
pub struct Test {
    #[command(flatten)]
    pub files: Files,
    /// Also write a report in the form of JUnit
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Only cases with this text in their name
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
}

#[derive(Args, Debug)]
pub struct SchemaOf {
    /// The kind of file
    #[arg(required_unless_present = "out", hide_possible_values = true)]
    pub kind: Option<Kind>,
    /// Write the schemas of all kinds to a folder
    #[arg(long, value_name = "DIR", conflicts_with = "kind")]
    pub out: Option<PathBuf>,
}

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Flag,
    Segment,
    Environments,
    Tests,
    /// One file with everything.
    Project,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Flag,
        Self::Segment,
        Self::Environments,
        Self::Tests,
        Self::Project,
    ];

    /// As it is typed, and the name of its schema's file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Segment => "segment",
            Self::Environments => "environments",
            Self::Tests => "tests",
            Self::Project => "project",
        }
    }
}
