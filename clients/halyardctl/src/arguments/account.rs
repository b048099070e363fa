//! Logging in, and contexts.

use clap::{Args, Subcommand};

pub(super) const LOGIN: &str = "\
Shows the page where access tokens are made, and reads one without showing it.

Examples:
  halyardctl login --url https://flags.example.com
  halyardctl login --url https://staging.example.com --context staging
  halyardctl login --url https://flags.example.com --with-token <token.txt";

pub(super) const CONTEXT: &str = "\
Contexts are in $XDG_CONFIG_HOME/halyard/contexts.toml, which only you can read.

Examples:
  halyardctl context list
  halyardctl context use staging";

#[derive(Args, Debug)]
pub struct Login {
    /// The address of the service
    #[arg(long)]
    pub url: Option<String>,
    /// Read the token from a pipe or a file
    #[arg(long)]
    pub with_token: bool,
}

#[derive(Debug, Subcommand)]
pub enum ContextCommand {
    /// List the contexts
    #[command(after_help = "Examples:\n  halyardctl context list")]
    List,
    /// Use a context from now on
    #[command(after_help = "Examples:\n  halyardctl context use staging")]
    Use {
        /// Its name
        name: String,
    },
    /// Remove a context with its token
    #[command(after_help = "Examples:\n  halyardctl context remove staging")]
    Remove {
        /// Its name
        name: String,
    },
}
