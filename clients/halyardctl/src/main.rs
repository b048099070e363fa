//! `halyardctl`: the command line client.

use std::process::ExitCode;

fn main() -> ExitCode {
    halyardctl::run(std::env::args_os()).into()
}
