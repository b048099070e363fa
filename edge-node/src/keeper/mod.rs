//! Keeps the cache up to date from a thread of its own, never in the path of a request or an acknowledgement.
//!
//! Changes are put into a backlog and written in order for each environment; a whole snapshot replaces everything
//! waiting before it. The backlog is bounded: an environment that would exceed it is dropped from the cache and is
//! whole again after its next snapshot. A failing disk is reported in the log and the metrics, and retried with
//! exponential back-off, while the backlog keeps what could not be written.

mod backlog;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use protocol::ids::EnvId;
use serving::error::chain;
use tokio::sync::oneshot;

use self::backlog::{Backlog, Work};
use crate::{
    Edge,
    cache::{Cache, CacheError, Start},
    usage::Upkeep,
};

pub(crate) use crate::cache::Change;

/// The first pause after a disk failure; doubled up to the longest.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A handle to the cache's thread.
#[derive(Clone, Debug)]
pub(crate) struct Keeper(Arc<Backlog>);

impl Keeper {
    /// Starts the thread, which opens the cache and hands out what it holds. The receiver is notified when that is
    /// done, whether or not there was anything.
    pub(crate) fn start(folder: PathBuf, edge: Edge) -> io::Result<(Self, oneshot::Receiver<()>)> {
        let backlog = Arc::new(Backlog::default());
        let (loaded, done) = oneshot::channel();
        let work = Arc::clone(&backlog);
        thread::Builder::new()
            .name("cache".to_owned())
            .spawn(move || {
                let ran = catch_unwind(AssertUnwindSafe(|| run(&folder, &work, &edge, loaded)));
                if ran.is_err() {
                    tracing::error!("the cache's thread panicked; continuing without a cache");
                }
                work.finish();
            })?;
        Ok((Self(backlog), done))
    }

    /// Has a change written, asynchronously.
    pub(crate) fn store(&self, env_id: EnvId, change: Change) {
        self.0.add(env_id, change);
    }

    /// Has batches of usage written or removed, asynchronously.
    pub(crate) fn store_usage(&self, upkeep: Upkeep) {
        self.0.add_usage(upkeep);
    }

    /// Has everything that waits written and the cache closed; false if the disk takes longer. Blocks.
    pub(crate) fn stop(&self, within: Duration) -> bool {
        self.0.stop();
        self.0.is_finished_within(within)
    }
}

fn run(folder: &Path, backlog: &Backlog, edge: &Edge, loaded: oneshot::Sender<()>) {
    let mut disk = Disk {
        folder,
        edge,
        cache: None,
        is_usage_restored: false,
    };
    match Cache::open(folder, &mut |epoch, push| edge.restore(epoch, &push)) {
        Ok((cache, start)) => {
            disk.keep(cache);
            match start {
                Start::Loaded(environments) => tracing::info!(environments, "cache loaded"),
                Start::Empty => edge.forget_restored(),
            }
            edge.restored();
        }
        Err(error) => {
            edge.forget_restored();
            failed(&error, "cannot open the cache");
        }
    }
    // Nobody waits for it any more if the edge is stopping.
    loaded.send(()).unwrap_or_default();

    let mut pause = FIRST_PAUSE;
    while let Some(work) = backlog.take() {
        match disk.write(work) {
            Ok(()) => pause = FIRST_PAUSE,
            Err((error, rest)) => {
                failed(&error, "cannot write to the cache");
                disk.cache = None;
                backlog.put_back(rest);
                if backlog.is_stopped_within(pause) {
                    return;
                }
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
        }
    }
}

/// The cache, reopened when there is something to write after a failure.
struct Disk<'a> {
    folder: &'a Path,
    edge: &'a Edge,
    cache: Option<Cache>,
    /// What an earlier run left is handed out once. Anything found later is from this run, which has it in memory.
    is_usage_restored: bool,
}

impl Disk<'_> {
    fn keep(&mut self, mut cache: Cache) -> &mut Cache {
        let found = cache.take_usage();
        if !self.is_usage_restored {
            self.edge.restore_usage(found);
            self.is_usage_restored = true;
        }
        self.cache.insert(cache)
    }

    fn open(&mut self) -> Result<&mut Cache, CacheError> {
        match self.cache.take() {
            Some(cache) => Ok(self.cache.insert(cache)),
            // What is on disk is older than what is served: open it only for writing.
            None => {
                let (cache, _) = Cache::open(self.folder, &mut |_, _| true)?;
                Ok(self.keep(cache))
            }
        }
    }

    /// Writes until done or failed; what was not written is returned with the error.
    fn write(&mut self, mut work: Work) -> Result<(), (CacheError, Work)> {
        let cache = match self.open() {
            Ok(cache) => cache,
            Err(error) => return Err((error, work)),
        };
        while let Some((env_id, change)) = work.front() {
            if let Err(error) = cache.write(env_id, change) {
                return Err((error, work));
            }
            work.pop_front();
        }
        while let Some((id, batch)) = work.first_usage() {
            let written = match batch {
                Some(batch) => cache.write_usage(batch),
                None => cache.remove_usage(id),
            };
            if let Err(error) = written {
                return Err((error, work));
            }
            work.pop_first_usage();
        }
        cache.flush().map_err(|error| (error, Work::default()))
    }
}

fn failed(error: &CacheError, message: &'static str) {
    metrics::counter!("halyard_edge_cache_failures_total").increment(1);
    tracing::error!(
        error = %chain(error),
        "{message}; serving continues"
    );
}
