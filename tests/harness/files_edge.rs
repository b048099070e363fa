//! The edge that needs no control plane, as a real process.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serving::clock::Clock;
use tempfile::TempDir;

use crate::{
    caller::Caller,
    process::Process,
    stack::{EDGE_PORTS, answers},
};

/// An edge that serves files, without a control plane. Its folder is gone with it.
pub struct FilesEdge {
    pub process: Process,
    folder: TempDir,
}

impl FilesEdge {
    /// One that does not run yet; `name` is that of the file or folder in its folder which it serves.
    #[must_use]
    pub fn new(name: &str, arguments: &[&str], settings: &[(&'static str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name).to_string_lossy().into_owned();
        let mut all = BTreeMap::from([("LOG_FORMAT", "text".to_owned())]);
        let given = settings.iter();
        all.extend(given.map(|&(name, value)| (name, value.to_owned())));
        let arguments = [&["--flags", &path], arguments].concat();
        let logs = folder.path().join("logs");
        fs::create_dir(&logs).expect("a folder for the log");
        let process = Process::new("files", "halyard-edge", &arguments, all, EDGE_PORTS, &logs);
        Self { process, folder }
    }

    /// Writes a file of its folder, all at once as editors do.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("folders are made");
        let beside = path.with_extension("new");
        fs::write(&beside, text).expect("a file is written");
        fs::rename(beside, path).expect("a file is replaced");
    }

    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts it, and waits until it listens.
    pub async fn start(&mut self) {
        self.process.start().await;
        answers(&mut self.process, "/health").await;
    }

    /// Calls it without a key.
    #[must_use]
    pub fn caller(&self) -> Caller {
        Caller::new(&self.process.url("http"), Clock::system())
    }

    /// Calls its admin address.
    #[must_use]
    pub fn admin(&self) -> Caller {
        Caller::new(&self.process.url("admin"), Clock::system())
    }
}
