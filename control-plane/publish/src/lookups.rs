//! Look-ups of API keys that edges do not know: on connections of their own, at a bounded rate, with a share for each edge.
//!
//! Edges bound what their clients can make them ask. This bounds what all edges of this replica can make the database
//! answer, however many they are, and keeps it away from the connections that members' requests use.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use futures_util::{StreamExt, stream};
use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use protocol::snapshot::{KeyHash, Version};
use serving::{clock::Clock, error::chain};
use sqlx::PgPool;
use tokio::{
    sync::{Mutex, mpsc, oneshot},
    time::timeout,
};

use super::{NotNow, Regions, store};
use crate::config::LookupSettings;
use base::{
    db::{self, Db},
    ids::EnvId,
    limits::{self, Limiter},
};

/// Time for a connection, and for a query: longer than edges wait.
const PATIENCE: Duration = Duration::from_secs(1);

/// A key's environment.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) env_id: EnvId,
    pub(super) version: Version,
    /// The data region of its organization.
    pub(super) region: Arc<str>,
}

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("the database does not answer")]
    Late,
}

/// Answers all edges of this replica.
#[derive(Debug)]
pub(super) struct Lookups {
    pool: PgPool,
    connections: usize,
    clock: Clock,
    rate: Option<DefaultDirectRateLimiter>,
    limiter: Limiter<AskerId>,
    questions: mpsc::Sender<Question>,
    asked: Mutex<mpsc::Receiver<Question>>,
    askers: AtomicU64,
}

type AskerId = u64;

/// A question. The sender is dropped if there is no answer now.
#[derive(Debug)]
struct Question {
    hash: KeyHash,
    answer: oneshot::Sender<Option<Found>>,
}

/// One edge that asks.
#[derive(Clone, Debug)]
pub struct Asker {
    lookups: Arc<Lookups>,
    regions: Regions,
    id: AskerId,
}

impl Asker {
    /// The environment of an API key that is valid now, if an edge of these regions may hold it.
    ///
    /// # Errors
    /// When there is no answer now.
    pub async fn look_up(&self, hash: &KeyHash) -> Result<Option<(EnvId, Version)>, NotNow> {
        let permit = self.lookups.limiter.enter(self.id).await;
        let _permit = permit.map_err(|_| {
            count("dropped", 1);
            NotNow
        })?;
        let (answer, answered) = oneshot::channel();
        let hash = *hash;
        let asked = self.lookups.questions.send(Question { hash, answer }).await;
        asked.map_err(|_| NotNow)?;
        let found = answered.await.map_err(|_| NotNow)?;
        Ok(found
            .filter(|found| self.regions.allow(&found.region))
            .map(|found| (found.env_id, found.version)))
    }
}

impl Lookups {
    pub(super) fn new(db: &Db, settings: LookupSettings, clock: Clock) -> Self {
        let LookupSettings {
            connections,
            per_second,
        } = settings;
        let (questions, asked) = mpsc::channel(limits::KEY_LOOK_UPS.total);
        Self {
            pool: db.pool_beside("key_lookups", connections, PATIENCE),
            connections: usize::try_from(connections.get()).unwrap_or(usize::MAX),
            clock,
            rate: NonZeroU32::new(per_second)
                .map(|rate| RateLimiter::direct(Quota::per_second(rate))),
            limiter: Limiter::new(limits::KEY_LOOK_UPS),
            questions,
            asked: Mutex::new(asked),
            askers: AtomicU64::new(0),
        }
    }

    /// One more edge that asks, about keys of these regions.
    pub(super) fn asker(self: &Arc<Self>, regions: Regions) -> Asker {
        Asker {
            lookups: Arc::clone(self),
            regions,
            id: self.askers.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Answers, for ever.
    pub(super) async fn run(self: Arc<Self>) {
        stream::unfold((), async |()| Some((self.batch().await, ())))
            .for_each_concurrent(self.connections, async |batch| self.answer(batch).await)
            .await;
    }

    /// The next questions within the rate: those that wait by then, at least one, and up to 64.
    async fn batch(&self) -> Vec<Question> {
        let mut asked = self.asked.lock().await;
        let mut batch = Vec::new();
        while batch.is_empty() {
            let Some(first) = asked.recv().await else {
                // The sender is part of this.
                return batch;
            };
            if let Some(rate) = &self.rate {
                rate.until_ready().await;
            }
            batch.push(first);
            while batch.len() < 64 && !asked.is_empty() && self.may_go_on() {
                batch.extend(asked.try_recv());
            }
            // Their askers have given up.
            batch.retain(|question| !question.answer.is_closed());
        }
        batch
    }

    fn may_go_on(&self) -> bool {
        self.rate.as_ref().is_none_or(|rate| rate.check().is_ok())
    }

    async fn answer(&self, batch: Vec<Question>) {
        let hashes: Vec<KeyHash> = batch.iter().map(|question| question.hash).collect();
        match self.find(&hashes).await {
            Ok(found) => {
                for Question { hash, answer } in batch {
                    let found = found.get(&hash).cloned();
                    count(if found.is_some() { "found" } else { "unknown" }, 1);
                    // The asker may have given up.
                    answer.send(found).unwrap_or_default();
                }
            }
            Err(error) => {
                count("failed", batch.len());
                tracing::warn!(
                    error = chain(&error),
                    keys = hashes.len(),
                    "cannot look up API keys for edges"
                );
            }
        }
    }

    async fn find(&self, hashes: &[KeyHash]) -> Result<HashMap<KeyHash, Found>, Failed> {
        let acquiring = timeout(PATIENCE, self.pool.acquire()).await;
        let mut conn = acquiring
            .map_err(|_| Failed::Late)?
            .map_err(db::Error::from)?;
        let finding = store::find_keys(&mut conn, hashes, self.clock.now());
        // Postgres must have ended it by then.
        match timeout(2 * PATIENCE, finding).await {
            Ok(found) => Ok(found?),
            Err(_) => {
                // In the pool, it would make the next query wait for the answer to this one.
                drop(conn.detach());
                Err(Failed::Late)
            }
        }
    }
}

fn count(result: &'static str, questions: usize) {
    metrics::counter!("halyard_key_lookups_total", "result" => result)
        .increment(u64::try_from(questions).unwrap_or(u64::MAX));
}
