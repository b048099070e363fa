//! Work that goes on after the answer, so that nobody can measure what it does.
//!
//! It is bounded: its cause waits for a permit first, by client network, whether there is an account or not. What costs a password's
//! hash and what costs nothing have permits of their own: requests for codes cannot take those of failed logins. The process waits
//! for all of it when it stops.

use std::{future::ready, net::IpAddr, sync::Arc};

use metrics::Gauge;
use serving::address::ClientAddress;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use base::limits::{self, Full, Limiter, Permit};

/// What is left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Sending codes to reset a password, which anybody may ask for.
    ResetCodes,
    /// What follows on a password that was compared: notes of failed logins, passwords hashed anew.
    SignIns,
}

impl Kind {
    /// Its name in metrics.
    const fn name(self) -> &'static str {
        match self {
            Self::ResetCodes => "reset_codes",
            Self::SignIns => "sign_ins",
        }
    }
}

/// What goes on after answers, of one kind. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Afterwards {
    kind: Kind,
    limiter: Limiter<IpAddr>,
    turns: Arc<Semaphore>,
    tasks: TaskTracker,
}

/// The right to leave something for after the answer.
#[derive(Debug)]
pub(super) struct Later {
    afterwards: Afterwards,
    permit: Permit<IpAddr>,
}

/// Counts what is left, until it is done.
struct Left(Kind);

impl Afterwards {
    /// What is left is among `tasks`.
    pub(super) fn new(kind: Kind, tasks: TaskTracker) -> Self {
        Self {
            kind,
            limiter: Limiter::new(limits::AFTER_ANSWERS),
            // Two at once: jobs need the connections too.
            turns: Arc::new(Semaphore::new(2)),
            tasks,
        }
    }

    /// Waits for the right to leave something that a client at `ip` causes. Ask for it before anything depends on the account.
    pub(super) async fn later(&self, ip: IpAddr) -> Result<Later, Full> {
        let permit = self.limiter.enter(ClientAddress(ip).network()).await?;
        Ok(Later {
            afterwards: self.clone(),
            permit,
        })
    }
}

impl Later {
    pub(super) fn run(self, work: impl Future<Output = ()> + Send + 'static) {
        self.run_after(ready(Some(())), |()| work);
    }

    /// Leaves this for after the answer: first what needs no connection, and may wait for others, then what is made of it, in its
    /// turn. `None` ends it.
    pub(super) fn run_after<T: Send + 'static, W: Future<Output = ()> + Send>(
        self,
        first: impl Future<Output = Option<T>> + Send + 'static,
        then: impl FnOnce(T) -> W + Send + 'static,
    ) {
        let Self { afterwards, permit } = self;
        let left = Left::one_more(afterwards.kind);
        let turns = afterwards.turns;
        afterwards.tasks.spawn(async move {
            if let Some(made) = first.await {
                let _turn = turns.acquire().await.expect("never closed");
                then(made).await;
            }
            drop((left, permit));
        });
    }
}

impl Left {
    fn one_more(kind: Kind) -> Self {
        gauge(kind).increment(1);
        Self(kind)
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        gauge(self.0).decrement(1);
    }
}

fn gauge(kind: Kind) -> Gauge {
    metrics::gauge!("halyard_left_after_answers", "kind" => kind.name())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::FutureExt;
    use tokio::{sync::oneshot, time::timeout};

    use super::*;

    fn address(last: u8) -> IpAddr {
        [192, 0, 2, last].into()
    }

    fn sign_ins() -> (Afterwards, TaskTracker) {
        let tasks = TaskTracker::new();
        (Afterwards::new(Kind::SignIns, tasks.clone()), tasks)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_left_after_answers_is_bounded_shared_and_waited_for() {
        let (afterwards, tasks) = sign_ins();
        let mut held = Vec::new();
        for _ in 0..limits::AFTER_ANSWERS.per_key {
            let (done, until) = oneshot::channel::<()>();
            let later = afterwards.later(address(1)).await.unwrap();
            later.run(async move { until.await.unwrap_or_default() });
            held.push(done);
        }
        assert!(afterwards.later(address(1)).await.is_err());
        let another = afterwards.later(address(2)).await.unwrap();
        assert_eq!(tasks.len(), 16);

        tasks.close();
        assert!(tasks.wait().now_or_never().is_none());
        drop((held, another));
        tasks.wait().await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_hash_that_waits_holds_no_turn() {
        let (afterwards, tasks) = sign_ins();
        let mut hashes = Vec::new();
        for last in 0..3 {
            let (hashed, until) = oneshot::channel::<()>();
            let later = afterwards.later(address(last)).await.unwrap();
            later.run_after(async move { until.await.ok() }, |()| ready(()));
            hashes.push(hashed);
        }
        let (told, hears) = oneshot::channel();
        let later = afterwards.later(address(3)).await.unwrap();
        later.run(async move { told.send(()).unwrap() });
        let heard = timeout(Duration::from_secs(1), hears).await;
        heard.expect("it has its turn").unwrap();
        assert_eq!(tasks.len(), 3);
    }
}
