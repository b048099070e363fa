//! The variables of the environment that this client reads, and the time. No other file reads them.

use std::path::PathBuf;

use time::OffsetDateTime;

/// The service; wins over contexts.
pub const URL: &str = "HALYARD_URL";
/// The access token; wins over contexts.
pub const TOKEN: &str = "HALYARD_TOKEN";
/// The project where `--project` is not given.
pub const PROJECT: &str = "HALYARD_PROJECT";
/// The credential of the platform that is imported from.
pub const IMPORT_KEY: &str = "HALYARD_IMPORT_KEY";

/// A variable; `None` where it is absent, empty or no text.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "this is the file that reads the environment"
)]
pub fn text(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The folder of this program's settings: `$XDG_CONFIG_HOME/halyard`, else `~/.config/halyard`.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    let absolute = |name| {
        text(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let config = absolute("XDG_CONFIG_HOME").or_else(|| Some(absolute("HOME")?.join(".config")));
    Some(config?.join("halyard"))
}

/// The time of this machine.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "a command runs once, at the time of the machine"
)]
pub fn now() -> OffsetDateTime {
    OffsetDateTime::now_utc()
}
