//! `halyard`: the control plane, and the operator's commands.

mod commands;
mod standalone;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    commands::run(commands::Cli::parse())
}
