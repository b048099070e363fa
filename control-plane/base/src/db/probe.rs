//! Whether the database answers, for `/ready`.

use std::{sync::Arc, time::Duration};

use futures_util::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use parking_lot::Mutex;
use sqlx::{PgPool, postgres::PgConnectOptions};
use tokio::{
    task::AbortHandle,
    time::{Instant, timeout_at},
};

use super::{
    Error,
    moves::Moves,
    pools::{PROBE, pool},
    schema,
    store::{self, State},
};

/// The result of a probe, shared by all concurrent callers.
pub type Pinged = Result<Answered, Arc<Error>>;

/// A database that answers.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    /// How long it took.
    pub latency: Duration,
    /// The newest migration.
    pub schema: Option<i64>,
    pub state: State,
}

/// The connection of probes. Concurrent probes share one query.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    pool: PgPool,
    question: Question,
}

impl Probe {
    pub(super) fn new(options: PgConnectOptions, moves: &Moves) -> Self {
        Self {
            pool: pool(1, PROBE, moves).connect_lazy_with(options),
            question: Question::default(),
        }
    }

    pub(super) const fn pool(&self) -> &PgPool {
        &self.pool
    }

    pub(super) async fn ping(&self) -> Pinged {
        let pool = self.pool.clone();
        let asking = async move { ask(&pool).await.map_err(|error| Arc::new(error.into())) };
        self.question.ask(asking).await
    }
}

async fn ask(pool: &PgPool) -> sqlx::Result<Answered> {
    let deadline = Instant::now() + PROBE.connection;
    let mut conn = pool.acquire().await?;
    let asked = Instant::now();
    let asking = async {
        let state = store::state(&mut conn).await?;
        let latency = asked.elapsed();
        let schema = schema::newest(&mut conn).await?;
        Ok(Answered {
            latency,
            state,
            schema,
        })
    };
    match timeout_at(deadline, asking).await {
        Ok(answered) => answered,
        Err(_) => {
            // In the pool, it would make the next probe wait for this answer.
            drop(conn.detach());
            Err(sqlx::Error::PoolTimedOut)
        }
    }
}

/// A query that concurrent callers share.
#[derive(Clone, Debug, Default)]
struct Question(Arc<Mutex<Option<Asking>>>);

#[derive(Debug)]
struct Asking {
    task: AbortHandle,
    answer: Shared<BoxFuture<'static, Pinged>>,
}

impl Question {
    async fn ask(&self, asking: impl Future<Output = Pinged> + Send + 'static) -> Pinged {
        let answer = {
            let mut under_way = self.0.lock();
            match &*under_way {
                Some(asking) if !asking.task.is_finished() => asking.answer.clone(),
                Some(_) | None => under_way.insert(Asking::start(asking)).answer.clone(),
            }
        };
        answer.await
    }
}

impl Asking {
    /// In a task of its own: a time-out only passes while it is polled, and the first caller may have left.
    fn start(asking: impl Future<Output = Pinged> + Send + 'static) -> Self {
        let task = tokio::spawn(asking);
        Self {
            task: task.abort_handle(),
            answer: async move {
                match task.await {
                    Ok(pinged) => pinged,
                    // Only a runtime that is ending cancels it.
                    Err(_) => Err(Arc::new(sqlx::Error::WorkerCrashed.into())),
                }
            }
            .boxed()
            .shared(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::pending,
        sync::atomic::{AtomicU32, Ordering},
        time::Duration,
    };

    use tokio::time::{sleep, timeout};

    use super::*;

    fn answered() -> Answered {
        let state = State {
            mails: 0,
            mail_late: 0.0,
            mails_due: 0,
            mail_age: 0.0,
        };
        Answered {
            latency: Duration::ZERO,
            schema: None,
            state,
        }
    }

    async fn too_slow() -> Pinged {
        let answered = timeout(PROBE.connection, pending()).await;
        answered.unwrap_or_else(|_| Err(Arc::new(sqlx::Error::PoolTimedOut.into())))
    }

    #[tokio::test(start_paused = true)]
    async fn a_probe_that_left_does_not_fail_the_next() {
        let question = Question::default();
        let left = timeout(Duration::from_secs(1), question.ask(too_slow())).await;
        assert!(left.is_err());
        sleep(Duration::from_secs(9)).await;
        question.ask(async { Ok(answered()) }).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn those_who_ask_at_the_same_time_hear_one_answer() {
        let question = Question::default();
        let asked = Arc::new(AtomicU32::new(0));
        let ask = || {
            let asked = Arc::clone(&asked);
            question.ask(async move {
                asked.fetch_add(1, Ordering::Relaxed);
                too_slow().await
            })
        };
        let (first, second) = tokio::join!(ask(), ask());
        assert!(first.is_err() && second.is_err());
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }
}
