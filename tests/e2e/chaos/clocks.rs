//! A clock for each process, which jumps while it runs: libfaketime, from `HALYARD_FAKETIME`. What measures time that passes is
//! not changed, as it is not when somebody sets the time of a machine.

use std::fs;
use std::path::PathBuf;

use harness::process::Process;
use tempfile::TempDir;

use super::world::Node;

/// The clocks of a world; without the library they cannot jump.
pub struct Clocks {
    folder: TempDir,
    library: Option<PathBuf>,
}

impl Clocks {
    /// All of them are right.
    pub fn new() -> Self {
        let clocks = Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
            library: std::env::var_os("HALYARD_FAKETIME").map(PathBuf::from),
        };
        for node in Node::ALL {
            clocks.set(node, 0);
        }
        clocks
    }

    pub const fn can_jump(&self) -> bool {
        self.library.is_some()
    }

    /// What a process has to be told.
    pub fn settings(&self, node: Node) -> Vec<(&'static str, String)> {
        let Some(library) = &self.library else {
            return Vec::new();
        };
        let text = |path: &PathBuf| path.to_string_lossy().into_owned();
        vec![
            ("LD_PRELOAD", text(library)),
            ("FAKETIME_TIMESTAMP_FILE", text(&self.file(node))),
            ("FAKETIME_CACHE_DURATION", "1".to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ]
    }

    /// Gives a process that does not run yet its clock.
    pub fn give(&self, process: &mut Process, node: Node) {
        for (name, value) in self.settings(node) {
            process.set(name, &value);
        }
    }

    /// Has the clock of a process be so many seconds ahead, within a second.
    pub fn set(&self, node: Node, seconds: i64) {
        let file = self.file(node);
        fs::write(file, format!("{seconds:+}\n")).expect("a file for the clock");
    }

    fn file(&self, node: Node) -> PathBuf {
        self.folder.path().join(node.name())
    }
}
