//! Accessors of flags, made for a language.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::InProject;

pub(super) const GENERATE: &str = "\
Kinds: typescript, python, go, rust, and manifest for the CLI of OpenFeature.
Flags come from its manifest, from flags as files, or from a project of the service.

Examples:
  halyardctl generate typescript --manifest flags.json --out src/flags.ts
  halyardctl generate go --dir flags-repo --package-name flags --out flags/flags.go
  halyardctl generate rust --project shop --out src/flags.rs --check
  halyardctl generate manifest --project shop --out flags.json";

/// What is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Made {
    Typescript,
    Python,
    Go,
    Rust,
    /// The manifest that the CLI of OpenFeature reads.
    Manifest,
}

impl Made {
    /// As it is typed.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Typescript => "typescript",
            Self::Python => "python",
            Self::Go => "go",
            Self::Rust => "rust",
            Self::Manifest => "manifest",
        }
    }
}

#[derive(Args, Debug)]
pub struct Generate {
    /// The language, or manifest
    #[arg(value_name = "KIND", hide_possible_values = true)]
    pub made: Made,
    /// The manifest of OpenFeature with the flags
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dir", "project"])]
    pub manifest: Option<PathBuf>,
    /// The folder, or the file, with flags as files
    #[arg(long, value_name = "DIR", conflicts_with = "project")]
    pub dir: Option<PathBuf>,
    #[command(flatten)]
    pub within: InProject,
    /// The file to write; standard output if left out
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write nothing: end with 2 if the file is another one
    #[arg(long, requires = "out")]
    pub check: bool,
    /// The package of Go
    #[arg(long, value_name = "NAME", default_value = "openfeature")]
    pub package_name: String,
}
