//! What happens to an organization, told to its members as it happens: one stream of events each, for as long as they stay.
//!
//! Events carry names and never values. Whoever is told of a change reads it anew, by endpoints that check what they may read, so a
//! stream that tells too much or too often costs a request, and one that ends costs nothing that cannot be caught up with.

mod audience;
mod change;
mod edges;
mod listeners;
mod news;
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
    /// None is open yet. They end with `stop`. Positions are sealed with `app_secret`.
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

    /// What keeps streams going.
    pub fn jobs(&self) -> [Job; 4] {
        [
            Job::new(
                "tell_changes",
                SECOND,
                RunsOn::EveryReplica,
                self.clone(),
                Self::tell_changes,
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
                Self::tell_edges,
            )
            .woken_by(&self.fleet.looks)
            .meanwhile("dashboards do not hear of edges that come and go"),
            Job::new(
                "tell_usage",
                SECOND,
                RunsOn::EveryReplica,
                self.clone(),
                Self::tell_usage,
            )
            .meanwhile("dashboards do not hear how much is evaluated"),
        ]
    }

    /// Then rests for as long as that took: however much is committed, and however many organizations are followed, it takes half
    /// of a connection.
    async fn tell_changes(self) -> db::Result<()> {
        let began = Instant::now();
        self.tail.look(&self.db, &self.listeners).await?;
        let rest = began.elapsed().min(SECOND);
        self.stop.run_until_cancelled(sleep(rest)).await;
        Ok(())
    }
}
