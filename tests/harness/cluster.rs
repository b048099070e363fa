//! A PostgreSQL cluster of a test's own, which can be stopped, copied as its files are, and put back to a copy: what a snapshot
//! of a disk does.

use std::path::{Path, PathBuf};
use std::process::Command;

use sqlx::{Connection, PgConnection};
use tempfile::TempDir;

use crate::{places, signals};

/// A running cluster. Dropping it stops and deletes it.
pub struct Cluster {
    folder: TempDir,
    url: String,
}

impl Cluster {
    /// Makes and starts one.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = dev("start", &[folder.path()]);
        Self { folder, url }
    }

    /// Makes and starts a standby, which streams what this one does.
    ///
    /// # Panics
    /// When it cannot be started.
    #[must_use]
    pub fn standby(&self) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = dev("standby", &[folder.path(), self.folder.path()]);
        Self { folder, url }
    }

    /// Makes this standby the primary, on another timeline, and waits until it is.
    ///
    /// # Panics
    /// When it is none.
    pub async fn promote(&self) {
        let mut session = PgConnection::connect(&self.url).await.expect("a session");
        let promoting = sqlx::query_scalar("SELECT pg_promote()").fetch_one(&mut session);
        let promoted: bool = promoting.await.expect("it is a standby");
        assert!(promoted, "it is not promoted");
    }

    /// Kills it, as a machine does that loses its power.
    ///
    /// # Panics
    /// When it does not run.
    pub fn kill(&self) {
        let file = std::fs::read_to_string(self.home().join("data/postmaster.pid"));
        let file = file.expect("a running server has a file");
        signals::send("KILL", file.lines().next().expect("its id"));
    }

    /// Has all its processes end at once, as after a crash: what it had committed is replayed from its log at the next start.
    ///
    /// # Panics
    /// When it does not run.
    pub fn crash(&self) {
        let file = self.home().join("data/postmaster.pid");
        let id = std::fs::read_to_string(&file).expect("a running server has a file");
        signals::send("QUIT", id.lines().next().expect("its id"));
        while file.exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }

    /// Starts it after [`Self::crash`], which may be at another address.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_again(&mut self) {
        self.url = dev("start", &[self.folder.path()]);
    }

    /// Where it is now.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The folder of the programs that it was started with: `pg_dump` and the like.
    ///
    /// # Panics
    /// When it does not run.
    #[must_use]
    pub fn programs(&self) -> PathBuf {
        let options = std::fs::read_to_string(self.home().join("data/postmaster.opts"));
        let options = options.expect("a server notes how it was started");
        let program = Path::new(options.split(' ').next().unwrap_or_default());
        program.parent().expect("a program has a folder").to_owned()
    }

    /// Stops it, copies its files, and starts it again, which may be at another address.
    ///
    /// # Panics
    /// When the files cannot be copied, or it does not start.
    pub fn take_snapshot(&mut self) {
        self.while_stopped(|data| replace(data, &snapshot_of(data)));
    }

    /// Stops it, puts its files back to the snapshot, and starts it again, which may be at another address.
    ///
    /// # Panics
    /// When there is no snapshot, or it does not start.
    pub fn restore_snapshot(&mut self) {
        self.while_stopped(|data| replace(&snapshot_of(data), data));
    }

    /// The same, and has the log that was written since replayed up to a restore point of this name.
    ///
    /// # Panics
    /// When there is no snapshot, or it does not start.
    pub fn restore_to_point(&mut self, name: &str) {
        self.while_stopped(|data| {
            let log = data.with_extension("log");
            replace(&data.join("pg_wal"), &log);
            replace(&snapshot_of(data), data);
            let settings = data.join("postgresql.auto.conf");
            let before = std::fs::read_to_string(&settings).unwrap_or_default();
            let recovery = format!(
                "{before}\nrestore_command = 'cp {}/%f \"%p\"'\nrecovery_target_name = '{name}'\n\
                 recovery_target_action = 'promote'\n",
                log.display()
            );
            std::fs::write(settings, recovery).expect("the settings can be written");
            std::fs::write(data.join("recovery.signal"), "").expect("a file can be written");
        });
    }

    fn while_stopped(&mut self, work: impl FnOnce(&Path)) {
        dev("stop", &[self.folder.path()]);
        work(&self.home().join("data"));
        self.url = dev("start", &[self.folder.path()]);
    }

    fn home(&self) -> PathBuf {
        let home = std::fs::read_to_string(self.folder.path().join("home"));
        home.expect("the cluster has a home").trim().into()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        dev("stop", &[self.folder.path()]);
        // It may lie outside of the temporary folder, where the user of the server can reach it.
        if let Err(error) = std::fs::remove_dir_all(self.home()) {
            eprintln!("a cluster of this test stays: {error}");
        }
    }
}

fn snapshot_of(data: &Path) -> PathBuf {
    data.with_extension("snapshot")
}

/// Copies a folder with owners and modes, which the server insists upon, in the place of what was there.
fn replace(from: &Path, to: &Path) {
    if to.exists() {
        std::fs::remove_dir_all(to).expect("a copy can be deleted");
    }
    let copied = Command::new("cp").arg("-a").arg(from).arg(to).status();
    assert!(copied.expect("cp runs").success(), "the copy failed");
}

/// Runs `./dev postgres`; what it printed.
fn dev(verb: &str, folders: &[&Path]) -> String {
    let output = Command::new(places::repository().join("dev"))
        .args(["postgres", verb])
        .args(folders)
        .output()
        .expect("./dev postgres runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "./dev postgres {verb}: {errors}");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}
