//! A replica of the control plane on the simplest database.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use protocol::{
    what_if::Finding,
    wire::{
        message::StreamSecret,
        usage::{ToldDefault, UsageBatch},
    },
};
use serving::clock::Clock;
use tokio::sync::watch;

use super::*;
use crate::{
    Admission, AllAsked, AllSampled, Frame, LastTimestamp, Lookup, NotAdmitted, NotGreeted, NotNow,
    Rehearsals, Reporter, Rewound, Sight, Signers, Source, Update,
};

#[derive(Clone, Debug)]
pub(super) struct Replica(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    hub: Arc<Hub>,
    sight: Sight,
    clock: Clock,
    database: Arc<Mutex<Database>>,
    messages: Arc<Mutex<Vec<Message>>>,
    is_cut_off: AtomicBool,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    epoch: Option<Epoch>,
    reader: u64,
    mark: Option<u64>,
    tracked: BTreeMap<EnvId, Contents>,
    /// What it was that the database cannot be what it was.
    claimed: Option<Epoch>,
    is_contradicted: bool,
}

pub(super) struct Nobody;

fn epoch(history: u64) -> Epoch {
    Epoch(u128::from(history).to_le_bytes())
}

impl Replica {
    pub(super) fn new(
        database: &Arc<Mutex<Database>>,
        messages: &Arc<Mutex<Vec<Message>>>,
    ) -> Self {
        Self(Arc::new(Parts {
            hub: Arc::default(),
            sight: Sight::new(LONG),
            clock: Clock::manual(OffsetDateTime::UNIX_EPOCH),
            database: Arc::clone(database),
            messages: Arc::clone(messages),
            is_cut_off: AtomicBool::new(false),
            known: Mutex::default(),
        }))
    }

    pub(super) fn cut_off(&self, is_cut_off: bool) {
        self.0.is_cut_off.store(is_cut_off, Ordering::Relaxed);
    }

    pub(super) fn is_cut_off(&self) -> bool {
        self.0.is_cut_off.load(Ordering::Relaxed)
    }

    pub(super) fn is_contradicted(&self) -> bool {
        self.0.known.lock().unwrap().is_contradicted
    }

    /// False if it is cut off.
    pub(super) fn look_unless_cut_off(&self) -> bool {
        let can_look = !self.is_cut_off();
        if can_look {
            self.look();
        }
        can_look
    }

    fn look(&self) {
        let parts = &self.0;
        let (mut database, mut known) =
            (parts.database.lock().unwrap(), parts.known.lock().unwrap());
        loop {
            let now = epoch(database.state.history);
            if known.epoch != Some(now) {
                parts.hub.forget();
                *known = Known {
                    epoch: Some(now),
                    reader: database.draw(),
                    ..Known::default()
                };
            }
            let is_marked = database.state.marks.get(&known.reader) == known.mark.as_ref();
            let is_claimed = known.claimed == Some(now);
            let is_sound = is_marked && !known.is_contradicted && {
                let seen = database
                    .state
                    .environments
                    .iter()
                    .map(|(env_id, contents)| {
                        let digest = database.state.digests.get(env_id);
                        let digest = digest.filter(|(version, _)| *version == contents.version);
                        seen_with(*env_id, contents.version, digest.map(|(_, digest)| *digest))
                    });
                let sighting = parts.hub.see_all(&seen.collect::<Vec<_>>());
                sighting.lowered.is_empty() && sighting.contradicted.is_empty()
            };
            if is_sound && !is_claimed {
                break;
            }
            database.state.history = database.draw();
            if !is_sound {
                database.state.digests.clear();
            }
        }
        let mark = database.draw();
        known.mark = Some(mark);
        database.state.marks.insert(known.reader, mark);
        for (env_id, contents) in &known.tracked {
            let digest = (contents.version, contents.digest());
            database.state.digests.insert(*env_id, digest);
        }
        parts.sight.saw(Instant::now(), 0);
    }

    /// Brings what is tracked to at least this version.
    fn track(&self, env_id: EnvId, at_least: Version, whole: bool) -> Option<Contents> {
        let mut known = self.0.known.lock().unwrap();
        let before = known.tracked.get(&env_id).cloned();
        if let Some(before) = before
            .clone()
            .filter(|before| !whole && before.version >= at_least)
        {
            return Some(before);
        }
        if self.is_cut_off() {
            return None;
        }
        let now = self.0.database.lock().unwrap().state.environments[&env_id].clone();
        let next = match before.clone().filter(|_| !whole) {
            Some(mut tracked) => {
                tracked.items.extend(now.newer_than(tracked.version));
                tracked.version = now.version;
                tracked
            }
            None => now,
        };
        let adds_up = before.is_none_or(|before| before.version != next.version || before == next);
        let (version, digest) = (next.version, next.digest());
        known.is_contradicted |= !self.0.hub.digested(env_id, version, digest) || !adds_up;
        known.tracked.insert(env_id, next.clone());
        Some(next)
    }
}

impl Source for Replica {
    type Lookup = Nobody;

    fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    fn sight(&self) -> &Sight {
        &self.0.sight
    }

    fn clock(&self) -> &Clock {
        &self.0.clock
    }

    fn stream_secret(&self) -> StreamSecret {
        StreamSecret([0; 32])
    }

    fn signers(&self) -> watch::Receiver<Signers> {
        watch::Sender::default().subscribe()
    }

    fn timestamps(&self) -> watch::Receiver<LastTimestamp> {
        watch::Sender::default().subscribe()
    }

    fn rehearsals(&self) -> watch::Receiver<Rehearsals> {
        watch::Sender::default().subscribe()
    }

    fn sampled(&self) -> watch::Receiver<AllSampled> {
        watch::Sender::default().subscribe()
    }

    fn questions(&self) -> watch::Receiver<AllAsked> {
        watch::Sender::default().subscribe()
    }

    fn patience(&self) -> Duration {
        LONG
    }

    fn regions(&self) -> Regions {
        Regions::All
    }

    fn epoch(&self) -> Option<Epoch> {
        self.0.known.lock().unwrap().epoch
    }

    async fn caught_up(&self) -> Epoch {
        self.look();
        self.epoch().expect("there was a look")
    }

    fn rewound(&self, proof: Rewound) -> Option<NotGreeted> {
        self.0.known.lock().unwrap().claimed = Some(proof.epoch);
        Some(NotGreeted::Rewound)
    }

    fn is_left_out(&self, _: EnvId) -> bool {
        false
    }

    async fn digest(&self, env_id: EnvId, at_least: Version) -> Option<(Version, Digest)> {
        let contents = self.track(env_id, at_least, false)?;
        Some((contents.version, contents.digest()))
    }

    async fn update(&self, env_id: EnvId, base: Option<Version>, at_least: Version) -> Update {
        let Some(contents) = self.track(env_id, at_least, base.is_none()) else {
            return Update::NotNow;
        };
        let (version, digest) = (contents.version, contents.digest());
        let message = match base {
            Some(base) if base >= version => return Update::Nothing(version),
            Some(base) => Message::Delta {
                base,
                version,
                items: contents.newer_than(base),
                digest,
            },
            None => Message::Whole(contents, digest),
        };
        let mut messages = self.0.messages.lock().unwrap();
        let number = u64::try_from(messages.len()).unwrap();
        messages.push(message);
        Update::Send(Frame {
            version,
            bytes: number.to_le_bytes().to_vec().into(),
            urgent: false,
        })
    }

    async fn admit(&self, _: &[u8; 32]) -> Result<Admission, NotAdmitted> {
        Err(NotAdmitted::Unavailable(NotNow.into()))
    }

    fn lookup(&self, _: Regions) -> Nobody {
        Nobody
    }

    async fn store(&self, _: &Reporter, _: UsageBatch) -> Result<(), NotNow> {
        Err(NotNow)
    }

    async fn told(&self, _: &Reporter, _: Vec<ToldDefault>) {}

    async fn found(&self, _: &Reporter, _: Finding) {}

    async fn renew(&self, _: &[u8; 32], _: Vec<u8>) -> Result<Vec<u8>, String> {
        Err("nobody is renewed".to_owned())
    }
}

impl Lookup for Nobody {
    async fn look_up(&self, _: &KeyHash) -> Result<Option<(EnvId, Version)>, NotNow> {
        Err(NotNow)
    }
}
