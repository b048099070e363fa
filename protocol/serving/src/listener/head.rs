//! How long HTTP/1 waits for the next request.
//!
//! hyper has one time-out for both the idle time before a request and its head. A client that keeps its connection for
//! the next request may be idle for long; one that has begun a head may not take long to end it. So hyper is given the
//! longer time and this timer, whose sleeps are cut short by the first byte.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
    time::{Duration, Instant},
};

use hyper::rt::{Sleep, Timer};
use tokio::time;

/// Whether the client sent anything since the wait for its next request began.
#[derive(Clone, Debug, Default)]
pub(super) struct Arrivals(Arc<AtomicBool>);

impl Arrivals {
    /// Called when bytes were read.
    pub(super) fn note(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn forget(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    fn has_any(&self) -> bool {
        self.0.load(Ordering::Relaxed)
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
        self.arrivals.forget();
        Box::pin(Wait {
            sleep: Box::pin(time::sleep_until(deadline.into())),
            arrivals: self.arrivals.clone(),
            head_timeout: self.head_timeout,
            has_begun: false,
        })
    }

    fn now(&self) -> Instant {
        time::Instant::now().into()
    }
}

struct Wait {
    sleep: Pin<Box<time::Sleep>>,
    arrivals: Arrivals,
    head_timeout: Duration,
    has_begun: bool,
}

impl Sleep for Wait {}

impl Future for Wait {
    type Output = ();

    // hyper polls this after every read, hence right after the first byte has come.
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if !self.has_begun && self.arrivals.has_any() {
            self.has_begun = true;
            let end = time::Instant::now() + self.head_timeout;
            self.sleep.as_mut().reset(end);
        }
        self.sleep.as_mut().poll(context)
    }
}
