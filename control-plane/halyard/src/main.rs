//! `halyard`: the control plane, and the operator's commands.

use std::process::ExitCode;

use clap::Parser;
use control_plane::commands;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    serving::build::set(serving::this_build!());
    commands::run(commands::Cli::parse())
}
