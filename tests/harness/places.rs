//! Where things are: the repository, the target folder, the binaries.

use std::path::{Path, PathBuf};

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
    let folder = std::env::var_os("HALYARD_BIN_DIR").map_or_else(profile, PathBuf::from);
    let path = folder.join(name);
    assert!(
        path.is_file(),
        "{} is missing: `cargo build --workspace --bins`",
        path.display()
    );
    path
}

fn profile() -> PathBuf {
    let test = std::env::current_exe().expect("a running test has a file");
    let folder = test.parent().expect("a file lies in a folder");
    if folder.ends_with("deps") {
        let profile = folder.parent();
        profile.expect("deps lies in a profile's folder").to_owned()
    } else {
        folder.to_owned()
    }
}
