//! Whatever happens to the database, the replicas and the edges: who says that it is fresh has what the database has.
//!
//! The hub and greetings are the real ones; database, contents and edges are the simplest that there can be. A replica looks
//! as the control plane does: its mark has to be there, and a contradiction begins another history. What it sends is what its
//! last look found: here nothing is committed between a look and the reading that it leads to.

mod replica;

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use futures_util::FutureExt;
use proptest::{collection::vec, prelude::*};
use protocol::{
    summary::{Summary, bucket},
    wire::message::{Epoch, Held as Holds, Holds as Held, Lists},
};

use self::replica::Replica;
use super::*;
use crate::{Guest, Outgoing, outbox::Outbox};

const ENVIRONMENTS: u8 = 3;
const ITEMS: u8 = 3;
const REPLICAS: usize = 2;
const EDGES: usize = 3;

/// What an environment contains: values, each with the version of its last change.
type Items = BTreeMap<u8, (u64, Version)>;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Contents {
    version: Version,
    items: Items,
}

impl Contents {
    /// What is served, whatever the versions.
    fn values(&self) -> Vec<(u8, u64)> {
        let items = self.items.iter();
        items.map(|(item, (value, _))| (*item, *value)).collect()
    }

    fn digest(&self) -> Digest {
        let mut digest = [0; 32];
        for (item, value) in self.values() {
            let value = value.to_le_bytes();
            digest[usize::from(item) * 8..][..8].copy_from_slice(&value);
        }
        Digest(digest)
    }

    fn newer_than(&self, base: Version) -> Items {
        let mut items = self.items.clone();
        items.retain(|_, (_, changed)| *changed > base);
        items
    }
}

/// All that a restore brings back.
#[derive(Clone, Debug, Default)]
struct State {
    history: u64,
    environments: BTreeMap<EnvId, Contents>,
    digests: BTreeMap<EnvId, (Version, Digest)>,
    marks: BTreeMap<u64, u64>,
}

#[derive(Debug, Default)]
struct Database {
    state: State,
    kept: Vec<State>,
    /// For what is never the same twice.
    drawn: u64,
}

impl Database {
    fn draw(&mut self) -> u64 {
        self.drawn += 1;
        self.drawn
    }

    fn commit(&mut self, env: u8, item: u8) {
        let value = self.draw();
        let contents = self.state.environments.entry(env_id(env)).or_default();
        contents.version += 1;
        contents.items.insert(item, (value, contents.version));
    }
}

fn env_id(number: u8) -> EnvId {
    EnvId::new(Uuid::from_u128(u128::from(number)))
}

#[derive(Clone, Debug)]
enum Message {
    Whole(Contents, Digest),
    Delta {
        base: Version,
        version: Version,
        items: Items,
        digest: Digest,
    },
}

#[derive(Default)]
struct Edge {
    epoch: Option<Epoch>,
    held: BTreeMap<EnvId, (Option<Epoch>, Contents)>,
    /// Where it is connected.
    link: Option<(usize, Outbox<Replica>)>,
}

impl Edge {
    /// What is held of the epoch. Nothing else counts, should its epoch come back.
    fn holds(&mut self) -> Vec<Holds> {
        let others = self.held.values_mut();
        let others = others.filter(|(epoch, _)| *epoch != self.epoch);
        others.for_each(|(epoch, _)| *epoch = None);
        let held = self.held.iter();
        let held = held.filter(|(_, (epoch, _))| epoch.is_some());
        held.map(|(env_id, (_, contents))| Holds {
            env_id: *env_id,
            version: contents.version,
            digest: contents.digest(),
        })
        .collect()
    }

    async fn greet(&mut self, at: usize, replica: &Replica, sums_up: bool) {
        self.link = None;
        let guest = Guest {
            regions: Regions::All,
            interest: Interest::All,
            fingerprint: Some([7; 32]),
            identity: Identity {
                name: "edge".to_owned(),
                region: None,
                build: "test".to_owned(),
                since: OffsetDateTime::UNIX_EPOCH,
                is_relay: false,
            },
            epoch: self.epoch,
            position: 0,
        };
        let mut holds = self.holds();
        let told = if sums_up {
            Held::Summed(holds.iter().collect::<Summary>())
        } else {
            Held::Listed(holds.clone())
        };
        let Ok(greeting) = guest.welcome(replica, &told).await else {
            return;
        };
        if let Lists::Buckets(buckets) = &greeting.lists {
            holds.retain(|held| buckets.contains(&bucket(held.env_id)));
        }
        // What it is told to have is of this history from now on.
        for (env_id, (epoch, contents)) in &mut self.held {
            let listed = greeting.environments.iter();
            let listed = listed.clone().find(|listed| listed.env_id == *env_id);
            let is_same = listed.is_none_or(|listed| {
                (listed.version, listed.digest) == (contents.version, Some(contents.digest()))
            });
            if is_same {
                *epoch = Some(greeting.epoch);
            }
        }
        self.epoch = Some(greeting.epoch);
        if let Ok(outbox) = guest.connect(replica, &greeting, &holds).await {
            self.link = Some((at, outbox));
        }
    }

    /// Takes what it is owed; false if its session has ended.
    fn receive(&mut self, messages: &Mutex<Vec<Message>>) -> bool {
        let (epoch, held) = (self.epoch, &mut self.held);
        let Some((_, outbox)) = &self.link else {
            return false;
        };
        loop {
            if outbox.subscription.ended().now_or_never().is_some() {
                return false;
            }
            let update = outbox.next_update().now_or_never();
            let Some(outgoing) = update.or_else(|| outbox.next_whole().now_or_never()) else {
                return true;
            };
            let Outgoing::Contents(env_id, frame) = outgoing else {
                panic!("nothing is removed");
            };
            let number = u64::from_le_bytes(frame.bytes[..].try_into().unwrap());
            let message = messages.lock().unwrap()[usize::try_from(number).unwrap()].clone();
            match apply(held.get(&env_id), epoch, message) {
                Some(contents) => {
                    let version = contents.version;
                    held.insert(env_id, (epoch, contents));
                    outbox.subscription.acknowledge(env_id, version);
                }
                None => outbox.subscription.lose(env_id),
            }
        }
    }
}

/// What is held after a message; `None` if that does not fit.
fn apply(
    held: Option<&(Option<Epoch>, Contents)>,
    epoch: Option<Epoch>,
    message: Message,
) -> Option<Contents> {
    let held = held.filter(|(of, _)| *of == epoch).map(|(_, held)| held);
    match message {
        Message::Whole(contents, digest) => {
            assert_eq!(contents.digest(), digest);
            match held {
                Some(held) if held.version > contents.version => Some(held.clone()),
                _ => Some(contents),
            }
        }
        Message::Delta {
            base,
            version,
            items,
            digest,
        } => {
            let mut next = held.filter(|held| held.version == base)?.clone();
            next.version = version;
            next.items.extend(items);
            (next.digest() == digest).then_some(next)
        }
    }
}

#[derive(Clone, Debug)]
enum Step {
    Commit {
        env: u8,
        item: u8,
    },
    Keep,
    Restore {
        which: usize,
    },
    Look {
        replica: usize,
    },
    Restart {
        replica: usize,
    },
    CutOff {
        replica: usize,
        is_cut: bool,
    },
    Greet {
        edge: usize,
        replica: usize,
        sums_up: bool,
    },
    Receive {
        edge: usize,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let commit = (0..ENVIRONMENTS, 0..ITEMS).prop_map(|(env, item)| Step::Commit { env, item });
    let greet = (0..EDGES, 0..REPLICAS, any::<bool>());
    prop_oneof![
        5 => commit,
        1 => Just(Step::Keep),
        1 => any::<usize>().prop_map(|which| Step::Restore { which }),
        3 => (0..REPLICAS).prop_map(|replica| Step::Look { replica }),
        1 => (0..REPLICAS).prop_map(|replica| Step::Restart { replica }),
        1 => (0..REPLICAS, any::<bool>()).prop_map(|(replica, is_cut)| Step::CutOff { replica, is_cut }),
        3 => greet.prop_map(|(edge, replica, sums_up)| Step::Greet { edge, replica, sums_up }),
        2 => (0..EDGES).prop_map(|edge| Step::Receive { edge }),
    ]
}

struct World {
    database: Arc<Mutex<Database>>,
    messages: Arc<Mutex<Vec<Message>>>,
    replicas: Vec<Replica>,
    edges: Vec<Edge>,
}

impl World {
    fn new() -> Self {
        let mut database = Database::default();
        for env in 0..ENVIRONMENTS {
            database.commit(env, 0);
        }
        database.kept.push(database.state.clone());
        let (database, messages) = (Arc::new(Mutex::new(database)), Arc::default());
        let replica = |_| Replica::new(&database, &messages);
        Self {
            replicas: (0..REPLICAS).map(replica).collect(),
            edges: (0..EDGES).map(|_| Edge::default()).collect(),
            database,
            messages,
        }
    }

    async fn go(&mut self, step: Step) {
        match step {
            Step::Commit { env, item } => self.database.lock().unwrap().commit(env, item),
            Step::Keep => {
                let mut database = self.database.lock().unwrap();
                let kept = database.state.clone();
                database.kept.push(kept);
            }
            Step::Restore { which } => {
                let mut database = self.database.lock().unwrap();
                let which = which % database.kept.len();
                database.state = database.kept[which].clone();
            }
            Step::Look { replica } => self.look(replica),
            Step::Restart { replica } => {
                self.replicas[replica] = Replica::new(&self.database, &self.messages);
                let edges = self.edges.iter_mut();
                edges
                    .filter(|edge| edge.link.as_ref().is_some_and(|(at, _)| *at == replica))
                    .for_each(|edge| edge.link = None);
            }
            Step::CutOff { replica, is_cut } => self.replicas[replica].cut_off(is_cut),
            Step::Greet {
                edge,
                replica,
                sums_up,
            } => {
                if !self.replicas[replica].is_cut_off() {
                    let edge = &mut self.edges[edge];
                    edge.greet(replica, &self.replicas[replica], sums_up).await;
                }
            }
            Step::Receive { edge } => {
                let edge = &mut self.edges[edge];
                if let Some((at, _)) = edge.link {
                    self.replicas[at].look_unless_cut_off();
                    edge.receive(&self.messages);
                }
            }
        }
    }

    /// After a look its edges say that they are fresh once they have taken what they are owed.
    fn look(&mut self, at: usize) {
        let replica = &self.replicas[at];
        if !replica.look_unless_cut_off() {
            return;
        }
        for (number, edge) in self.edges.iter_mut().enumerate() {
            if edge.link.as_ref().is_none_or(|(to, _)| *to != at) {
                continue;
            }
            if !edge.receive(&self.messages) {
                edge.link = None;
                continue;
            }
            // What was sent may have shown a contradiction, which ends the session with the next look.
            if replica.is_contradicted() {
                continue;
            }
            for (env_id, contents) in &self.database.lock().unwrap().state.environments {
                let held = edge.held.get(env_id).map(|(_, held)| held.values());
                assert_eq!(held, Some(contents.values()), "edge {number}, {env_id:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn who_says_that_it_is_fresh_has_what_the_database_has(steps in vec(step(), 1..60)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let mut world = World::new();
            for step in steps {
                world.go(step).await;
            }
            // At last everybody who is heard of comes to it.
            for replica in 0..REPLICAS {
                world.replicas[replica].cut_off(false);
                for _ in 0..3 {
                    world.look(replica);
                }
            }
        });
    }
}
