//! The command line: what can be typed, and what its help says. What commands do is in `commands`.

mod account;
mod audit;
mod change_set;
mod common;
mod environment;
mod files;
mod flag;
mod generate;
mod gitops;
mod import;
mod key;
mod project;
mod raw;
mod refs;
mod segment;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

pub use account::{ContextCommand, Login};
pub use audit::{Audit, Edges, EdgesCommand, Stream, Waves};
pub use change_set::{ChangeSetCommand, InChangeSet};
pub use common::{
    Change, InEnvironment, InProject, MatchedChange, Paging, Sure, TriedChange, Wait,
};
pub use environment::{EnvironmentCommand, EnvironmentFields};
pub use files::{Files, Kind, SchemaOf, Test, Validate};
pub use flag::{
    CreateFlag, Explain, FlagCommand, FlagFields, FlagHistory, ListFlags, Promote, RollBack, Stale,
    StateFields, Switch, UpdateFlag, Whole,
};
pub use generate::{Generate, Made};
pub use gitops::{Apply, FileFormat, Place, Plan, Pull, ShowPlan};
pub use import::{ImportCommand, Platform, Source};
pub use key::{CreateKey, KeyCommand, KeyType};
pub use project::ProjectCommand;
pub use raw::Api;
pub use refs::{CheckRefs, InRepository, Named, RefsCommand, Scan};
pub use segment::{SegmentCommand, SegmentFields};

use crate::output::Format;

const AFTER: &str = "\
Examples:
  halyardctl login --url https://flags.example.com
  halyardctl flag list --project shop
  halyardctl flag enable new-checkout --project shop --env production

HALYARD_URL and HALYARD_TOKEN win over contexts; HALYARD_PROJECT stands for --project.

Exit codes: 0 done, 1 failed, 2 differs, 3 refused by the service, 64 not understood.";

/// Halyard's command line: flags, segments, environments, keys and edges.
#[derive(Debug, Parser)]
#[command(name = "halyardctl", version, after_help = AFTER, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

/// What every command takes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Global options")]
pub struct Global {
    /// How answers are written: table, json or yaml
    #[arg(
        short,
        long,
        global = true,
        default_value = "table",
        hide_default_value = true
    )]
    #[arg(hide_possible_values = true)]
    pub output: Format,
    /// The context to use instead of the current one
    #[arg(long, global = true, value_name = "NAME")]
    pub context: Option<String>,
    /// Tell of each request on standard error
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Log in with an access token
    #[command(after_help = account::LOGIN)]
    Login(Login),
    /// Forget the token of a context
    #[command(after_help = "Examples:\n  halyardctl logout\n  halyardctl logout --context staging")]
    Logout,
    /// Show who the token belongs to
    #[command(after_help = "Examples:\n  halyardctl whoami\n  halyardctl whoami -o json")]
    Whoami,
    /// Choose between services
    #[command(subcommand, after_help = account::CONTEXT)]
    Context(ContextCommand),
    /// Projects
    #[command(subcommand, after_help = project::GROUP)]
    Project(ProjectCommand),
    /// Environments of a project
    #[command(subcommand, after_help = environment::GROUP)]
    Env(EnvironmentCommand),
    /// Flags
    #[command(subcommand, after_help = flag::GROUP)]
    Flag(FlagCommand),
    /// Segments
    #[command(subcommand, after_help = segment::GROUP)]
    Segment(SegmentCommand),
    /// Keys of SDKs
    #[command(subcommand, after_help = key::GROUP)]
    Key(KeyCommand),
    /// List who changed what
    #[command(after_help = audit::AUDIT)]
    Audit(Audit),
    /// Edges, and how fast they learn of changes
    #[command(after_help = audit::EDGES)]
    Edges(Edges),
    /// Follow changes as they happen
    #[command(after_help = audit::STREAM)]
    Stream(Stream),
    /// Import from LaunchDarkly, Unleash or Flagsmith
    #[command(subcommand, after_help = import::GROUP)]
    Import(ImportCommand),
    /// Check flags as files, without a service
    #[command(after_help = files::VALIDATE)]
    Validate(Validate),
    /// Run the tests of flags as files, without a service
    #[command(after_help = files::TEST)]
    Test(Test),
    /// Print the JSON Schema of a kind of file
    #[command(after_help = files::SCHEMA)]
    Schema(SchemaOf),
    /// Write typed accessors of flags for a language
    #[command(after_help = generate::GENERATE)]
    Generate(Generate),
    /// Write a project as files
    #[command(after_help = gitops::PULL)]
    Pull(Pull),
    /// Show what applying files would change
    #[command(visible_alias = "diff", after_help = gitops::PLAN)]
    Plan(ShowPlan),
    /// Change a project to what files say
    #[command(after_help = gitops::APPLY)]
    Apply(Apply),
    /// Edits that are reviewed and applied together
    #[command(subcommand, after_help = change_set::GROUP)]
    ChangeSet(ChangeSetCommand),
    /// Where flags are named in code
    #[command(subcommand, after_help = refs::GROUP)]
    Refs(RefsCommand),
    /// Send any request to the API
    #[command(after_help = raw::AFTER)]
    Api(Api),
    /// Print a script that completes commands
    #[command(
        after_help = "Examples:\n  halyardctl completions bash >/etc/bash_completion.d/halyardctl"
    )]
    Completions {
        /// bash, zsh or fish
        #[arg(hide_possible_values = true)]
        shell: Shell,
    },
    /// Write the manual pages
    #[command(after_help = "Examples:\n  halyardctl man --out /usr/share/man/man1")]
    Man {
        /// The folder to write to
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Print the version
    #[command(after_help = "Examples:\n  halyardctl version")]
    Version,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// A command with all below it, and their names.
    fn all(command: &clap::Command, names: &str, found: &mut Vec<(String, clap::Command)>) {
        found.push((names.to_owned(), command.clone()));
        for below in command.get_subcommands() {
            all(below, &format!("{names} {}", below.get_name()), found);
        }
    }

    fn every_command() -> Vec<(String, clap::Command)> {
        let mut whole = Cli::command();
        whole.build();
        let mut found = Vec::new();
        all(&whole, "halyardctl", &mut found);
        assert!(found.len() > 50, "{}", found.len());
        found
    }

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    /// What a command prints for `--help`.
    fn help(name: &str) -> String {
        let told = Cli::try_parse_from(name.split(' ').chain(["--help"]));
        told.expect_err("help is no command").to_string()
    }

    #[test]
    fn every_help_has_examples_and_fits_one_screen() {
        for (name, _) in every_command() {
            let help = help(&name);
            let lines = help.lines().count();
            // The first one has a line for every command.
            let most = if name == "halyardctl" { 52 } else { 40 };
            assert!(lines <= most, "{name} --help has {lines} lines:\n{help}");
            let wide = help.lines().find(|line| line.chars().count() > 100);
            assert!(wide.is_none(), "{name}: {wide:?}");
            assert!(help.contains("Examples:\n"), "{name}: no examples\n{help}");
        }
    }

    #[test]
    fn every_example_can_be_typed() {
        for (name, command) in every_command() {
            let after = command.get_after_help().unwrap().to_string();
            let after = after.replace("\\\n", "");
            let lines = after
                .lines()
                .filter_map(|line| line.strip_prefix("  halyardctl "));
            let examples: Vec<_> = lines.collect();
            assert!(!examples.is_empty(), "{name}");
            for example in examples {
                let line = example.split(" <").next().unwrap();
                let words = words(line.split(" >").next().unwrap());
                let whole = std::iter::once("halyardctl".to_owned()).chain(words);
                if let Err(why) = Cli::try_parse_from(whole) {
                    panic!("{name}: `{example}`: {why}");
                }
            }
        }
    }

    /// Splits as a shell does, as far as examples need it.
    fn words(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quoted = false;
        for character in line.chars() {
            match character {
                '\'' => quoted = !quoted,
                ' ' if !quoted => words.push(String::new()),
                other => words.last_mut().unwrap().push(other),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }
}
