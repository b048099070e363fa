//! The package of `./dev package`, installed into an empty folder.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use harness::{Stack, places};
use tempfile::TempDir;

/// What a command prints, which must succeed.
fn run(command: &mut Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{command:?}: {stderr}");
    String::from_utf8(stdout).unwrap()
}

/// The archive and the Debian package of the programs that are tested.
pub fn made(folder: &Path) -> [PathBuf; 2] {
    let made = run(Command::new(places::repository().join("dev"))
        .args(["package", "--binaries"])
        .arg(places::binary("halyard").parent().unwrap())
        .arg("--out")
        .arg(folder)
        // Programs of tests are large.
        .env("DPKG_DEB_COMPRESSOR_TYPE", "none"));
    let made: Vec<PathBuf> = made.lines().map(PathBuf::from).collect();
    made.try_into().unwrap()
}

#[tokio::test]
async fn the_debian_package_and_the_archive_have_programs_that_run() {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        eprintln!("not checked: there is no dpkg-deb");
        return;
    }
    let folder = TempDir::new().unwrap();
    let [archive, package] = made(folder.path());

    let root = folder.path().join("root");
    fs::create_dir_all(root.join("var/lib/dpkg/updates")).unwrap();
    fs::create_dir_all(root.join("var/lib/dpkg/info")).unwrap();
    fs::write(root.join("var/lib/dpkg/status"), "").unwrap();
    let dpkg = || {
        let mut dpkg = Command::new("dpkg");
        // Its scripts run as if in that folder, which has no shell of its own.
        dpkg.arg(format!("--root={}", root.display()));
        dpkg.args([
            "--force-script-chrootless",
            "--force-depends",
            "--force-not-root",
        ]);
        dpkg
    };
    run(dpkg().arg("--install").arg(&package));
    for secret in ["halyard.env", "halyard-edge.env"] {
        let file = fs::metadata(root.join("etc/halyard").join(secret)).unwrap();
        assert_eq!(file.permissions().mode() & 0o777, 0o600, "{secret}");
    }
    for unit in ["halyard", "halyard-edge"] {
        names_what_is_there(
            &root,
            &root.join(format!("usr/lib/systemd/system/{unit}.service")),
        );
    }
    for file in [
        "bash-completion/completions/halyardctl",
        "zsh/vendor-completions/_halyardctl",
        "fish/vendor_completions.d/halyardctl.fish",
        "man/man1/halyardctl-flag-kill.1.gz",
    ] {
        assert!(root.join("usr/share").join(file).is_file(), "{file}");
    }

    let unpacked = folder.path().join("unpacked");
    fs::create_dir(&unpacked).unwrap();
    let mut tar = Command::new("tar");
    run(tar
        .arg("-xzf")
        .arg(archive)
        .args(["--strip-components=1", "-C"])
        .arg(&unpacked));
    let stack = Stack::start().await;
    let version = env!("CARGO_PKG_VERSION");
    for programs in [root.join("usr/bin"), unpacked.join("bin")] {
        for name in ["halyard", "halyard-edge", "halyardctl"] {
            let told = run(Command::new(programs.join(name)).arg("--version"));
            assert!(told.starts_with(&format!("{name} {version}")), "{told}");
        }
        let mut health = Command::new(programs.join("halyard"));
        run(health
            .arg("health")
            .env("CONTROL_ADMIN_ADDR", stack.control.address("admin")));
    }

    // The settings of the operator stay until all is purged.
    fs::write(root.join("etc/halyard/halyard.env"), "SIGNUP=closed\n").unwrap();
    run(dpkg().arg("--install").arg(&package));
    run(dpkg().args(["--remove", "halyard"]));
    assert!(!root.join("usr/bin/halyard").exists());
    let kept = fs::read_to_string(root.join("etc/halyard/halyard.env")).unwrap();
    assert_eq!(kept, "SIGNUP=closed\n");
    run(dpkg().args(["--purge", "halyard"]));
    assert!(!root.join("etc/halyard").exists());
}

/// The program that a unit starts and its file of settings are in the package.
fn names_what_is_there(root: &Path, unit: &Path) {
    let text = fs::read_to_string(unit).unwrap();
    for key in ["ExecStart=/", "EnvironmentFile=/"] {
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(key))
            .unwrap();
        let path = line.split(' ').next().unwrap();
        assert!(root.join(path).is_file(), "{key}{path}");
    }
}
