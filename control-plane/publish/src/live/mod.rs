//! Live events of an organization, one stream per connected member.
//!
//! Events carry names and never values. A client reads a changed thing again through endpoints that check its permissions, so a
//! superfluous event costs a request, and a stream that ends loses nothing that cannot be caught up with.

mod audience;
mod edges;
mod events;
mod listeners;
mod open_waves;
mod opening;
mod position;
mod queue;
mod sessions;
mod store;
mod stream;
mod tail;
mod usage;
mod waves;

use std::sync::Arc;

use secrecy::SecretString;
use serving::clock::Clock;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

pub use self::opening::Opened;
use self::{edges::Fleet, listeners::Listeners, tail::Tail, usage::Rates};
use crate::{Publisher, config::LiveSettings};
use base::{
    db::{self, Db},
    jobs::{Job, RunsOn, SECOND},
    sealing::{Sealer, purpose},
};

/// The streams of this replica. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Live {
    db: Db,
    clock: Clock,
    settings: LiveSettings,
    publisher: Publisher,
    listeners: Listeners,
    tail: Arc<Tail>,
    fleet: Arc<Fleet>,
    rates: Arc<Rates>,
    stop: CancellationToken,
}

impl Live {
    /// No stream is open yet. Streams end with `stop`. Positions are sealed with `app_secret`.
    pub fn new(
        db: Db,
        clock: Clock,
        settings: LiveSettings,
        publisher: Publisher,
        app_secret: &SecretString,
        stop: CancellationToken,
    ) -> Self {
        Self {
            db,
            clock,
            settings,
            publisher,
            listeners: Listeners::default(),
            tail: Arc::new(Tail::new(Sealer::new(app_secret, purpose::LIVE))),
            fleet: Arc::default(),
            rates: Arc::default(),
            stop,
        }
    }

    /// The jobs that feed streams.
    pub fn jobs(&self) -> [Job; 4] {
        [
            Job::new(
                "tell_changes",
                SECOND,
                RunsOn::EveryReplica,
                self.clone(),
                Self::publish_changes,
            )
            .woken_by(self.db.changed())
            .meanwhile("dashboards do not hear of changes"),
            Job::new(
                "check_streams",
                2 * SECOND,
                RunsOn::EveryReplica,
                self.clone(),
                Self::check_sessions,
            )
            .meanwhile("event streams outlive their sessions"),
            Job::new(
                "tell_edges",
                SECOND,
                RunsOn::EveryReplica,
                self.clone(),
                Self::publish_edges,
            )
            .woken_by(&self.fleet.waker)
            .meanwhile("dashboards do not hear of edges that come and go"),
            Job::new(
                "tell_usage",
                SECOND,
                RunsOn::EveryReplica,
                self.clone(),
                Self::publish_usage,
            )
            .meanwhile("dashboards do not hear how much is evaluated"),
        ]
    }

    /// Sleeps as long as the poll took, so that polling uses at most half of a connection at any load.
    async fn publish_changes(self) -> db::Result<()> {
        let began = Instant::now();
        self.tail.poll(&self.db, &self.listeners).await?;
        let rest = began.elapsed().min(SECOND);
        self.stop.run_until_cancelled(sleep(rest)).await;
        Ok(())
    }
}
