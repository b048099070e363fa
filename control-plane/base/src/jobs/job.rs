//! A row of the table.

use std::{error::Error, future::Future, time::Duration};

use futures_util::{FutureExt, TryFutureExt, future::BoxFuture};
use parking_lot::Mutex;
use serde::Serialize;
use time::OffsetDateTime;

use crate::waker::Waker;

pub const SECOND: Duration = Duration::from_secs(1);
pub const MINUTE: Duration = Duration::from_secs(60);
pub const HOUR: Duration = Duration::from_secs(60 * 60);

pub type Failure = Box<dyn Error + Send + Sync>;

/// Run once, after the last run. In a mutex only because a job is shared by its lanes.
type Farewell = Mutex<BoxFuture<'static, ()>>;

/// The time of the next run, where that is sooner than the period.
pub struct Next(pub(super) Option<OffsetDateTime>);

impl From<()> for Next {
    fn from((): ()) -> Self {
        Self(None)
    }
}

impl From<Option<OffsetDateTime>> for Next {
    fn from(next: Option<OffsetDateTime>) -> Self {
        Self(next)
    }
}

/// On which replicas a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunsOn {
    EveryReplica,
    /// One replica does it for all. During a change of leaders two may, so running twice must be harmless.
    Leader,
}

pub struct Job {
    pub(super) name: &'static str,
    pub(super) period: Duration,
    pub(super) runs_on: RunsOn,
    pub(super) meanwhile: &'static str,
    pub(super) waker: Waker,
    pub(super) lanes: usize,
    pub(super) work: Box<dyn Fn() -> BoxFuture<'static, Result<Next, Failure>> + Send + Sync>,
    pub(super) farewell: Option<Farewell>,
}

impl Job {
    /// A job that runs at once and then at least every `period`; sooner if a run returns when the next is due. Each run gets a
    /// clone of `with`.
    pub fn new<S, F, T, E>(
        name: &'static str,
        period: Duration,
        runs_on: RunsOn,
        with: S,
        work: impl Fn(S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Clone + Send + Sync + 'static,
        F: Future<Output = Result<T, E>> + Send + 'static,
        T: Into<Next> + 'static,
        E: Into<Failure> + 'static,
    {
        Self {
            name,
            period,
            runs_on,
            meanwhile: "a job fails; it is tried again",
            waker: Waker::new(),
            lanes: 1,
            work: Box::new(move || work(with.clone()).map_ok(Into::into).err_into().boxed()),
            farewell: None,
        }
    }

    /// Runs also whenever the waker wakes it.
    #[must_use]
    pub fn woken_by(mut self, waker: &Waker) -> Self {
        self.waker = waker.clone();
        self
    }

    /// Runs several loops independently, so that a long run does not delay the others.
    #[must_use]
    pub(crate) const fn in_lanes(mut self, lanes: usize) -> Self {
        self.lanes = lanes;
        self
    }

    /// The consequence of its failure, for the log.
    #[must_use]
    pub const fn meanwhile(mut self, meanwhile: &'static str) -> Self {
        self.meanwhile = meanwhile;
        self
    }

    /// Runs once when the process stops, after the last run.
    #[must_use]
    pub(crate) fn finally(mut self, farewell: impl Future<Output = ()> + Send + 'static) -> Self {
        self.farewell = Some(Mutex::new(farewell.boxed()));
        self
    }
}
