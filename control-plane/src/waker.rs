//! The shape of all background work: re-read the truth, converge, sleep until woken or due.
//!
//! A wake-up carries no data, so that a restart and a wake-up run the same code.

use std::{future::Future, time::Duration};

use tokio::sync::watch;

/// Wakes a [`run`] loop early. Carries no data on purpose: a task that needs an argument would behave differently after
/// a restart than before it.
#[derive(Clone, Debug)]
pub struct Waker(watch::Sender<()>);

impl Waker {
    /// A waker that nobody listens to yet.
    #[must_use]
    pub fn new() -> Self {
        Self(watch::Sender::new(()))
    }

    /// Asks for one more activation; calls made while one is pending coalesce.
    pub fn wake(&self) {
        self.0.send_replace(());
    }

    /// What a loop listens to. Wake-ups from before this call are not seen.
    #[must_use]
    pub fn listen(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
}

impl Default for Waker {
    fn default() -> Self {
        Self::new()
    }
}

/// Activates `task` at once, when woken, and at least every `period`, until every waker is dropped or the future is.
pub async fn run<F>(period: Duration, mut woken: watch::Receiver<()>, mut task: impl FnMut() -> F)
where
    F: Future<Output = ()>,
{
    loop {
        task().await;
        tokio::select! {
            changed = woken.changed() => if changed.is_err() { return },
            () = tokio::time::sleep(period) => {}
        }
    }
}
