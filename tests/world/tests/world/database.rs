//! What control planes see of PostgreSQL: commits in order, and a state that may be taken back to what it once was.
//!
//! Environments, the marks of replicas and stored digests are restored together. What has been true at which time is remembered
//! apart, so that it can be said whether an edge that calls itself fresh is right. So is usage: no restore takes that back here.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use protocol::{
    digest,
    ids::EnvId,
    snapshot::{ApiKey, Delta, Digest, Flag, FlagType, Head, Snapshot, Version},
    wire::{message::Epoch, usage::UsageBatch},
};
use sha2::{Digest as _, Sha256};
use tokio::{sync::watch, time::Instant};
use uuid::Uuid;

/// The environments that there are.
pub(crate) const ENVIRONMENTS: u8 = 3;
/// The flags of each.
pub(crate) const FLAGS: u8 = 3;

/// What clients are answered: the value of each flag.
pub(crate) type Values = Vec<u64>;

pub(crate) fn env_id(env: u8) -> EnvId {
    EnvId::new(Uuid::from_u128(u128::from(env) + 1))
}

/// The API key of an environment.
pub(crate) fn api_key(env: u8) -> String {
    format!("srv_{:048x}", u64::from(env) + 1)
}

/// An environment as stored: each flag with the version of its last change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    pub(crate) version: Version,
    flags: BTreeMap<u8, (u64, Version)>,
}

impl Stored {
    pub(crate) fn values(&self) -> Values {
        self.flags.values().map(|(value, _)| *value).collect()
    }

    /// These contents with what is newer than they are in others.
    pub(crate) fn brought_to(mut self, now: &Self) -> Self {
        let newer = now.flags.iter();
        let newer = newer.filter(|(_, (_, changed))| *changed > self.version);
        self.flags
            .extend(newer.map(|(flag, value)| (*flag, *value)));
        self.version = now.version;
        self
    }

    pub(crate) fn snapshot(&self, env: u8) -> Snapshot {
        Snapshot {
            head: head(env, self.version),
            flags: self.flags_newer_than(env, 0),
            keys: vec![ApiKey {
                id: Uuid::from_u128(u128::from(env)).into(),
                hash: Sha256::digest(api_key(env)).into(),
                expires_at_ms: None,
            }],
            ..Snapshot::default()
        }
    }

    pub(crate) fn delta(&self, env: u8, base: Version) -> Delta {
        Delta {
            head: head(env, self.version),
            base,
            digest: self.digest(env),
            flags: self.flags_newer_than(env, base),
            ..Delta::default()
        }
    }

    pub(crate) fn digest(&self, env: u8) -> Digest {
        digest::of(&self.snapshot(env))
    }

    fn flags_newer_than(&self, env: u8, base: Version) -> Vec<Flag> {
        let newer = self
            .flags
            .iter()
            .filter(|(_, (_, changed))| *changed > base);
        newer
            .map(|(flag, (value, _))| Flag {
                id: Uuid::from_u128(u128::from(env) * 256 + u128::from(*flag)).into(),
                key: flag_key(*flag),
                flag_type: FlagType::Number,
                default_value: value.to_string(),
                ..Flag::default()
            })
            .collect()
    }
}

pub(crate) fn flag_key(flag: u8) -> String {
    format!("flag-{flag}")
}

fn head(env: u8, version: Version) -> Head {
    Head {
        org_id: Uuid::from_u128(1).into(),
        project_id: Uuid::from_u128(u128::from(env) + 1).into(),
        env_id: env_id(env),
        slug: "dev".to_owned(),
        version,
    }
}

/// All that is taken back by a restore.
#[derive(Clone, Debug, Default)]
struct State {
    history: u64,
    timeline: u64,
    environments: BTreeMap<u8, Stored>,
    digests: BTreeMap<u8, (Version, Digest)>,
    marks: BTreeMap<u64, u64>,
    position: u64,
}

/// How a database is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Back {
    /// Its rows are loaded again; its log goes on.
    Data,
    /// Its disk is put back.
    Disk,
    /// A standby that is behind takes its place.
    Promotion,
}

/// An environment as a poll finds it.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) env: u8,
    pub(crate) version: Version,
    /// The digest of this version, if it is stored.
    pub(crate) digest: Option<Digest>,
}

/// What a poll finds, all of it at the same moment.
#[derive(Clone, Debug)]
pub(crate) struct Polled {
    pub(crate) history: (u64, u64),
    pub(crate) position: u64,
    /// The mark before this poll.
    pub(crate) mark: Option<u64>,
    pub(crate) is_marked: bool,
    pub(crate) environments: Vec<Found>,
}

impl Polled {
    pub(crate) fn epoch(&self) -> Epoch {
        let (history, timeline) = self.history;
        Epoch((u128::from(history) << 64 | u128::from(timeline)).to_le_bytes())
    }
}

#[derive(Debug, Default)]
pub(crate) struct Database {
    state: State,
    kept: Vec<State>,
    /// For what is never the same twice.
    drawn: u64,
    /// What each environment answered since when.
    past: BTreeMap<u8, Vec<(Instant, Values)>>,
    /// The next number of each boot, and how many evaluations of each edge were counted.
    next: HashMap<[u8; 16], u64>,
    counted: BTreeMap<String, u64>,
    commits: watch::Sender<()>,
}

impl Database {
    pub(crate) fn new() -> Self {
        let mut database = Self::default();
        for env in 0..ENVIRONMENTS {
            for flag in 0..FLAGS {
                database.commit(env, flag);
            }
        }
        database.keep();
        database
    }

    fn draw(&mut self) -> u64 {
        self.drawn += 1;
        self.drawn
    }

    pub(crate) fn commit(&mut self, env: u8, flag: u8) -> Version {
        let value = self.draw();
        let stored = self.state.environments.entry(env).or_default();
        stored.version += 1;
        stored.flags.insert(flag, (value, stored.version));
        let version = stored.version;
        self.state.position += 1;
        self.note();
        self.commits.send_replace(());
        version
    }

    /// Notified of every commit.
    pub(crate) fn commits(&self) -> watch::Receiver<()> {
        self.commits.subscribe()
    }

    /// Makes a backup.
    pub(crate) fn keep(&mut self) {
        self.kept.push(self.state.clone());
    }

    pub(crate) fn take_back(&mut self, back: Back, which: u64) {
        let (position, timeline) = (self.state.position, self.draw());
        let kept = usize::try_from(which).unwrap() % self.kept.len();
        self.state = self.kept[kept].clone();
        match back {
            Back::Data => self.state.position = position + 1,
            Back::Disk => {}
            Back::Promotion => self.state.timeline = timeline,
        }
        self.note();
    }

    pub(crate) fn stored(&self, env: u8) -> Stored {
        self.state.environments[&env].clone()
    }

    /// Finds everything, and leaves a mark if something has changed since these versions were found.
    pub(crate) fn poll(
        &mut self,
        reader: u64,
        accepted: &[Option<u64>],
        next: u64,
        known: &BTreeMap<u8, Version>,
    ) -> Polled {
        let environments: Vec<Found> = self
            .state
            .environments
            .iter()
            .map(|(env, stored)| {
                let digest = self.state.digests.get(env);
                let digest = digest.filter(|(version, _)| *version == stored.version);
                Found {
                    env: *env,
                    version: stored.version,
                    digest: digest.map(|(_, digest)| *digest),
                }
            })
            .collect();
        let mark = self.state.marks.get(&reader).copied();
        let is_new = |found: &Found| known.get(&found.env) != Some(&found.version);
        let is_marked = environments.iter().any(is_new) && accepted.contains(&mark);
        if is_marked {
            self.state.marks.insert(reader, next);
        }
        Polled {
            history: (self.state.history, self.state.timeline),
            position: self.state.position,
            mark,
            is_marked,
            environments,
        }
    }

    /// Begins another history, unless somebody else did.
    pub(crate) fn begin_history(&mut self, after: (u64, u64)) {
        if (self.state.history, self.state.timeline) == after {
            self.state.history = self.draw();
            self.state.digests.clear();
        }
    }

    pub(crate) fn keep_digests(&mut self, of: (u64, u64), computed: &[(u8, Version, Digest)]) {
        if (self.state.history, self.state.timeline) == of {
            for (env, version, digest) in computed {
                self.state.digests.insert(*env, (*version, *digest));
            }
        }
    }

    /// Counts a batch of an edge once: numbers of a boot rise.
    pub(crate) fn count(&mut self, edge: &str, batch: &UsageBatch) {
        let next = self.next.entry(batch.boot).or_default();
        if batch.sequence < *next {
            return;
        }
        *next = batch.sequence + 1;
        let evaluations: u64 = batch.evaluations.iter().map(|count| count.count).sum();
        *self.counted.entry(edge.to_owned()).or_default() += evaluations;
    }

    /// How many evaluations of an edge were counted.
    pub(crate) fn counted(&self, edge: &str) -> u64 {
        self.counted.get(edge).copied().unwrap_or_default()
    }

    fn note(&mut self) {
        for (env, stored) in &self.state.environments {
            let past = self.past.entry(*env).or_default();
            let values = stored.values();
            if past.last().is_none_or(|(_, last)| *last != values) {
                past.push((Instant::now(), values));
            }
        }
    }

    /// Whether these were the values of an environment at some time of the last so much.
    pub(crate) fn was_within(&self, env: u8, values: &Values, ago: Duration) -> bool {
        let from = Instant::now().checked_sub(ago);
        let past = &self.past[&env];
        let ends = past
            .iter()
            .skip(1)
            .map(|(began, _)| Some(*began))
            .chain([None]);
        past.iter().zip(ends).any(|((_, held), ended)| {
            let is_recent = ended.is_none_or(|ended| Some(ended) > from);
            is_recent && held == values
        })
    }

    /// What an environment answers now.
    pub(crate) fn values(&self, env: u8) -> Values {
        self.state.environments[&env].values()
    }
}
