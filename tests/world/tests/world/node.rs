//! An edge over its processes: it is stopped or killed, and started again from what is on its disk.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serving::clock::Clock;
use tokio::{task::JoinHandle, time::Instant};

use crate::{
    edge::{Running, Site},
    network::Network,
};

/// So long after its end began a process may be started again: longer than an end takes, so that it does not matter how long.
const ENDING: Duration = Duration::from_secs(3);

pub(crate) struct Node {
    pub(crate) site: Site,
    folder: Folder,
    pub(crate) running: Option<Running>,
    ending: Option<Ending>,
    boots: u16,
}

/// A process that is on its way out.
struct Ending {
    ended: JoinHandle<()>,
    until: Instant,
    /// Whether what it has written is lost.
    forgets: bool,
}

impl Node {
    pub(crate) fn new(site: Site, folder: PathBuf) -> Self {
        Self {
            site,
            folder: Folder::new(folder),
            running: None,
            ending: None,
            boots: 0,
        }
    }

    /// Where its identity is.
    pub(crate) fn identity(&self) -> PathBuf {
        self.folder.now.join("identity")
    }

    /// False if it runs, or may not run again yet.
    pub(crate) fn may_start(&self) -> bool {
        let ending = self.ending.as_ref();
        self.running.is_none() && ending.is_none_or(|ending| ending.until <= Instant::now())
    }

    /// How long it may not run yet.
    pub(crate) fn ends_in(&self) -> Duration {
        let ending = self.ending.as_ref();
        ending.map_or(Duration::ZERO, |ending| {
            ending.until.saturating_duration_since(Instant::now())
        })
    }

    pub(crate) async fn start(&mut self, network: &Network, clock: Clock) {
        if let Some(ending) = self.ending.take() {
            ending.ended.await.unwrap();
            if ending.forgets {
                self.folder.take_back();
            }
        }
        self.folder.remember();
        let started = Running::start(&self.site, &self.folder.now, network, self.boots, clock);
        self.running = Some(started.await);
        self.boots += 1;
    }

    /// Has it stop as it does when it is asked to.
    pub(crate) fn stop(&mut self) {
        self.end(false);
    }

    /// Nobody hears of it from now on. What it had not written when it started is lost, or not.
    pub(crate) fn kill(&mut self, forgets: bool) {
        if let Some(running) = &self.running {
            running.machine.unplug();
        }
        self.end(forgets);
    }

    fn end(&mut self, forgets: bool) {
        if let Some(running) = self.running.take() {
            self.ending = Some(Ending {
                ended: tokio::spawn(running.stop()),
                until: Instant::now() + ENDING,
                forgets,
            });
        }
    }
}

/// The folder of an edge: as it is, and as it was when its process started.
struct Folder {
    now: PathBuf,
    before: PathBuf,
}

impl Folder {
    fn new(now: PathBuf) -> Self {
        let before = now.with_extension("before");
        Self { now, before }
    }

    /// Remembers the copy, before a process starts with it.
    fn remember(&self) {
        remove(&self.before);
        copy(&self.now, &self.before);
    }

    /// What the process has written since it started is lost.
    fn take_back(&self) {
        remove(&self.now);
        copy(&self.before, &self.now);
    }
}

fn remove(folder: &Path) {
    if folder.exists() {
        fs::remove_dir_all(folder).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
