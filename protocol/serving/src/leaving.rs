//! The time between the signal to stop and the end of serving.
//!
//! A balancer goes on sending requests until it has noticed that a process is not ready, and proxies and SDKs have open
//! connections. So a process that is to stop leaves first: it says that it is not ready, and answers on.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::sleep,
};
use tokio_util::sync::CancellationToken;

use crate::settings::Reader;

/// The default of `SHUTDOWN_DELAY` where balancers may be in front.
pub const USUAL_DELAY: Duration = Duration::from_secs(10);

const LONGEST: Duration = Duration::from_secs(300);

/// `SHUTDOWN_DELAY`: how long a process answers on after the signal to stop.
pub fn delay(reader: &mut Reader<'_>, default: Duration) -> Duration {
    reader.duration("SHUTDOWN_DELAY", default, Duration::ZERO..=LONGEST)
}

/// Whether a process is leaving. Clones share it.
#[derive(Clone, Debug)]
pub struct Leaving {
    begun: CancellationToken,
    /// The same, for each request: reading it writes to nothing that connections share.
    is_begun: Arc<AtomicBool>,
}

impl Leaving {
    /// Of a process that serves until `stop` is cancelled, and does not leave yet.
    #[must_use]
    pub fn before(stop: &CancellationToken) -> Self {
        Self {
            begun: stop.child_token(),
            is_begun: Arc::default(),
        }
    }

    /// The process leaves.
    pub fn begin(&self) {
        self.is_begun.store(true, Ordering::Release);
        self.begun.cancel();
    }

    /// Whether it leaves.
    #[must_use]
    pub fn is_begun(&self) -> bool {
        self.is_begun.load(Ordering::Acquire)
    }

    /// Cancelled once it leaves, or stops without having left.
    #[must_use]
    pub const fn begun(&self) -> &CancellationToken {
        &self.begun
    }
}

/// The signals by which operators and supervisors stop a process.
#[derive(Debug)]
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// From now on they do not end the process by themselves.
    ///
    /// # Errors
    /// When the system refuses it.
    pub fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Returns when the process has to stop: SIGTERM lets it leave for `delay` before, which a second signal ends. SIGINT comes from
    /// a terminal, and needs no delay.
    pub async fn until_stop(mut self, leaving: &Leaving, delay: Duration) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {
                leaving.begin();
                return;
            }
        }
        leaving.begin();
        if delay.is_zero() {
            return;
        }
        let duration_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(duration_ms, "not ready any more; stopping after a delay");
        tokio::select! {
            () = sleep(delay) => {}
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
