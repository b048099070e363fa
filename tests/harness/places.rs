//! Where things are: the repository, the target folder, the binaries.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Whose binaries a process runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Release {
    /// This build.
    Current,
    /// The release before it.
    Previous,
}

/// The repository's root.
#[must_use]
pub fn repository() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests
        .parent()
        .expect("tests is a folder of the repository")
        .to_owned()
}

/// Cargo's target folder: a test binary lies in `<target>/<profile>/deps/`, that of the benchmarks in `<target>/<profile>/`.
#[must_use]
pub fn target() -> PathBuf {
    let profile = profile();
    profile
        .parent()
        .expect("a profile's folder lies in the target folder")
        .to_owned()
}

/// A binary that we ship: from `HALYARD_BIN_DIR`, else from where this test was built.
///
/// # Panics
/// When it is not there. A run of the tests does not build other packages' binaries.
#[must_use]
pub fn binary(name: &str) -> PathBuf {
    binary_of(Release::Current, name)
}

/// The same of either release: that of the previous one from `HALYARD_PREVIOUS_BIN_DIR`, else from where `./dev test` builds it.
///
/// # Panics
/// When it is not there.
#[must_use]
pub fn binary_of(release: Release, name: &str) -> PathBuf {
    let (setting, hint) = match release {
        Release::Current => ("HALYARD_BIN_DIR", "`cargo build --workspace --bins`"),
        Release::Previous => (
            "HALYARD_PREVIOUS_BIN_DIR",
            "`./dev test` builds it, HALYARD_WITHOUT_PREVIOUS=1 leaves its tests out",
        ),
    };
    let built = || match release {
        Release::Current => profile(),
        Release::Previous => target()
            .join("previous")
            .join(previous_release().1)
            .join("debug"),
    };
    let folder = env::var_os(setting).map_or_else(built, PathBuf::from);
    let path = folder.join(name);
    assert!(path.is_file(), "{} is missing: {hint}", path.display());
    path
}

/// The tag and the commit of the previous release.
///
/// # Panics
/// When `deploy/previous-release` has another form.
#[must_use]
pub fn previous_release() -> (String, String) {
    let text = fs::read_to_string(repository().join("deploy/previous-release"));
    let text = text.expect("the file names the previous release");
    let (tag, commit) = text.trim().split_once(' ').expect("a tag and a commit");
    (tag.to_owned(), commit.to_owned())
}

fn profile() -> PathBuf {
    let test = env::current_exe().expect("a running test has a file");
    let folder = test.parent().expect("a file lies in a folder");
    if folder.ends_with("deps") {
        let profile = folder.parent();
        profile.expect("deps lies in a profile's folder").to_owned()
    } else {
        folder.to_owned()
    }
}
