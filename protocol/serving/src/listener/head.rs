//! How long HTTP/1 waits for the next request.
//!
//! hyper has one time-out for both the idle time before a request and its head. A client that keeps its connection for
//! the next request may be idle for long; one that has begun a head may not take long to end it. So hyper is given the
//! longer time and this timer, whose sleeps are cut short by the first byte.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};
use tokio::time;

/// The wait of one HTTP/1 connection for its next request: there is one after each answer, and nearly all end at once. So none
/// of them sets a timer. There is one for the connection, which looks when it is due by then.
#[derive(Debug)]
pub(super) struct Arrivals(Arc<State>);

#[derive(Debug)]
struct State {
    began: Instant,
    /// Whether the client sent anything since the wait began.
    has_any: AtomicBool,
    /// When the wait ends, in nanoseconds after the connection began; [`NEVER`] while there is none.
    until: AtomicU64,
}

const NEVER: u64 = u64::MAX;

impl Arrivals {
    pub(super) fn new() -> Self {
        Self(Arc::new(State {
            began: now(),
            has_any: AtomicBool::new(false),
            until: AtomicU64::new(NEVER),
        }))
    }

    /// Called when bytes were read.
    pub(super) fn note(&self) {
        self.0.has_any.store(true, Ordering::Relaxed);
    }

    /// Called when a request has come.
    pub(super) fn over(&self) {
        self.0.until.store(NEVER, Ordering::Relaxed);
    }

    /// Waits until a wait for a request has ended without one. `time` is the shortest that there are.
    pub(super) async fn end(&self, time: Duration) {
        loop {
            let until = self.0.until.load(Ordering::Relaxed);
            if until == NEVER {
                // A wait that begins meanwhile ends no earlier.
                time::sleep(time).await;
                continue;
            }
            let end = self.0.began + Duration::from_nanos(until);
            if now() >= end {
                return;
            }
            time::sleep_until(end.into()).await;
        }
    }

    fn begin(&self, end: Instant) {
        self.0.has_any.store(false, Ordering::Relaxed);
        let after = end.saturating_duration_since(self.0.began).as_nanos();
        let after = u64::try_from(after).unwrap_or(NEVER).min(NEVER - 1);
        self.0.until.store(after, Ordering::Relaxed);
    }
}

fn now() -> Instant {
    time::Instant::now().into()
}

impl Clone for Arrivals {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The timer of one HTTP/1 connection.
#[derive(Debug)]
pub(super) struct HeadTimer {
    pub(super) arrivals: Arrivals,
    /// Time for a head that has begun.
    pub(super) head_timeout: Duration,
}

impl Timer for HeadTimer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    /// Called when the wait for a request begins.
    // The beginning of the next head may have come with the end of the last request. It then counts as idle time until
    // more of it arrives: no more than a client has that sends nothing.
    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        self.arrivals.begin(deadline);
        Box::pin(Wait {
            head: None,
            arrivals: self.arrivals.clone(),
            head_timeout: self.head_timeout,
        })
    }

    fn now(&self) -> Instant {
        now()
    }
}

struct Wait {
    /// Ends that of a head that has begun, which few do without ending at once.
    head: Option<Pin<Box<time::Sleep>>>,
    arrivals: Arrivals,
    head_timeout: Duration,
}

impl Sleep for Wait {}

impl Future for Wait {
    type Output = ();

    // hyper polls this after every read, hence right after the first byte has come.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.head.is_none() && !self.arrivals.0.has_any.load(Ordering::Relaxed) {
            return Poll::Pending;
        }
        let timeout = self.head_timeout;
        let head = self
            .head
            .get_or_insert_with(|| Box::pin(time::sleep(timeout)));
        head.as_mut().poll(context)
    }
}
