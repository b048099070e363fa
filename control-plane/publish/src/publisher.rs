//! Publishing as the rest of the process sees it: started once, notified of changes, asked about keys.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use fanout::{AllAsked, AllSampled, Hub, Regions, Rehearsals, Sight};
use futures_util::future::BoxFuture;
use protocol::wire::message::{Epoch, StreamSecret};
use secrecy::{ExposeSecret, SecretString};
use serving::{clock::Clock, error::chain};
use tokio::{sync::watch, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Contents,
    fleet::{Elsewhere, Gauges, Raises, Recorder},
    listener,
    lookups::{Asker, Lookups},
    rewind::Claims,
    signing::{Signing, StoredKey},
    store,
    tls::{Authority, AuthorityError},
};
use crate::config::PublishSettings;
use base::{
    db::{self, Db},
    ids::OrgId,
    limits::{self, Full, Limiter, Permit},
    replicas::Replicas,
    sealing,
    waker::Waker,
};
use domain::{
    usage::Collector,
    version::{Change, Publishing},
};

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) db: Db,
    pub(super) clock: Clock,
    pub(super) hub: Arc<Hub>,
    pub(super) contents: Arc<Contents>,
    pub(super) signing: Arc<Signing>,
    pub(super) rehearsals: watch::Sender<Rehearsals>,
    /// Woken when a rehearsal began or was stopped here.
    pub(super) rehearsing: Waker,
    pub(super) sampled: watch::Sender<AllSampled>,
    pub(super) questions: watch::Sender<AllAsked>,
    /// Woken when sampling was changed or a question was asked here.
    pub(super) asking: Waker,
    /// `None` until the first poll, and between two histories of the database.
    pub(super) epoch: watch::Sender<Option<Epoch>>,
    pub(super) sight: Sight,
    pub(super) claims: Claims,
    /// Environments that are compiled to be inspected.
    pub(super) explanations: Limiter,
    pub(super) replicas: Replicas,
    pub(super) gauges: Arc<Gauges>,
    pub(super) elsewhere: Elsewhere,
    pub(super) raises: Raises,
    pub(super) recorder: Recorder,
    pub(super) usage: Collector,
    lookups: Arc<Lookups>,
    pub(super) snapshot_wait: Duration,
    pub(super) edges_wait: Duration,
    waits: Limiter,
    /// Sent to edges, the same on all replicas.
    pub(super) stream_secret: StreamSecret,
    /// Issues the certificates of edges; absent if this replica serves none over the link.
    pub(super) authority: OnceLock<Authority>,
    settings: PublishSettings,
}

/// Publishing as the rest of the process sees it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Publisher(pub(super) Arc<Shared>);

impl Publisher {
    /// Listens for changes of other replicas until `stop` is cancelled. Usage reported by edges goes to `usage`. Start its
    /// [`jobs`](Self::jobs) too: they do the rest.
    pub fn start(
        db: Db,
        clock: Clock,
        settings: &PublishSettings,
        usage: Collector,
        stop: &CancellationToken,
        tasks: &TaskTracker,
    ) -> Self {
        let db = db.for_publishing();
        let hub = Arc::<Hub>::default();
        let lookups = Arc::new(Lookups::new(&db, settings.lookups, clock.clone()));
        let answering = Arc::clone(&lookups).run();
        tasks.spawn(stop.clone().run_until_cancelled_owned(answering));
        let replicas = Replicas::new(db.clone());
        let signing = Signing::new(db.clone(), settings.app_secret.clone(), clock.clone());
        let signing = Arc::new(signing);
        let shared = Arc::new(Shared {
            elsewhere: Elsewhere::new(Arc::clone(&hub), replicas.clone()),
            gauges: Arc::new(Gauges::new(Arc::clone(&hub))),
            raises: Raises::default(),
            recorder: Recorder::default(),
            contents: Arc::new(Contents::new(
                db.clone(),
                Arc::clone(&hub),
                Arc::clone(&signing),
            )),
            signing,
            rehearsals: watch::Sender::default(),
            rehearsing: Waker::new(),
            sampled: watch::Sender::default(),
            questions: watch::Sender::default(),
            asking: Waker::new(),
            hub,
            epoch: watch::Sender::new(None),
            // Out of sight without a poll for this long, in which there are several.
            sight: Sight::new(Duration::from_secs(3)),
            claims: Claims::default(),
            explanations: Limiter::new(limits::EXPLANATIONS),
            replicas,
            db: db.clone(),
            clock,
            usage,
            lookups,
            snapshot_wait: settings.snapshot_wait,
            edges_wait: settings.edges_wait,
            waits: Limiter::new(limits::edge_waits(settings.edges_wait)),
            stream_secret: stream_secret(&settings.app_secret),
            authority: OnceLock::new(),
            settings: settings.clone(),
        });
        let listening = async move { listener::run(&db).await };
        tasks.spawn(stop.clone().run_until_cancelled_owned(listening));
        let watched = Arc::clone(&shared);
        let watching = async move { watched.sight.watch(&watched.hub).await };
        tasks.spawn(stop.clone().run_until_cancelled_owned(watching));
        let publisher = Self(shared);
        let recording = publisher.clone().record_waves();
        tasks.spawn(stop.clone().run_until_cancelled_owned(recording));
        publisher
    }

    /// Waits until the connected edges of all replicas serve the change, at most `SNAPSHOT_WAIT`. Call it after the
    /// commit.
    pub async fn reached(&self, change: &Change) {
        let patience = self.0.snapshot_wait;
        self.prepare(change);
        self.is_of_this_history(change, patience).await;
        let published = change.published();
        tokio::join!(
            self.0.hub.reached(&published, patience),
            self.0.elsewhere.reached(change, patience),
        );
    }

    /// Has a committed change compiled. Whoever waits for the edges may leave.
    pub(super) fn prepare(&self, change: &Change) {
        for &env_id in &change.environments {
            let (contents, version) = (Arc::clone(&self.0.contents), change.version);
            tokio::spawn(async move {
                if let Err(error) = contents.prepare(env_id, version).await {
                    // Whoever sends it to edges tries again, and says so.
                    tracing::debug!(env.id = %env_id, error = chain(&error), "a change is not prepared");
                }
            });
        }
    }

    /// A permit for a write of the organization that waits for all edges.
    ///
    /// # Errors
    /// When too many wait already.
    pub async fn may_wait(&self, org_id: OrgId) -> Result<Permit, Full> {
        self.0.waits.enter(org_id).await
    }

    /// Waits until the database was polled since the change was begun. If it was rewound before that, versions that edges
    /// hold do not prove anything about the change, and this poll has detected it.
    pub(super) async fn is_of_this_history(&self, change: &Change, patience: Duration) {
        let polled = self.0.db.looks().after(change.begun);
        tokio::select! {
            _ = timeout(patience, polled) => {}
            // Edges have been sent elsewhere.
            () = self.0.sight.lost() => {}
        }
    }

    /// The authority that issues the certificates of edges.
    ///
    /// # Errors
    /// When there is none, and none can be made.
    pub async fn authority(&self) -> Result<Authority, AuthorityError> {
        let shared = &self.0;
        if let Some(authority) = shared.authority.get() {
            return Ok(authority.clone());
        }
        let authority = Authority::load(&shared.db, &shared.settings, shared.clock.now()).await?;
        Ok(shared.authority.get_or_init(|| authority).clone())
    }

    /// The keys whose signatures edges and SDKs accept, in the order in which they sign.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn signing_keys(&self) -> db::Result<Vec<StoredKey>> {
        self.0.signing.keys().await
    }

    /// Reads the keys that sign, and has edges told of them. A job does it every minute.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn load_signing_keys(self) -> db::Result<()> {
        let shared = &self.0;
        shared.signing.refresh().await?;
        if let Some(authority) = shared.authority.get()
            && let Err(error) = shared.signing.certify(authority)
        {
            tracing::error!(
                error = chain(&error),
                "edges are not told of the keys that sign"
            );
        }
        Ok(())
    }

    /// Signs which versions are current, for edges and SDKs. A job does it every minute.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn sign_timestamp(self) -> db::Result<()> {
        let shared = &self.0;
        // Edges know as well as we do while there is nothing to see.
        if shared.sight.is_lost() && shared.epoch.borrow().is_some() {
            return Ok(());
        }
        let Some(now_ms) = shared.signing.now_ms().await? else {
            return Ok(());
        };
        self.known_epoch().await;
        self.polled().await;
        shared
            .signing
            .timestamp(shared.hub.versions(), now_ms)
            .await
    }

    /// The collector of the usage that edges report.
    pub fn usage(&self) -> &Collector {
        &self.0.usage
    }

    /// One more edge that looks up API keys it does not know, of these regions.
    pub fn asker(&self, regions: Regions) -> Asker {
        self.0.lookups.asker(regions)
    }

    /// Deletes tombstones and marks that are old enough.
    pub(super) async fn prune_tombstones(self) -> db::Result<()> {
        let mut conn = self.0.db.acquire().await?;
        store::sweep_marks(&mut conn).await?;
        store::prune(&mut conn, self.0.clock.now() - store::TOMBSTONES).await
    }

    /// Waits until everything is known that was committed before now, by this replica or another.
    // A poll already under way may have read the database before now: only the one after it is certain to see
    // everything.
    pub(super) async fn polled(&self) {
        let looks = self.0.db.looks();
        let begun = looks.begun();
        self.0.db.changed().wake();
        looks.after(begun).await;
    }

    /// The history of the database, once a full poll has seen all environments.
    pub(super) async fn known_epoch(&self) -> Epoch {
        let mut epoch = self.0.epoch.subscribe();
        match epoch.wait_for(Option::is_some).await.map(|epoch| *epoch) {
            Ok(Some(epoch)) => epoch,
            // The sender lives as long as the handle.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }
}

fn stream_secret(app_secret: &SecretString) -> StreamSecret {
    let secret = app_secret.expose_secret().as_bytes();
    StreamSecret(*sealing::derive(secret, "stream credentials"))
}

impl Publishing for Publisher {
    fn reached<'a>(&'a self, change: &'a Change) -> BoxFuture<'a, ()> {
        Box::pin(self.reached(change))
    }
}
