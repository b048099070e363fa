//! The built-in edge's link: the same messages as over QUIC, in process.
//!
//! As there, several messages are made concurrently, by tasks of their own: a slow environment does not delay others, and is not
//! started again when another message is due. Nor do waiters for the same environment depend on the edge.

use std::sync::Arc;

use bytes::Bytes;
use fanout::{
    AllSampled, Fingerprint, Flushes, Greeting, Guest, Identity, Interest, LastTimestamp,
    NotGreeted, Outbox, Outgoing, Regions, Rehearsals, Rehearsed, Reporter, Source, Untold,
};
use protocol::{
    ids::EnvId,
    rehearsal::Running,
    snapshot::Version,
    timestamp::Register,
    what_if::{Finding, SignedQuestion},
    wire::{
        merge,
        message::{Epoch, Held, Holds, Listed, Looked, Push, StreamSecret},
    },
};
use serving::{error::chain, settings::spans::SECOND};
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::{Duration, Interval, interval, sleep},
};

use super::Publisher;
use base::replicas::Replicas;

/// Pause after a failed greeting.
const PAUSE: Duration = Duration::from_millis(250);

/// A message to the built-in edge.
#[derive(Debug)]
pub enum LocalMessage {
    /// All environments; sent first, and again when the database has another history.
    Welcome {
        epoch: Epoch,
        environments: Vec<Listed>,
        /// The same as for edges over the link.
        stream_secret: StreamSecret,
    },
    /// Contents, to be acknowledged, with the bytes that they came as.
    Push(Box<Push>, Bytes),
    /// When the database was last polled; sent every second.
    Looked(Epoch, Looked),
    /// Which versions are current, for SDKs.
    Timestamp(Arc<Register>),
    /// All rehearsals of an outage that go on.
    Rehearsals(Vec<Running>),
    /// All environments whose requests are sampled.
    Sampled(AllSampled),
    /// What would other contents have answered?
    Question(Arc<SignedQuestion>),
    /// Upload all counters, then answer with the same number.
    FlushUsage {
        /// Echoed in the answer.
        request: u64,
    },
}

/// The built-in edge's connection. It covers all regions.
#[derive(Debug)]
pub struct LocalLink<H> {
    handle: Publisher,
    /// Called at each greeting.
    holds: H,
    connected: Option<Connected>,
}

#[derive(Debug)]
struct Connected {
    epoch: Epoch,
    outbox: Arc<Outbox<Publisher>>,
    /// Finished deltas and removals. They overtake whole environments.
    updates: mpsc::Receiver<Outgoing>,
    wholes: mpsc::Receiver<Outgoing>,
    /// Aborted with the connection.
    makers: JoinSet<()>,
    flushes: Flushes,
    /// When the age of the last poll is sent.
    polls: Interval,
    timestamps: watch::Receiver<LastTimestamp>,
    rehearsals: watch::Receiver<Rehearsals>,
    sampled: watch::Receiver<AllSampled>,
    untold: Untold,
}

impl Publisher {
    /// Connects the built-in edge; `holds` returns its contents, and their epoch.
    pub fn connect_local<H: Fn() -> (Option<Epoch>, Vec<Held>)>(&self, holds: H) -> LocalLink<H> {
        LocalLink {
            handle: self.clone(),
            holds,
            connected: None,
        }
    }
}

/// The name of a replica's built-in edge.
pub(crate) fn built_in(replicas: &Replicas) -> String {
    let replica = replicas.id().simple().to_string();
    format!("built-in-{}", &replica[..8])
}

impl<H: Fn() -> (Option<Epoch>, Vec<Held>)> LocalLink<H> {
    /// The next message, excluding whole environments unless there is capacity for one. Cancellation safe. Several pushes may be
    /// taken before the first is answered; they are for different environments.
    pub async fn next(&mut self, has_room_for_wholes: bool) -> LocalMessage {
        loop {
            let Some(Connected {
                epoch,
                outbox,
                updates,
                wholes,
                makers,
                flushes,
                polls,
                timestamps,
                rehearsals,
                sampled,
                untold,
            }) = &mut self.connected
            else {
                let (greeting, outbox) = self.greet().await;
                self.connected = Some(Connected::new(greeting.epoch, outbox, &self.handle));
                return LocalMessage::Welcome {
                    epoch: greeting.epoch,
                    environments: greeting.environments,
                    stream_secret: self.handle.0.stream_secret,
                };
            };
            let outgoing = tokio::select! {
                biased;
                _ = outbox.subscription.ended() => None,
                _ = polls.tick() => {
                    return LocalMessage::Looked(*epoch, self.handle.0.sight.looked());
                }
                Ok(()) = timestamps.changed() => match timestamps.borrow_and_update().clone() {
                    Some(last) => return LocalMessage::Timestamp(last),
                    None => continue,
                },
                Ok(()) = rehearsals.changed() => {
                    let rehearsals = rehearsals.borrow_and_update();
                    let running = rehearsals.iter().filter_map(Rehearsed::running);
                    return LocalMessage::Rehearsals(running.collect());
                }
                Ok(()) = sampled.changed() => {
                    return LocalMessage::Sampled(Arc::clone(&sampled.borrow_and_update()));
                }
                signed = untold.next(|_| true) => return LocalMessage::Question(signed),
                request = flushes.next() => return LocalMessage::FlushUsage { request },
                Some(outgoing) = updates.recv() => Some(outgoing),
                Some(outgoing) = wholes.recv(), if has_room_for_wholes => Some(outgoing),
                Some(_) = makers.join_next() => {
                    tracing::error!("a message for the built-in edge could not be made; it is greeted again");
                    sleep(PAUSE).await;
                    None
                }
            };
            match outgoing {
                Some(Outgoing::Contents(env_id, frame)) => match merge::read(&frame.bytes) {
                    Ok(push) => return LocalMessage::Push(Box::new(push), frame.bytes),
                    Err(error) => {
                        tracing::error!(env.id = %env_id, error = chain(&error), "a message of our own cannot be decoded");
                        sleep(PAUSE).await;
                        outbox.subscription.retry(env_id);
                    }
                },
                Some(Outgoing::Removal(env_id)) => {
                    let removed = Box::new(Push::Removed { env_id });
                    return LocalMessage::Push(removed, Bytes::new());
                }
                None => self.connected = None,
            }
        }
    }

    /// The edge now serves this version; any number for an environment that it no longer serves.
    pub fn acknowledge(&self, env_id: EnvId, version: Version) {
        if let Some(Connected { outbox, .. }) = &self.connected {
            outbox.subscription.acknowledge(env_id, version);
        }
    }

    /// The edge could not use a push for this environment: it is sent whole, after a growing pause.
    pub fn lose(&self, env_id: EnvId) {
        if let Some(Connected { outbox, .. }) = &self.connected {
            outbox.subscription.lose(env_id);
        }
    }

    /// Everything counted before this request is stored.
    pub fn flushed(&self, request: u64) {
        if let Some(Connected { outbox, .. }) = &self.connected {
            outbox.subscription.flushed(request);
        }
    }

    /// What the edge found about a question.
    pub async fn found(&self, finding: Finding) {
        let reporter = Reporter {
            name: built_in(&self.handle.0.replicas),
            certificate: Fingerprint::default(),
            regions: Regions::All,
        };
        self.handle.found(&reporter, finding).await;
    }

    fn identity(&self) -> Identity {
        let shared = &self.handle.0;
        Identity {
            name: built_in(&shared.replicas),
            region: None,
            build: serving::build::text().to_owned(),
            since: shared.clock.now(),
            is_relay: false,
        }
    }

    async fn greet(&self) -> (Greeting, Outbox<Publisher>) {
        loop {
            match self.try_to_greet().await {
                Ok(greeted) => return greeted,
                Err(NotGreeted::Unsighted) => self.handle.0.sight.found().await,
                Err(error) => {
                    tracing::warn!(
                        error = chain(&error),
                        "the built-in edge cannot start yet; retrying"
                    );
                    sleep(PAUSE).await;
                }
            }
        }
    }

    async fn try_to_greet(&self) -> Result<(Greeting, Outbox<Publisher>), NotGreeted> {
        let (epoch, holds) = (self.holds)();
        let guest = Guest {
            regions: Regions::All,
            interest: Interest::All,
            fingerprint: None,
            identity: self.identity(),
            epoch,
            position: 0,
        };
        let listed = Holds::Listed(holds.clone());
        let greeting = guest.welcome(&self.handle, &listed).await?;
        let outbox = guest.connect(&self.handle, &greeting, &holds).await?;
        Ok((greeting, outbox))
    }
}

impl Connected {
    fn new(epoch: Epoch, outbox: Outbox<Publisher>, handle: &Publisher) -> Self {
        let mut timestamps = handle.timestamps();
        timestamps.mark_changed();
        let mut rehearsals = handle.rehearsals();
        rehearsals.mark_changed();
        let mut sampled = handle.sampled();
        sampled.mark_changed();
        let outbox = Arc::new(outbox);
        let (update, updates) = mpsc::channel(1);
        let (whole, wholes) = mpsc::channel(1);
        let mut makers = JoinSet::new();
        // Concurrent updates, and as many whole environments.
        for _ in 0..4 {
            makers.spawn(make_updates(Arc::clone(&outbox), update.clone()));
            makers.spawn(make_wholes(Arc::clone(&outbox), whole.clone()));
        }
        Self {
            epoch,
            flushes: outbox.subscription.flushes(),
            outbox,
            updates,
            wholes,
            makers,
            polls: interval(SECOND),
            timestamps,
            rehearsals,
            sampled,
            untold: Untold::new(handle.questions()),
        }
    }
}

async fn make_updates(outbox: Arc<Outbox<Publisher>>, made: mpsc::Sender<Outgoing>) {
    while made.send(outbox.next_update().await).await.is_ok() {}
}

async fn make_wholes(outbox: Arc<Outbox<Publisher>>, made: mpsc::Sender<Outgoing>) {
    while made.send(outbox.next_whole().await).await.is_ok() {}
}
