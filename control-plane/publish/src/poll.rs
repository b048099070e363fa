//! Polls the database for environments that changed, and notifies the hub. Compiles nothing: the first sender of a change does
//! that.
//!
//! Woken by commits of this process, by those of other replicas through the listener, and periodically. Polls have a connection
//! of their own: when it is lost, the next one may belong to a restored, rewound or promoted database, so the database is
//! identified and polled in full. For why no change is missed otherwise, see [`store::poll`].

use std::{future::pending, sync::Arc, time::Duration};

use fanout::Sighting;
use protocol::{snapshot::Version, wire::message::Epoch};
use serving::settings::spans::{DAY, MINUTE};
use sqlx::{Connection, PgConnection, postgres::PgConnectOptions};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep, timeout},
};

use super::{
    Shared,
    mark::Mark,
    rewind::Proof,
    store::{self, Database, Horizon, Polled},
};
use base::{db, ids::EnvId};

/// A connection that takes longer counts as lost. Shorter than the time after which the database counts as unreachable, so that
/// another connection is tried first.
const PATIENCE: Duration = Duration::from_secs(2);
/// A poll that takes longer may wait for a primary that hangs: it is asked whether the address leads elsewhere by now.
const DOUBT: Duration = Duration::from_millis(500);
/// Until that is asked again, where nobody could say.
const PAUSE: Duration = Duration::from_millis(250);

/// The poller of one process.
#[derive(Debug)]
pub(super) struct Poller {
    shared: Arc<Shared>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    connection: Option<PgConnection>,
    /// The database of the connection.
    database: Option<Database>,
    /// Whether that was another one at the last poll.
    has_moved: bool,
    epoch: Option<Epoch>,
    /// The highest log position seen in this epoch.
    position: u64,
    /// Proof that this history contains everything seen of it.
    mark: Mark,
    /// The last poll's horizon; `None` before the first of this history.
    horizon: Option<Horizon>,
    polled: Option<Instant>,
    polled_in_full: Option<Instant>,
    /// The first announcement of a change since the last successful poll.
    announced: Option<Instant>,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum PollError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("no answer in time")]
    NoAnswer(#[from] tokio::time::error::Elapsed),
    #[error("the database is found elsewhere")]
    Elsewhere,
}

impl From<sqlx::Error> for PollError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.into())
    }
}

impl Poller {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            state: Mutex::default(),
        }
    }

    /// Polls once.
    pub(super) async fn poll(self: Arc<Self>) -> Result<(), PollError> {
        let mut state = self.state.lock().await;
        let started = Instant::now();
        let number = self.shared.db.looks().begin();
        let announced = self.shared.db.changed().take_since();
        state.announced = state.announced.or(announced);
        let mut polled = state.poll(&self.shared, number).await;
        if matches!(polled, Err(PollError::Elsewhere)) {
            polled = state.poll(&self.shared, number).await;
        }
        if std::mem::take(&mut state.has_moved) {
            self.shared.db.has_moved();
        }
        match &polled {
            Ok(()) => metrics::histogram!("halyard_look_seconds").record(started.elapsed()),
            Err(_) => state.connection = None,
        }
        polled
    }
}

/// The meaning of a poll.
enum Verdict {
    /// The known history.
    Known(Sighting),
    /// The first of another history: everything has to be read.
    Other,
    /// Proves that the database was rewound.
    Rewound(Proof),
}

impl State {
    async fn poll(&mut self, shared: &Shared, number: u64) -> Result<(), PollError> {
        // Tracked state may be older than the tombstones ([`store::TOMBSTONES`]).
        if self.polled.is_some_and(|polled| polled.elapsed() > DAY) {
            shared.contents.forget();
        }
        // Taken out and put back on success only: a connection that failed half-way is not used again.
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.connect(shared).await?,
        };
        let raised = self.poll_history(shared, &mut connection).await?;
        if !raised.is_empty() && shared.hub.has_edges_on_demand() {
            let keys = timeout(PATIENCE, store::list_new_keys(&mut connection, &raised)).await??;
            let keys: Vec<_> = keys
                .into_iter()
                .map(|(id, hash)| (id.into(), hash))
                .collect();
            shared.hub.tell_new_keys(&keys);
        }
        // Callers that wait for a poll do not wait for the storing of digests.
        shared.db.looks().end(number);
        keep_digests(shared, &mut connection).await?;
        self.connection = Some(connection);
        Ok(())
    }

    /// Polls until the result belongs to one history, and updates the hub. Returns the raised environments.
    async fn poll_history(
        &mut self,
        shared: &Shared,
        connection: &mut PgConnection,
    ) -> Result<Vec<(EnvId, Version)>, PollError> {
        loop {
            // A safety net.
            let everything = self
                .polled_in_full
                .is_none_or(|polled| polled.elapsed() >= MINUTE);
            let horizon = self.horizon.clone().filter(|_| !everything);
            let horizon = horizon.unwrap_or_default();
            let attempt = self.mark.attempt();
            let began = Instant::now();
            let polling = store::poll(connection, &horizon, self.horizon.as_ref(), &attempt);
            let options = shared.db.pool().connect_options();
            let ask = || identify_anew(Arc::clone(&options));
            let polled = tokio::select! {
                polled = timeout(PATIENCE, polling) => polled??,
                () = is_elsewhere(self.database.as_ref(), ask) => return Err(PollError::Elsewhere),
            };
            // Callers asking about a version of now or a moment ago, here or at another replica, also learn of its beginning.
            let is_asked = shared.raises.are_wanted() || !shared.replicas.is_alone();
            shared.hub.remember(is_asked);
            match self.judge(shared, &polled, everything) {
                Verdict::Known(Sighting { raised, .. }) => {
                    // Only after the hub: a failed poll starts again from the same horizon.
                    self.horizon = Some(polled.horizon);
                    self.mark.answered(&attempt, polled.is_marked);
                    self.polled = Some(began);
                    self.position = polled.position;
                    if everything {
                        self.polled_in_full = Some(began);
                        // From here on edges may be greeted.
                        shared.epoch.send_if_modified(|epoch| {
                            std::mem::replace(epoch, self.epoch) != self.epoch
                        });
                        shared.contents.sweep(&shared.hub.held());
                    }
                    shared.sight.saw(began, polled.position);
                    let raised = raised.into_iter();
                    let raised: Vec<(EnvId, Version)> =
                        raised.map(|(id, before)| (id.into(), before)).collect();
                    let announced = self.announced.take().unwrap_or(began);
                    shared
                        .raises
                        .publish(&polled.seen, &polled.origins, &raised, announced);
                    if polled.is_ahead {
                        timeout(PATIENCE, store::renumber(connection)).await??;
                    }
                    return Ok(raised);
                }
                Verdict::Other => {}
                Verdict::Rewound(proof) => {
                    let beginning = store::begin_history(connection, polled.history, proof);
                    if timeout(PATIENCE, beginning).await?? {
                        tracing::warn!(
                            proof = proof.label(),
                            "the database was rewound: another history begins"
                        );
                        count(proof);
                    }
                    // The tables may be others, too.
                    let (database, _) = identify(connection).await?;
                    self.database = Some(database);
                }
            }
        }
    }

    fn judge(&mut self, shared: &Shared, polled: &Polled, everything: bool) -> Verdict {
        let (Some(database), Some(history)) = (&self.database, polled.history) else {
            return Verdict::Rewound(Proof::Data);
        };
        let epoch = database.epoch(history);
        if self.epoch != Some(epoch) {
            let is_first = self.epoch.replace(epoch).is_none();
            self.position = 0;
            if !is_first {
                tracing::warn!(
                    "the database has another history: everything is compared with all edges again"
                );
                shared.epoch.send_replace(None);
                shared.contents.forget();
                shared.hub.forget();
                self.mark = Mark::default();
                self.horizon = None;
                self.polled_in_full = None;
                return Verdict::Other;
            }
        }
        if polled.position < self.position {
            return Verdict::Rewound(Proof::Log);
        }
        if !self.mark.is_kept(polled.mark) {
            return Verdict::Rewound(Proof::Mark);
        }
        if shared.contents.is_contradicted() {
            return Verdict::Rewound(Proof::Digest);
        }
        if shared.claims.is_made(epoch) {
            return Verdict::Rewound(Proof::Edge);
        }
        let sighting = if everything {
            shared.hub.see_all(&polled.seen)
        } else {
            shared.hub.see(&polled.seen)
        };
        if !sighting.lowered.is_empty() {
            Verdict::Rewound(Proof::Version)
        } else if !sighting.contradicted.is_empty() {
            Verdict::Rewound(Proof::Digest)
        } else {
            Verdict::Known(sighting)
        }
    }

    /// Connects. The database may be another one than before.
    async fn connect(&mut self, shared: &Shared) -> Result<PgConnection, PollError> {
        let options = shared.db.pool().connect_options();
        let mut connection = timeout(PATIENCE, PgConnection::connect_with(&options)).await??;
        timeout(PATIENCE, store::read_by_index(&mut connection)).await??;
        let (database, has_moved) = identify(&mut connection).await?;
        if has_moved {
            tracing::warn!(
                "the database was restored, copied or failed over: everything is compared with all edges again"
            );
            count(Proof::Identity);
        }
        self.has_moved |= self
            .database
            .as_ref()
            .is_some_and(|before| *before != database);
        self.database = Some(database);
        self.polled_in_full = None;
        Ok(connection)
    }
}

/// Returns once the database is found to be another than this one. Until then somebody is asked who may not know.
async fn is_elsewhere<F, E>(known: Option<&Database>, ask: impl Fn() -> F)
where
    F: Future<Output = Result<Database, E>>,
{
    sleep(DOUBT).await;
    loop {
        match timeout(PATIENCE, ask()).await {
            Ok(Ok(database)) if known.is_none_or(|known| *known == database) => pending().await,
            Ok(Ok(_)) => return,
            Ok(Err(_)) | Err(_) => sleep(PAUSE).await,
        }
    }
}

/// The database that new connections lead to.
async fn identify_anew(options: Arc<PgConnectOptions>) -> db::Result<Database> {
    let mut connection = PgConnection::connect_with(&options).await?;
    store::identify(&mut connection).await
}

/// The database of a connection, and whether its data was used elsewhere before.
async fn identify(connection: &mut PgConnection) -> Result<(Database, bool), PollError> {
    let database = timeout(PATIENCE, store::identify(connection)).await??;
    let has_moved = timeout(PATIENCE, store::has_moved(connection, &database)).await??;
    Ok((database, has_moved))
}

fn count(proof: Proof) {
    metrics::counter!("halyard_database_rewinds_total", "proof" => proof.label()).increment(1);
}

/// Stores digests computed since the last poll, over a connection whose history is known: digests must not enter another history.
async fn keep_digests(shared: &Shared, connection: &mut PgConnection) -> Result<(), PollError> {
    let computed = shared.contents.computed().take(1_000);
    if computed.is_empty() {
        return Ok(());
    }
    let keeping = timeout(PATIENCE, store::keep_digests(connection, &computed)).await;
    if !matches!(keeping, Ok(Ok(true))) {
        shared.contents.computed().put_back(computed);
    }
    keeping??;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        future::ready,
        sync::atomic::{AtomicU32, Ordering},
    };

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_poll_that_hangs_is_left_for_a_new_primary_before_it_is_given_up() {
        let (old, new) = (Database::on("00000001"), Database::on("00000002"));
        let asked = AtomicU32::new(0);
        let promoting = || {
            let is_standby = asked.fetch_add(1, Ordering::Relaxed) < 2;
            ready(if is_standby { Err(()) } else { Ok(new.clone()) })
        };
        let leaving = is_elsewhere(Some(&old), promoting);
        assert!(timeout(PATIENCE / 2, leaving).await.is_ok());

        let slow = || ready(Ok::<_, ()>(old.clone()));
        let staying = is_elsewhere(Some(&old), slow);
        assert!(timeout(PATIENCE, staying).await.is_err(), "it is only slow");
    }
}
