//! Work that goes on after the answer, so that nobody can measure what it does.
//!
//! It is bounded: whoever causes it waits for a place first, with a share for each client network, and whether there is an account
//! makes no difference to that. The process waits for it when it stops.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use serving::address::ClientAddress;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::{
    refusal::Refusal,
    shares::{Full, Place, Queue, Shares},
};

/// What may be left to do at a time, and how much of it one client network may cause.
const PLACES: usize = 64;
const SHARE: usize = 16;
/// How many requests may wait until there is a place.
const QUEUE: Queue = Queue {
    each: 32,
    all: 512,
    patience: Duration::from_secs(3),
};
/// How much is done at once: jobs need the connections too.
const AT_ONCE: usize = 3;

/// What goes on after answers. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Afterwards {
    places: Shares<IpAddr>,
    turns: Arc<Semaphore>,
    left: Arc<AtomicU32>,
    tasks: TaskTracker,
}

/// The right to leave something for after the answer.
#[derive(Debug)]
pub(super) struct Later {
    afterwards: Afterwards,
    place: Place<IpAddr>,
}

/// Counts what is left, until it is done.
struct Left(Arc<AtomicU32>);

impl Afterwards {
    /// What is left is among `tasks`.
    pub(super) fn new(tasks: TaskTracker) -> Self {
        Self {
            places: Shares::with_queue(PLACES, SHARE, QUEUE),
            turns: Arc::new(Semaphore::new(AT_ONCE)),
            left: Arc::default(),
            tasks,
        }
    }

    /// Waits for the right to leave something that a client at `ip` causes. Ask for it before anything depends on the account.
    pub(super) async fn later(&self, ip: IpAddr) -> Result<Later, Full> {
        let place = self.places.enter(ClientAddress(ip).network()).await?;
        Ok(Later {
            afterwards: self.clone(),
            place,
        })
    }
}

impl Later {
    /// Leaves this for after the answer.
    pub(super) fn run(self, work: impl Future<Output = ()> + Send + 'static) {
        let Self { afterwards, place } = self;
        let left = Left::one_more(&afterwards.left);
        let turns = afterwards.turns;
        afterwards.tasks.spawn(async move {
            let _turn = turns.acquire().await.expect("never closed");
            work.await;
            drop((left, place));
        });
    }
}

impl Left {
    fn one_more(left: &Arc<AtomicU32>) -> Self {
        show(left.fetch_add(1, Ordering::Relaxed) + 1);
        Self(Arc::clone(left))
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        show(self.0.fetch_sub(1, Ordering::Relaxed) - 1);
    }
}

fn show(left: u32) {
    metrics::gauge!("halyard_left_after_answers").set(left);
}

/// What must not be lost is refused when there is no place for it.
pub(super) fn refused(_: Full) -> Refusal {
    Refusal::Unavailable {
        words: "too many requests at once, please try again",
        retry_after: Some(QUEUE.patience),
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::sync::oneshot;

    use super::*;

    fn address(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_left_after_answers_is_bounded_shared_and_waited_for() {
        let tasks = TaskTracker::new();
        let afterwards = Afterwards::new(tasks.clone());
        let mut held = Vec::new();
        for _ in 0..SHARE {
            let (done, until) = oneshot::channel::<()>();
            let later = afterwards.later(address(1)).await.unwrap();
            later.run(async move { until.await.unwrap_or_default() });
            held.push(done);
        }
        assert_eq!(afterwards.later(address(1)).await.unwrap_err(), Full::All);
        let another = afterwards.later(address(2)).await.unwrap();
        assert_eq!(afterwards.left.load(Ordering::Relaxed), 16);

        tasks.close();
        assert!(tasks.wait().now_or_never().is_none());
        drop((held, another));
        tasks.wait().await;
        assert_eq!(afterwards.left.load(Ordering::Relaxed), 0);
    }
}
