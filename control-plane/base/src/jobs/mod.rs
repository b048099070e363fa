//! Background work, as a table: what runs, how often at least, on which replicas, and how it went.
//!
//! A job reads the truth and converges to it. It gets no argument when it is woken, so that a restart and a wake-up run the same
//! code. A failure is logged when a row of them begins, and the next run follows soon; a panic is a failure too. Connections that
//! last (the leader's, the listener's, those of edges) are not jobs, because they have no period.

mod board;
mod job;
mod repeat;
pub mod sweep;

use std::sync::Arc;

use parking_lot::Mutex;
use serving::clock::Clock;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::board::Board;
pub use self::{
    board::Report,
    job::{Failure, HOUR, Job, MINUTE, RunsOn, SECOND},
};
use crate::{db::Db, leader::Leader};

/// The jobs of a process. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Jobs {
    db: Db,
    clock: Clock,
    leader: Leader,
    stop: CancellationToken,
    tasks: TaskTracker,
    boards: Arc<Mutex<Vec<Arc<Board>>>>,
}

impl Jobs {
    /// No jobs yet. Jobs run until `stop`; the leader's only while `leader` leads.
    pub fn new(
        db: Db,
        clock: Clock,
        leader: Leader,
        stop: CancellationToken,
        tasks: TaskTracker,
    ) -> Self {
        Self {
            db,
            clock,
            leader,
            stop,
            tasks,
            boards: Arc::default(),
        }
    }

    pub fn start(&self, mut job: Job) {
        let board = Arc::new(Board::of(&job));
        self.boards.lock().push(Arc::clone(&board));
        let farewell = job.farewell.take();
        let job = Arc::new(job);
        let lanes = TaskTracker::new();
        for _ in 0..job.lanes {
            let (job, board) = (Arc::clone(&job), Arc::clone(&board));
            let (db, clock, leader) = (self.db.clone(), self.clock.clone(), self.leader.clone());
            let repeating = async move {
                let repeat = || repeat::repeat(&job, &board, &db, &clock);
                match job.runs_on {
                    RunsOn::EveryReplica => match repeat().await {},
                    RunsOn::Leader => leader.run(repeat).await,
                }
            };
            let repeating = self.stop.clone().run_until_cancelled_owned(repeating);
            self.tasks.spawn(lanes.track_future(repeating));
        }
        lanes.close();
        if let Some(farewell) = farewell {
            self.tasks.spawn(async move {
                lanes.wait().await;
                farewell.into_inner().await;
            });
        }
    }

    /// The state of each job on this replica, in the order of their start.
    pub fn reports(&self) -> Vec<Report> {
        let boards = self.boards.lock();
        boards.iter().map(|board| board.report()).collect()
    }
}
