//! One replica leads, and another takes over when it ends or is cut off.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::{clocks::Clocks, db::Db, leader::Leader, waker::Waker};
use harness::{App, eventually};
use serving::clock::Clock;
use time::{Duration, OffsetDateTime};
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

/// A replica that stands for leader, and counts when its work begins and ends.
struct Replica {
    begun: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
    _stop: DropGuard,
}

/// Counts when it is dropped, as work is.
struct Work(Arc<AtomicUsize>);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Replica {
    fn start(app: &App) -> Self {
        Self::start_by(app, &app.clock)
    }

    /// On a machine with this clock.
    fn start_by(app: &App, clock: &Clock) -> Self {
        let stop = CancellationToken::new();
        let tasks = TaskTracker::new();
        let db = Db::new(app.pool().clone(), Waker::new());
        let leader = Leader::start(db, Clocks::new(clock.clone()), &stop, &tasks);
        let (begun, ended) = (Arc::default(), Arc::default());
        let counters = (Arc::clone(&begun), Arc::clone(&ended));
        let leading = leader.run(move || lead(counters.clone()));
        tasks.spawn(stop.clone().run_until_cancelled_owned(leading));
        Self {
            begun,
            ended,
            _stop: stop.drop_guard(),
        }
    }

    fn leads(&self) -> bool {
        self.begun.load(Ordering::SeqCst) > self.ended.load(Ordering::SeqCst)
    }
}

async fn lead((begun, ended): (Arc<AtomicUsize>, Arc<AtomicUsize>)) -> Infallible {
    begun.fetch_add(1, Ordering::SeqCst);
    let _work = Work(ended);
    std::future::pending().await
}

/// Waits until exactly one leads, and tells which.
async fn leader(replicas: &[Replica]) -> usize {
    eventually("exactly one leads", async || {
        let leaders: Vec<_> = (0..replicas.len())
            .filter(|&index| replicas[index].leads())
            .collect();
        (leaders.len() == 1).then(|| leaders[0])
    })
    .await
}

/// An app whose own replica does not stand for leader any more.
async fn app() -> App {
    let app = App::start().await;
    app.stop.cancel();
    app
}

#[tokio::test]
async fn another_replica_leads_when_the_leader_has_ended() {
    let app = app().await;
    let mut replicas = vec![
        Replica::start(&app),
        Replica::start(&app),
        Replica::start(&app),
    ];
    while !replicas.is_empty() {
        let leading = leader(&replicas).await;
        for (index, replica) in replicas.iter().enumerate() {
            assert_eq!(
                replica.begun.load(Ordering::SeqCst),
                usize::from(index == leading)
            );
        }
        let ended = Arc::clone(&replicas[leading].ended);
        replicas.remove(leading);
        eventually("its work ends", async || {
            (ended.load(Ordering::SeqCst) == 1).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_leader_whose_session_ends_stops_its_work_and_somebody_leads_again() {
    let app = app().await;
    let replicas = [Replica::start(&app), Replica::start(&app)];
    let first = leader(&replicas).await;
    app.depose_the_leader().await;

    eventually("its work ends", async || {
        (replicas[first].ended.load(Ordering::SeqCst) == 1).then_some(())
    })
    .await;
    leader(&replicas).await;
}

#[tokio::test]
async fn a_replica_whose_clock_is_not_the_databases_does_not_lead() {
    let app = app().await;
    let clock = || Clock::manual(OffsetDateTime::UNIX_EPOCH);
    let (wrong, right) = (clock(), clock());
    wrong.set_machine_off(Duration::hours(1));
    let late = Replica::start_by(&app, &wrong);
    let replicas = [Replica::start_by(&app, &right)];
    leader(&replicas).await;
    assert!(!late.leads());

    // A leader whose clock leaps stops leading, and another one begins.
    wrong.set_machine_off(Duration::ZERO);
    right.set_machine_off(-Duration::hours(1));
    eventually("the other one leads", async || {
        (late.leads() && !replicas[0].leads()).then_some(())
    })
    .await;
}
