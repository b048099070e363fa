//! A small disk for the cache of an edge, which a test fills and frees.
//!
//! Where mounting is permitted it is a file system of its own, in memory. Elsewhere it is a limit on the size of all
//! files of the process, its log included: no write succeeds beyond it, as on a full disk, with another error.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::{process::Process, stack::Edge};

/// Room for a few generations of small environments.
const SIZE: &str = "size=24m";
/// Blocks of 512 bytes: room for the file that tells the addresses, and for nothing of the cache.
const FULL: u32 = 8;
const EMPTY: u32 = 1 << 30;

/// The disk below the cache of one edge. Unmounted when dropped.
pub struct Disk {
    folder: PathBuf,
    is_mounted: bool,
}

impl Disk {
    /// A disk for an edge that does not run.
    #[must_use]
    pub fn below(edge: &mut Edge) -> Self {
        let folder = edge.cache();
        fs::create_dir_all(&folder).expect("a folder for the cache");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", SIZE, "halyard-test"])
            .arg(&folder)
            .stderr(Stdio::null())
            .status();
        let is_mounted = mounted.is_ok_and(|status| status.success());
        if !is_mounted {
            edge.process.limit_files(Some(EMPTY));
        }
        Self { folder, is_mounted }
    }

    /// Leaves no room, for the process that runs or for the next.
    pub fn fill(&self, process: &mut Process) {
        if !self.is_mounted {
            process.limit_files(Some(FULL));
            return;
        }
        let mut ballast = File::create(self.ballast()).expect("a file");
        for size in [1 << 16, 1 << 10, 1] {
            let error = loop {
                if let Err(error) = ballast.write_all(&vec![7; size]) {
                    break error;
                }
            };
            assert_eq!(error.kind(), ErrorKind::StorageFull);
        }
    }

    /// Ends [`Self::fill`].
    pub fn free(&self, process: &mut Process) {
        if self.is_mounted {
            fs::remove_file(self.ballast()).expect("the ballast");
        } else {
            process.limit_files(Some(EMPTY));
        }
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        if self.is_mounted {
            // Lazily: the process may still run. Nothing is left to be done if it fails.
            let _status = Command::new("umount").arg("-l").arg(&self.folder).status();
        }
    }
}
