//! The loop of a job.

use std::{any::Any, convert::Infallible, panic::AssertUnwindSafe, time::Duration};

use futures_util::{FutureExt, TryFutureExt};
use serving::{
    clock::Clock,
    trace::{self, SpanKind},
};
use time::OffsetDateTime;
use tokio::time::{Instant, sleep};

use super::{
    Job,
    board::Board,
    job::{Failure, Next},
};
use crate::db::Db;

/// Runs the job now, whenever it is woken, when it is due, and at least every period.
pub(super) async fn repeat(job: &Job, board: &Board, db: &Db, clock: &Clock) -> Infallible {
    let _active = board.activate();
    let mut woken = job.waker.listen();
    let mut failures = 0;
    loop {
        let outcome = run(job, board, db, clock).await;
        let (next, pause) = match outcome {
            Ok(Next(next)) => {
                failures = 0;
                (next, job.period)
            }
            Err(Failed) => {
                // Nothing wakes it sooner.
                sleep(Duration::from_millis(50)).await;
                let pause = pause_after(failures).min(job.period);
                failures += 1;
                (None, pause)
            }
        };
        tokio::select! {
            // The job keeps a waker.
            _ = woken.changed() => {}
            () = until(clock, next) => {}
            () = sleep(pause) => {}
        }
    }
}

struct Failed;

async fn run(job: &Job, board: &Board, db: &Db, clock: &Clock) -> Result<Next, Failed> {
    let started = Instant::now();
    let work = AssertUnwindSafe((job.work)()).catch_unwind();
    let work = work.map(|outcome| outcome.unwrap_or_else(|panic| Err(panicked(&*panic))));
    let work = db.unless_moved(work);
    let work = work.map(|outcome| outcome.unwrap_or_else(|moved| Err(moved.into())));
    let work = work.inspect_err(|_| trace::failed("job")).boxed();
    let outcome = trace::alone(job.name, SpanKind::Internal, Vec::new, work).await;
    match outcome {
        Ok(next) => {
            board.succeeded(clock.now(), started.elapsed());
            Ok(next)
        }
        Err(failure) => {
            board.failed(&failure, job.meanwhile);
            Err(Failed)
        }
    }
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let words = panic.downcast_ref::<String>().map(String::as_str);
    let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", words.unwrap_or("without words")).into()
}

async fn until(clock: &Clock, time: Option<OffsetDateTime>) {
    match time {
        Some(time) => clock.sleep_until(time).await,
        None => std::future::pending().await,
    }
}

/// Half a second after a first failure; doubled by each that follows, up to half a minute.
fn pause_after(failures: u32) -> Duration {
    let pause = Duration::from_millis(500).saturating_mul(1 << failures.min(10));
    pause.min(Duration::from_secs(30))
}
