//! The state of a job: for `/jobs`, for Prometheus, and for the log.

use std::time::Duration;

use metrics::{counter, gauge, histogram};
use parking_lot::Mutex;
use serde::Serialize;
use serving::error::chain;
use time::OffsetDateTime;

use super::{Failure, Job, RunsOn};

/// The state of a job on this replica.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    pub name: &'static str,
    /// Seconds between two runs at most, while it does not fail.
    pub period_seconds: f64,
    /// On which replicas it runs.
    pub runs_on: RunsOn,
    /// Whether it runs on this replica now; the leader's jobs run on one replica only.
    pub active: bool,
    /// When a run last succeeded here.
    #[serde(with = "time::serde::rfc3339::option")]
    pub last_success: Option<OffsetDateTime>,
    /// How long that run took, in seconds.
    pub last_duration_seconds: Option<f64>,
    /// Runs that failed since the process started.
    pub failures: u64,
    /// Why the last run failed; `null` when it succeeded.
    pub last_error: Option<String>,
}

#[derive(Debug)]
pub(super) struct Board {
    name: &'static str,
    /// Active lanes, and the report.
    state: Mutex<(usize, Report)>,
}

/// Marks a lane of a job as active until dropped.
pub(super) struct Active<'a>(&'a Board);

impl Board {
    pub(super) fn of(job: &Job) -> Self {
        let report = Report {
            name: job.name,
            period_seconds: job.period.as_secs_f64(),
            runs_on: job.runs_on,
            active: false,
            last_success: None,
            last_duration_seconds: None,
            failures: 0,
            last_error: None,
        };
        counter!("halyard_job_failures_total", "task" => job.name).absolute(0);
        Self {
            name: job.name,
            state: Mutex::new((0, report)),
        }
    }

    pub(super) fn report(&self) -> Report {
        let state = self.state.lock();
        Report {
            active: state.0 > 0,
            ..state.1.clone()
        }
    }

    pub(super) fn activate(&self) -> Active<'_> {
        self.state.lock().0 += 1;
        Active(self)
    }

    pub(super) fn succeeded(&self, now: OffsetDateTime, took: Duration) {
        let seconds = took.as_secs_f64();
        histogram!("halyard_job_duration_seconds", "task" => self.name).record(seconds);
        gauge!("halyard_job_last_success_timestamp_seconds", "task" => self.name)
            .set(now.unix_timestamp() as f64);
        let report = &mut self.state.lock().1;
        report.last_success = Some(now);
        report.last_duration_seconds = Some(seconds);
        report.last_error = None;
    }

    pub(super) fn failed(&self, failure: &Failure, meanwhile: &str) {
        counter!("halyard_job_failures_total", "task" => self.name).increment(1);
        let error = chain(&**failure);
        let report = &mut self.state.lock().1;
        if report.last_error.is_none() {
            tracing::warn!(job = self.name, error, "{meanwhile}");
        }
        report.failures += 1;
        report.last_error = Some(error);
    }
}

impl Drop for Active<'_> {
    fn drop(&mut self) {
        self.0.state.lock().0 -= 1;
    }
}
