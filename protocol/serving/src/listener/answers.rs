//! The answers of one HTTP/2 connection.
//!
//! A client can keep the socket moving and yet open no window for an answer. So each answer counts what was taken of it, and one
//! that hardly moves is ended, without the others of its connection: a proxy carries requests of many clients on one.

use std::{
    cell::Cell,
    future::Future,
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use futures_util::FutureExt;
use hyper::rt::Executor;
use parking_lot::Mutex;
use tokio::{
    sync::Notify,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{crowd::Crowd, reading::RATE};

tokio::task_local! {
    /// Ends the stream that the running task answers.
    static END: CancellationToken;
}

/// Runs what answers each stream of a connection, so that one can be ended without the others.
#[derive(Clone, Debug)]
pub(super) struct Streams;

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        let end = CancellationToken::new();
        // In a box, since each of what is around it would hold it twice: as an argument and while it is awaited. A stream that is
        // dropped is reset.
        let answered = end.clone().run_until_cancelled_owned(Box::pin(stream));
        tokio::spawn(END.scope(end, answered.map(drop)));
    }
}

/// How much was taken of an answer that is under way.
#[derive(Debug)]
pub(super) struct Taken {
    bytes: AtomicUsize,
    /// There is more of it already, and the client could take it.
    is_ready: AtomicBool,
    end: Option<CancellationToken>,
}

impl Taken {
    /// The client takes so many bytes.
    pub(super) fn add(&self, bytes: usize) {
        self.is_ready.store(true, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The client has taken all that there is so far: it waits for the server.
    pub(super) fn is_awaited(&self) {
        self.is_ready.store(false, Ordering::Relaxed);
    }
}

/// The answers of a connection that are under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    all: Mutex<All>,
    begun: Notify,
}

#[derive(Debug, Default)]
struct All {
    watched: Vec<Watched>,
    /// The most that were under way at once since they were looked at.
    most: usize,
}

#[derive(Debug)]
struct Watched {
    taken: Weak<Taken>,
    /// How much had been taken, and when.
    seen: usize,
    at: Instant,
    /// The most others that it shared the connection with since.
    beside: Cell<usize>,
}

impl Answers {
    /// Another one, until what is returned is dropped.
    pub(super) fn begin(&self) -> Arc<Taken> {
        let taken = Arc::new(Taken {
            bytes: AtomicUsize::new(0),
            is_ready: AtomicBool::new(true),
            end: END.try_with(CancellationToken::clone).ok(),
        });
        let mut all = self.0.all.lock();
        all.watched.retain(|other| other.taken.strong_count() > 0);
        all.watched.push(Watched {
            taken: Arc::downgrade(&taken),
            seen: 0,
            at: Instant::now(),
            beside: Cell::new(0),
        });
        all.most = all.most.max(all.watched.len());
        self.0.begun.notify_one();
        taken
    }

    /// Ends each answer that has been under way for the client's time, and of which less was taken in this time than its part
    /// of what the connection should carry. Never returns.
    pub(super) async fn end_stalled(&self, whole: Duration, crowd: &Crowd) {
        loop {
            if self.0.all.lock().watched.is_empty() {
                self.0.begun.notified().await;
            }
            sleep(whole / 60).await;
            self.look(crowd.patience(whole));
        }
    }

    fn look(&self, patience: Duration) {
        let mut all = self.0.all.lock();
        all.watched.retain(|answer| answer.taken.strong_count() > 0);
        let most = all.most.max(1);
        all.most = all.watched.len();
        for answer in &mut all.watched {
            answer.look(most, patience);
        }
    }
}

impl Watched {
    fn look(&mut self, most: usize, patience: Duration) {
        let Some(taken) = self.taken.upgrade() else {
            return;
        };
        self.beside.set(self.beside.get().max(most));
        let bytes = taken.bytes.load(Ordering::Relaxed);
        let since = self.at.elapsed();
        let part = since.as_secs_f64() * RATE as f64 / self.beside.get() as f64;
        let is_moving = (bytes - self.seen) as f64 >= part;
        if is_moving || !taken.is_ready.load(Ordering::Relaxed) {
            // Its time begins anew.
            self.seen = bytes;
            self.at = Instant::now();
            self.beside.set(0);
        } else if since >= patience
            && let Some(end) = &taken.end
        {
            end.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// An answer that somebody may end.
    async fn begin(answers: &Answers) -> (Arc<Taken>, CancellationToken) {
        let end = CancellationToken::new();
        let taken = END.scope(end.clone(), async { answers.begin() }).await;
        (taken, end)
    }

    /// The next look, after a second.
    async fn look(answers: &Answers) {
        sleep(SECOND).await;
        answers.look(SECOND);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_nobody_reads_does_not_end_the_others_of_its_connection() {
        let answers = Answers::default();
        let (moving, others) = begin(&answers).await;
        let (_standing, ended) = begin(&answers).await;
        moving.add(RATE);
        look(&answers).await;
        assert!(ended.is_cancelled());
        assert!(!others.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_shared_the_connection_has_to_carry_its_part_alone() {
        let answers = Answers::default();
        let (last, end) = begin(&answers).await;
        let many: Vec<_> = (0..99).map(|_| answers.begin()).collect();
        last.add(RATE / 100 + 1);
        drop(many);
        look(&answers).await;
        assert!(!end.is_cancelled());
        look(&answers).await;
        assert!(end.is_cancelled(), "now it has the connection for itself");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_waits_for_the_server_is_not_blamed() {
        let answers = Answers::default();
        let (slow, end) = begin(&answers).await;
        slow.add(1);
        slow.is_awaited();
        for _ in 0..5 {
            look(&answers).await;
        }
        assert!(!end.is_cancelled());
        slow.add(1);
        look(&answers).await;
        assert!(end.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn answers_have_less_time_in_a_crowd() {
        let crowd = Crowd::default();
        let _much = crowd.hold(100 << 20);
        let answers = Answers::default();
        let (_standing, end) = begin(&answers).await;
        let begun = Instant::now();
        tokio::select! {
            () = answers.end_stalled(30 * SECOND, &crowd) => {}
            () = end.cancelled() => {}
        }
        assert_eq!(begun.elapsed().as_secs(), 5);
    }
}
