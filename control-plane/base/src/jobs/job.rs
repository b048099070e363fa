//! A row of the table.

use std::{error::Error, future::Future, sync::Mutex, time::Duration};

use futures_util::{FutureExt, TryFutureExt, future::BoxFuture};
use serde::Serialize;
use time::OffsetDateTime;

use crate::waker::Waker;

/// What periods are made of.
pub const SECOND: Duration = Duration::from_secs(1);
/// 60 seconds.
pub const MINUTE: Duration = Duration::from_secs(60);
/// 60 minutes.
pub const HOUR: Duration = Duration::from_secs(60 * 60);

/// Why a run failed.
pub type Failure = Box<dyn Error + Send + Sync>;

/// What is done once, after the last run. In a mutex only because a job is shared by its lanes.
type Farewell = Mutex<BoxFuture<'static, ()>>;

/// When to run again at the latest, where that is sooner than the period.
pub(super) type Next = Option<OffsetDateTime>;

/// On which replicas a job runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RunsOn {
    /// Each does what is its own.
    EveryReplica,
    /// One does it for all. For a moment two may, so it is harmless when both do.
    Leader,
}

/// Background work.
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
    /// A job that runs at once and then at least every `period`. Each run gets a clone of what it works `with`.
    pub fn new<S, F, E>(
        name: &'static str,
        period: Duration,
        runs_on: RunsOn,
        with: S,
        work: impl Fn(S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Clone + Send + Sync + 'static,
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<Failure> + 'static,
    {
        Self::when_due(name, period, runs_on, with, move |with| {
            work(with).map_ok(|()| None)
        })
    }

    /// A job that tells after each run when the next is due, if that is before the period ends.
    pub fn when_due<S, F, E>(
        name: &'static str,
        period: Duration,
        runs_on: RunsOn,
        with: S,
        work: impl Fn(S) -> F + Send + Sync + 'static,
    ) -> Self
    where
        S: Clone + Send + Sync + 'static,
        F: Future<Output = Result<Next, E>> + Send + 'static,
        E: Into<Failure> + 'static,
    {
        Self {
            name,
            period,
            runs_on,
            meanwhile: "a job fails; it is tried again",
            waker: Waker::new(),
            lanes: 1,
            work: Box::new(move || work(with.clone()).map_err(Into::into).boxed()),
            farewell: None,
        }
    }

    /// Runs also whenever this wakes it.
    #[must_use]
    pub fn woken_by(mut self, waker: &Waker) -> Self {
        self.waker = waker.clone();
        self
    }

    /// Has so many loops at once, each by itself: a run that takes long does not hold up the others.
    #[must_use]
    pub const fn in_lanes(mut self, lanes: usize) -> Self {
        self.lanes = lanes;
        self
    }

    /// What holds while it fails, for the log.
    #[must_use]
    pub const fn meanwhile(mut self, meanwhile: &'static str) -> Self {
        self.meanwhile = meanwhile;
        self
    }

    /// Done once when the process stops, after the last run.
    #[must_use]
    pub fn finally(mut self, farewell: impl Future<Output = ()> + Send + 'static) -> Self {
        self.farewell = Some(Mutex::new(farewell.boxed()));
        self
    }
}
