//! Keeps the cache up to date from a thread of its own, never in the path of a request or an acknowledgement.
//!
//! Changes are put into a backlog and written in order for each environment; a whole snapshot replaces everything
//! waiting before it. What was written is compared with what is served. The link asks for what is missing and does not
//! wait to be written: environments dropped from the backlog because it grew beyond its bound, and those lost with a
//! generation that was damaged. A failing disk is reported in the log and the metrics and tried again with growing
//! pauses, while the backlog keeps what could not be written.

mod backlog;
mod disk;
mod mirror;
mod waiting;

use std::{
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::Arc,
    thread,
    time::Duration,
};

use fanout::{AskedFor, Wanted};
use protocol::ids::EnvId;
use tokio::sync::oneshot;

use self::{backlog::Backlog, disk::Disk};
use crate::{Edge, usage::Upkeep};

pub(crate) use crate::cache::{Change, Origin};

/// A handle to the cache's thread.
#[derive(Clone, Debug)]
pub(crate) struct Keeper(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    backlog: Backlog,
    /// What is served and neither stored nor about to be.
    missing: Wanted,
}

impl Keeper {
    /// Starts the thread, which opens the cache and hands out what it holds. The receiver is notified when that is
    /// done or has failed, whether or not there was anything.
    pub(crate) fn start(
        folder: PathBuf,
        origin: Origin,
        edge: Edge,
    ) -> io::Result<(Self, oneshot::Receiver<()>)> {
        let shared = Arc::<Shared>::default();
        let (loaded, done) = oneshot::channel();
        let work = Arc::clone(&shared);
        thread::Builder::new()
            .name("cache".to_owned())
            .spawn(move || {
                let disk = Disk::new(folder, origin, edge, &work);
                let ran = catch_unwind(AssertUnwindSafe(|| disk.run(loaded)));
                if ran.is_err() {
                    tracing::error!("the cache's thread panicked; continuing without a cache");
                }
                work.backlog.finish();
            })?;
        Ok((Self(shared), done))
    }

    /// Has a change written, asynchronously.
    pub(crate) fn store(&self, env_id: EnvId, change: Change) {
        self.0.backlog.add(env_id, change);
    }

    /// Has batches of usage written or removed, asynchronously.
    pub(crate) fn store_usage(&self, upkeep: Upkeep) {
        self.0.backlog.add_usage(upkeep);
    }

    /// Tells with which certificate a connection is made: SHA-256.
    pub(crate) fn connecting(&self, certificate: [u8; 32]) {
        self.0.backlog.connecting(certificate);
    }

    /// Tells that a greeting was applied: everything that is served belongs to the certificate of this connection.
    pub(crate) fn greeted(&self) {
        self.0.backlog.greeted();
    }

    /// Tells that this edge has another certificate for the same: SHA-256. The cache is to be its own before the next
    /// connection, which may be after a restart without a control plane.
    pub(crate) fn renewed(&self, certificate: [u8; 32]) {
        self.0.backlog.connecting(certificate);
        self.0.backlog.greeted();
    }

    /// What one connection has to ask for, so that all that is served gets into the cache.
    pub(crate) fn wants(&self) -> Wants {
        Wants {
            shared: Arc::clone(&self.0),
            // Enough for a slow line, and no burden on the control plane.
            asked: AskedFor::at_most(16),
        }
    }

    /// Has everything that waits written and the cache closed; false if the disk takes longer. Blocks.
    pub(crate) fn stop(&self, within: Duration) -> bool {
        self.0.backlog.stop();
        self.0.backlog.is_finished_within(within)
    }
}

/// The environments that one connection is to ask for.
pub(crate) struct Wants {
    shared: Arc<Shared>,
    asked: AskedFor,
}

impl Wants {
    /// Waits until there is something to ask for: a few environments, and others once these are stored.
    pub(crate) async fn next(&mut self) -> Vec<EnvId> {
        self.asked.next(&self.shared.missing).await
    }
}
