//! Which build a process is: its version, and the commit it was made from.

use std::{
    fmt,
    sync::{LazyLock, OnceLock},
};

#[doc(hidden)]
pub use git_version::git_version;

/// A version and a commit, written `0.2.0 (abc1234)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Build {
    /// The version of the release.
    pub version: &'static str,
    /// The commit, abbreviated; `unknown` where a build could not find out.
    pub commit: &'static str,
}

/// The build that is being made. A macro, so that a commit rebuilds the file which calls it, a `main.rs`, and no library.
///
/// `HALYARD_COMMIT`, when set while building, stands for the commit: for sources without git.
#[macro_export]
macro_rules! this_build {
    () => {
        $crate::build::Build {
            version: env!("CARGO_PKG_VERSION"),
            commit: match option_env!("HALYARD_COMMIT") {
                Some(commit) if !commit.is_empty() => commit,
                _ => $crate::build::git_version!(
                    args = ["--always", "--exclude=*", "--abbrev=7"],
                    fallback = "unknown"
                ),
            },
        }
    };
}

static THIS: OnceLock<Build> = OnceLock::new();

/// Records which build this process is. The first call counts.
pub fn set(build: Build) {
    THIS.get_or_init(|| build);
}

/// Which build this process is.
#[must_use]
pub fn this() -> Build {
    *THIS.get_or_init(|| Build {
        version: env!("CARGO_PKG_VERSION"),
        commit: "unknown",
    })
}

/// [`this`], as text.
#[must_use]
pub fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| this().to_string());
    &TEXT
}

impl fmt::Display for Build {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { version, commit } = self;
        write!(f, "{version} ({commit})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_is_written_with_its_commit() {
        let build = Build {
            version: "1.2.3",
            commit: "abc1234",
        };
        assert_eq!(build.to_string(), "1.2.3 (abc1234)");
    }
}
