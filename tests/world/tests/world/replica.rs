//! A control plane: the real hub and the real link on a model of the database.
//!
//! Finding changes and making contents follow `publish` step by step, with an await wherever that waits for the database: a
//! question may be late, refused or never answered, and what it did may be done all the same.

mod source;

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use fanout::{
    Admission, Change, Fingerprint, Hub, NotNow, Reached, Seen, Serving, Sight, Source, serve_on,
};
use protocol::{
    snapshot::{Digest, Version},
    wire::message::Epoch,
};
use serving::clock::Clock;
use tokio::{
    sync::{Notify, watch},
    time::{Instant, sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    authority::Authority,
    database::{Database, Polled, Stored, env_id},
    line::Line,
    network::Machine,
};

/// How often the database is asked.
const POLLS: Duration = Duration::from_millis(500);
/// How long a write waits for edges.
const WAIT: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub(crate) struct Replica(Arc<Parts>);

struct Parts {
    hub: Arc<Hub>,
    sight: Sight,
    clock: Clock,
    line: Line,
    edges: Arc<HashMap<Fingerprint, Admission>>,
    epoch: watch::Sender<Option<Epoch>>,
    known: Mutex<Known>,
    polling: tokio::sync::Mutex<()>,
    woken: Notify,
    contents: BTreeMap<u8, tokio::sync::Mutex<Option<(u64, Stored)>>>,
}

/// What is known of this history.
#[derive(Default)]
struct Known {
    /// Rises with each history.
    era: u64,
    history: Option<(u64, u64)>,
    epoch: Option<Epoch>,
    reader: u64,
    position: u64,
    /// The marks that prove that nothing was taken back.
    accepted: Vec<Option<u64>>,
    versions: BTreeMap<u8, Version>,
    is_contradicted: bool,
    /// The history that an edge has seen to be over.
    claimed: Option<Epoch>,
    computed: Vec<(u8, Version, Digest)>,
    drawn: u64,
}

enum Verdict {
    Known,
    Other,
    Rewound,
}

impl Replica {
    /// Starts one, with its listener and its poller, until `stop` is cancelled.
    pub(crate) fn start(
        clock: Clock,
        line: Line,
        authority: &Arc<Authority>,
        machine: Machine,
        reader: u64,
        stop: &CancellationToken,
    ) -> Self {
        let contents =
            (0..crate::database::ENVIRONMENTS).map(|env| (env, tokio::sync::Mutex::default()));
        let known = Known {
            reader,
            accepted: vec![None],
            ..Known::default()
        };
        let replica = Self(Arc::new(Parts {
            hub: Arc::default(),
            sight: Sight::new(Duration::from_secs(3)),
            clock,
            line,
            edges: authority.admitted(),
            epoch: watch::Sender::new(None),
            known: Mutex::new(known),
            polling: tokio::sync::Mutex::default(),
            woken: Notify::new(),
            contents: contents.collect(),
        }));
        let watched = replica.clone();
        let watching = async move { watched.0.sight.watch(&watched.0.hub).await };
        tokio::spawn(stop.clone().run_until_cancelled_owned(watching));
        tokio::spawn(
            stop.clone()
                .run_until_cancelled_owned(replica.clone().poll_for_ever()),
        );
        let identity = Arc::clone(authority);
        let serving = Serving {
            socket: Machine::server_socket(),
            identify: Box::new(move || Ok(identity.server())),
            renewed: Arc::default(),
            reset_secret: [1; 32],
        };
        let served: Result<SocketAddr, _> = serve_on(
            &replica,
            serving,
            Arc::new(machine),
            stop,
            &TaskTracker::new(),
        );
        served.unwrap();
        replica
    }

    /// Commits a change, and waits for the edges; `None` if it is not known to be committed.
    pub(crate) async fn write(&self, env: u8, flag: u8) -> Option<(Instant, Reached)> {
        let commit = move |database: &mut Database| (database.commit(env, flag), Instant::now());
        let (version, committed) = self.0.line.ask(commit).await.ok()?;
        self.0.woken.notify_one();
        let change = Change {
            version,
            environments: vec![env_id(env)],
        };
        // What edges hold proves nothing of this write before the database was polled since.
        tokio::select! {
            biased;
            _ = timeout(WAIT, self.caught_up()) => {}
            () = self.0.sight.lost() => {}
        }
        // As those who wait for all edges do, who also wait for those that keep up.
        self.0.hub.reached(&change, WAIT).await;
        Some((committed, self.0.hub.acknowledged(&change, WAIT).await))
    }

    async fn poll_for_ever(self) {
        loop {
            // It is asked again soon.
            self.poll().await.unwrap_or_default();
            let announced = self.0.line.announced();
            tokio::select! {
                biased;
                () = self.0.woken.notified() => {}
                () = announced => {}
                () = sleep(POLLS) => {}
            }
        }
    }

    /// Polls once, as a whole that began after this call.
    async fn poll(&self) -> Result<(), NotNow> {
        let parts = &self.0;
        let _turn = parts.polling.lock().await;
        loop {
            let began = Instant::now();
            let (reader, accepted, next, versions) = {
                let mut known = parts.known.lock().unwrap();
                known.drawn += 1;
                let next = known.reader << 32 | known.drawn;
                let accepted = known.accepted.clone();
                // Until it is answered it may have been written or not.
                known.accepted.push(Some(next));
                (known.reader, accepted, next, known.versions.clone())
            };
            let polled = parts
                .line
                .ask(move |database| database.poll(reader, &accepted, next, &versions))
                .await?;
            match self.judge(&polled, next) {
                Verdict::Known => {
                    parts.sight.saw(began, polled.position);
                    return self.keep_digests(polled.history).await;
                }
                Verdict::Other => {}
                Verdict::Rewound => {
                    let history = polled.history;
                    parts
                        .line
                        .ask(move |database| database.begin_history(history))
                        .await?;
                }
            }
        }
    }

    fn judge(&self, polled: &Polled, attempt: u64) -> Verdict {
        let parts = &self.0;
        let mut known = parts.known.lock().unwrap();
        let epoch = polled.epoch();
        if known.epoch != Some(epoch) {
            let is_first = known.epoch.is_none();
            *known = Known {
                era: known.era + 1,
                epoch: Some(epoch),
                reader: if is_first {
                    known.reader
                } else {
                    known.reader + (1 << 16)
                },
                accepted: vec![None],
                drawn: known.drawn,
                ..Known::default()
            };
            if !is_first {
                parts.epoch.send_replace(None);
                parts.hub.forget();
                return Verdict::Other;
            }
            known.accepted.push(Some(attempt));
        }
        if polled.position < known.position {
            return Verdict::Rewound;
        }
        if !known.accepted.contains(&polled.mark) {
            known.accepted.clear();
            return Verdict::Rewound;
        }
        if known.is_contradicted || known.claimed == Some(epoch) {
            return Verdict::Rewound;
        }
        let seen: Vec<Seen> = polled
            .environments
            .iter()
            .map(|found| Seen::Environment {
                env_id: env_id(found.env),
                version: found.version,
                region: "eu".into(),
                digest: found.digest,
            })
            .collect();
        let sighting = parts.hub.see_all(&seen);
        if !sighting.lowered.is_empty() || !sighting.contradicted.is_empty() {
            return Verdict::Rewound;
        }
        if polled.is_marked {
            known.accepted = vec![Some(attempt)];
        } else {
            known.accepted.retain(|mark| *mark != Some(attempt));
        }
        known.history = Some(polled.history);
        known.position = polled.position;
        let found = polled.environments.iter();
        known.versions = found.map(|found| (found.env, found.version)).collect();
        drop(known);
        parts
            .epoch
            .send_if_modified(|known| known.replace(epoch) != Some(epoch));
        Verdict::Known
    }

    async fn keep_digests(&self, history: (u64, u64)) -> Result<(), NotNow> {
        let computed = std::mem::take(&mut self.0.known.lock().unwrap().computed);
        if computed.is_empty() {
            return Ok(());
        }
        let keep = move |database: &mut Database| database.keep_digests(history, &computed);
        self.0.line.ask(keep).await
    }

    /// Brings what is tracked of an environment to at least this version, or reads all of it.
    async fn track(&self, env: u8, at_least: Version, whole: bool) -> Result<Stored, NotNow> {
        let parts = &self.0;
        let mut tracked = parts.contents[&env].lock().await;
        let era = parts.known.lock().unwrap().era;
        // What was tracked for another history is dropped.
        let before = tracked
            .take_if(|(of, _)| *of != era)
            .map_or_else(|| tracked.clone(), |_| None);
        let before = before.map(|(_, stored)| stored);
        if let Some(before) = &before
            && !whole
            && before.version >= at_least
        {
            return Ok(before.clone());
        }
        let now = parts.line.ask(|database| database.stored(env)).await?;
        let next = match before.clone().filter(|_| !whole) {
            Some(before) => before.brought_to(&now),
            None => now,
        };
        let mut known = parts.known.lock().unwrap();
        // Read in another era, it proves nothing of this one.
        if known.era == era {
            let (version, digest) = (next.version, next.digest(env));
            let adds_up = before.is_none_or(|before| before.version != version || before == next);
            let is_known = parts.hub.digested(env_id(env), version, digest);
            known.is_contradicted |= !is_known || !adds_up;
            known.computed.push((env, version, digest));
            if known.is_contradicted {
                parts.woken.notify_one();
            }
            *tracked = Some((era, next.clone()));
        }
        Ok(next)
    }
}

impl fmt::Debug for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Replica")
    }
}
