//! `halyardctl`: the command line client.

use std::process::ExitCode;

/// Flags as files are many small texts.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    halyardctl::run(std::env::args_os()).into()
}
