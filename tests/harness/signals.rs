//! Signals to processes, by the shell's own `kill`, since slim systems have no other.

use std::{fmt::Display, process::Command};

/// Sends a signal to the process of this id, or to a group of processes by its id after a minus sign.
///
/// # Panics
/// When there is none.
pub fn send(signal: &str, to: impl Display) {
    let kill = format!("kill -{signal} {to}");
    let status = Command::new("sh").arg("-c").arg(&kill).status();
    assert!(status.is_ok_and(|status| status.success()), "{kill}");
}
