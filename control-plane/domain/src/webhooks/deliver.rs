//! Delivers the events of webhooks.
//!
//! Every replica leases due webhooks and delivers their events one after the other, in the order of commits. A failing webhook
//! waits for its next attempt without delaying others. If a replica crashes, its leases expire, and others deliver again what
//! was not recorded: at least once, with the same id.
//!
//! Requests in progress are bounded, and a webhook whose last attempt was slow competes with slow ones only, so that hanging
//! receivers do not delay the others. All database access goes through a few connections, so that deliveries leave the pool to
//! requests.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use serving::{
    error::chain,
    trace::{self, SpanKind},
};
use sqlx::PgConnection;
use time::OffsetDateTime;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Webhooks,
    outcome::Outcome,
    pace::Pace,
    request,
    store::lanes::{self, Ended, Leased, Next},
};
use base::{
    db,
    jobs::{Failure, Job, RunsOn},
};

/// Concurrent requests, for quick and for slow receivers each: ten organizations with the maximum of webhooks cannot use all
/// permits.
const REQUESTS: usize = 1024;
/// A receiver that takes longer to answer is slow.
const SLOW: Duration = Duration::from_secs(1);
/// Connections of the pool that deliveries may use at once.
const CONNECTIONS: usize = 3;
/// A lease is released after this to schedule other webhooks; a webhook waiting for its rate limit rests at least as long.
const TURN: Duration = Duration::from_secs(5);
/// Added to scheduling slice and attempt for the length of a lease: covers clock skew and the database's timeouts.
const MARGIN: Duration = Duration::from_secs(15);

/// Interval of distributing committed events. The wait before a first attempt is longer.
const DISTRIBUTE: Duration = Duration::from_millis(500);
/// Interval of polling for due webhooks.
const DELIVER: Duration = Duration::from_millis(250);

pub struct Deliveries {
    webhooks: Arc<Webhooks>,
    /// Permits for receivers that are quick or not known yet.
    quick: Arc<Semaphore>,
    /// Permits for slow receivers.
    slow: Arc<Semaphore>,
    connections: Semaphore,
    pace: Pace,
    stop: CancellationToken,
    tasks: TaskTracker,
}

enum Step {
    GoOn,
    /// None: the queue is empty, or the lease was released or lost.
    Leave,
}

impl Deliveries {
    /// The jobs that deliver. An attempt in progress at `stop` is tracked in `tasks`, and may finish.
    pub fn jobs(
        webhooks: &Arc<Webhooks>,
        stop: &CancellationToken,
        tasks: &TaskTracker,
    ) -> [Job; 2] {
        let meanwhile = "webhooks wait for the database";
        let queue = Job::new(
            "queue_webhook_events",
            DISTRIBUTE,
            RunsOn::Leader,
            Arc::clone(webhooks),
            Webhooks::distribute,
        );
        let this = Arc::new(Self {
            webhooks: Arc::clone(webhooks),
            quick: Arc::new(Semaphore::new(REQUESTS)),
            slow: Arc::new(Semaphore::new(REQUESTS)),
            connections: Semaphore::new(CONNECTIONS),
            pace: Pace::new(&webhooks.clock),
            stop: stop.clone(),
            tasks: tasks.clone(),
        });
        let deliver = Job::new(
            "deliver_webhooks",
            DELIVER,
            RunsOn::EveryReplica,
            this,
            Self::deliver_due,
        );
        [queue.meanwhile(meanwhile), deliver.meanwhile(meanwhile)]
    }

    /// Starts every due webhook within the capacity. Does not wait for their receivers.
    async fn deliver_due(self: Arc<Self>) -> Result<(), Failure> {
        for is_slow in [false, true] {
            let places = if is_slow { &self.slow } else { &self.quick };
            // Only this job takes permits, so their number does not shrink.
            let room = i64::try_from(places.available_permits()).unwrap_or(i64::MAX);
            if room == 0 {
                continue;
            }
            let now = self.webhooks.clock.now();
            let leased = self
                .query(async |conn| {
                    lanes::lease(conn, is_slow, room, now, self.lease_end(now)).await
                })
                .await?;
            for leased in leased {
                let place = Arc::clone(places).acquire_owned().await;
                let place = place.expect("never closed");
                let this = Arc::clone(&self);
                self.tasks
                    .spawn(async move { this.work(leased, place).await });
            }
        }
        Ok(())
    }

    async fn work(&self, leased: Leased, _place: OwnedSemaphorePermit) {
        let started = Instant::now();
        loop {
            let is_over = started.elapsed() >= TURN || self.stop.is_cancelled();
            match self.step(leased, is_over).await {
                Ok(Step::GoOn) => {}
                Ok(Step::Leave) => return,
                Err(error) => {
                    let error = chain(&error);
                    tracing::warn!(webhook.id = %leased.webhook_id, error, "a delivery is made again: its outcome was not stored");
                    return;
                }
            }
        }
    }

    /// One attempt. The webhook is read before each, so that changes, disabling and deletion take effect.
    async fn step(&self, leased: Leased, is_over: bool) -> db::Result<Step> {
        let next = self
            .query(async |conn| lanes::next(conn, leased).await)
            .await?;
        let Some(next) = next else {
            return Ok(Step::Leave);
        };
        let now = self.webhooks.clock.now();
        let due_at = self.due_at(&next);
        if is_over || due_at > now {
            let (attempts, due_at) = (next.attempts, due_at.max(now));
            self.query(async |conn| lanes::postpone(conn, leased, attempts, None, due_at).await)
                .await?;
            return Ok(Step::Leave);
        }
        if !next.enabled {
            let outcome = Outcome::unsent("the webhook was disabled");
            self.finish(leased, &next, next.attempts, outcome, false)
                .await?;
            return Ok(Step::GoOn);
        }
        if let Some(wait) = self.pace.wait(leased.org_id, &next.url) {
            let due_at = now + wait.max(TURN);
            let attempts = next.attempts;
            self.query(async |conn| lanes::postpone(conn, leased, attempts, None, due_at).await)
                .await?;
            return Ok(Step::Leave);
        }
        self.attempt(leased, &next).await
    }

    async fn attempt(&self, leased: Leased, next: &Next) -> db::Result<Step> {
        let started = Instant::now();
        let sending = self.send(leased, next);
        let outcome = trace::alone("deliver_webhook", SpanKind::Internal, Vec::new, sending).await;
        let is_slow = started.elapsed() > SLOW;
        let success = outcome.is_success();
        let attempts = next.attempts.saturating_add(1);
        match self.webhooks.settings.wait_before(attempts) {
            Some(wait) if !success => {
                count("retried");
                let due_at = self.webhooks.clock.now() + wait;
                self.query(async |conn| {
                    lanes::postpone(conn, leased, attempts, Some(is_slow), due_at).await
                })
                .await?;
                Ok(Step::Leave)
            }
            _ => {
                count(if success { "delivered" } else { "failed" });
                self.finish(leased, next, attempts, outcome, is_slow)
                    .await?;
                // A slow webhook continues with the permits of slow ones.
                Ok(if is_slow {
                    self.give_back(leased).await?
                } else {
                    Step::GoOn
                })
            }
        }
    }

    async fn send(&self, leased: Leased, next: &Next) -> Outcome {
        let Webhooks {
            guard,
            sealer,
            settings,
            urls,
            clock,
            ..
        } = &*self.webhooks;
        let started = Instant::now();
        let deadline = started + settings.timeout;
        let id = leased.webhook_id;
        let Ok(url) = guard.parse("url", &next.url) else {
            return Outcome::unsent("the address is no longer allowed");
        };
        let request = match request::of(id, next, &urls.dashboard, sealer, clock.now()) {
            Ok(request) => request,
            Err(error) => {
                let error = chain(&*error);
                tracing::warn!(webhook.id = %id, error, "a delivery cannot be made");
                return Outcome::unsent("the request cannot be signed");
            }
        };
        let mut is_private = false;
        let sent = async {
            let place = guard.locate(&url, leased.org_id, deadline).await?;
            is_private = place.is_private();
            guard.send_to(&url, place, request, deadline).await
        };
        match sent.await {
            Ok(response) => {
                let status = response.status;
                // Read briefly, so that the receiver is not cut off within a short response.
                let body = response.read_up_to(request::ANSWER).await;
                let body = body.map_or_else(|_| Bytes::new(), |body| body.bytes);
                Outcome::answered(status, &body, is_private, started.elapsed())
            }
            Err(error) => {
                tracing::info!(webhook.id = %id, error = chain(&error), "a webhook did not answer");
                Outcome::unanswered(&error, is_private, started.elapsed())
            }
        }
    }

    async fn finish(
        &self,
        leased: Leased,
        next: &Next,
        attempts: i32,
        outcome: Outcome,
        is_slow: bool,
    ) -> db::Result<()> {
        let now = self.webhooks.clock.now();
        let ended = Ended {
            attempts,
            outcome,
            is_slow,
            at: now,
        };
        self.query(async |conn| {
            lanes::finish(conn, leased, next, &ended, self.lease_end(now)).await
        })
        .await
    }

    async fn give_back(&self, leased: Leased) -> db::Result<Step> {
        let now = self.webhooks.clock.now();
        self.query(async |conn| lanes::postpone(conn, leased, 0, None, now).await)
            .await?;
        Ok(Step::Leave)
    }

    /// The due time of the first attempt; later ones are due by the lane.
    fn due_at(&self, next: &Next) -> OffsetDateTime {
        if next.attempts == 0 {
            next.happened_at + self.webhooks.settings.first_wait()
        } else {
            OffsetDateTime::UNIX_EPOCH
        }
    }

    fn lease_end(&self, now: OffsetDateTime) -> OffsetDateTime {
        now + TURN + self.webhooks.settings.timeout + MARGIN
    }

    /// Uses one of the few connections for deliveries.
    async fn query<T>(
        &self,
        query: impl AsyncFnOnce(&mut PgConnection) -> db::Result<T>,
    ) -> db::Result<T> {
        let _turn = self.connections.acquire().await.expect("never closed");
        let db = &self.webhooks.db;
        let querying = async { query(&mut *db.acquire().await?).await };
        db.unless_moved(querying).await?
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("halyard_webhook_attempts_total", "outcome" => outcome).increment(1);
}
