//! The hub against edges that have an entry for each environment: whatever happens, both owe the same to the same
//! edges, wait for the same ones and report the same.

mod comparison;

use std::collections::{BTreeMap, BTreeSet};

use super::{simple::Simple, *};
use crate::hub::holding::Delivery;

const ROUNDS: u64 = 60;
const STEPS: usize = 400;

/// Numbers without a pattern, the same in every run.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.throw(from.len())])
    }
}

struct Wait {
    id: u64,
    change: Change,
    whom: Whom,
}

/// Both.
struct World {
    hub: Arc<Hub>,
    connections: BTreeMap<u64, (Subscription, Simple)>,
    listed: BTreeMap<EnvId, (Version, &'static str)>,
    removed: BTreeSet<EnvId>,
    waits: Vec<Wait>,
    /// Whether a write waited in vain for a poll, and there was none since.
    is_blind: bool,
    /// Environments that there ever were.
    known: Vec<EnvId>,
    version: Version,
}

impl World {
    fn new() -> Self {
        Self {
            hub: hub(&[]),
            connections: BTreeMap::new(),
            listed: BTreeMap::new(),
            removed: BTreeSet::new(),
            waits: Vec::new(),
            is_blind: false,
            known: Vec::new(),
            version: 1,
        }
    }

    fn step(&mut self, dice: &mut Dice) {
        let env_id = dice.pick(&self.known);
        let ids: Vec<u64> = self.connections.keys().copied().collect();
        let id = dice.pick(&ids);
        match (dice.throw(20), env_id, id) {
            (0, ..) if self.listed.len() < 80 => self.create(dice),
            (1..4, Some(env_id), _) => self.raise(env_id, dice),
            (4, Some(env_id), _) if dice.throw(4) == 0 => self.remove(env_id),
            (5, ..) if self.connections.len() < 6 => self.connect(dice),
            (6, _, Some(id)) if dice.throw(4) == 0 => {
                self.connections.remove(&id);
            }
            (7, Some(env_id), _) => self.wait(env_id, dice),
            (8, ..) => self.end_wait(dice),
            (9..14, _, Some(id)) => self.take(id, dice),
            (14..17, _, Some(id)) => self.answer(id, dice),
            (17.., Some(env_id), Some(id)) => self.misbehave(id, env_id, dice),
            _ => {}
        }
    }

    fn create(&mut self, dice: &mut Dice) {
        let number = u128::try_from(self.known.len()).unwrap();
        let env_id = EnvId::new(Uuid::from_u128(number));
        self.known.push(env_id);
        self.list(env_id, dice);
    }

    fn raise(&mut self, env_id: EnvId, dice: &mut Dice) {
        if self.listed.contains_key(&env_id) {
            self.list(env_id, dice);
        }
    }

    fn list(&mut self, env_id: EnvId, dice: &mut Dice) {
        let before = self.listed.get(&env_id).map(|(_, region)| *region);
        let region = match (before, dice.throw(8)) {
            (Some(region), 1..) => region,
            _ => ["eu", "us"][dice.throw(2)],
        };
        self.version += 1;
        let version = self.version;
        self.listed.insert(env_id, (version, region));
        let found = Seen::Environment {
            env_id,
            version,
            region: region.into(),
            digest: None,
        };
        self.hub.see(&[found]);
        self.is_blind = false;
        for (_, simple) in self.connections.values_mut() {
            simple.list(env_id, region, version);
        }
    }

    fn remove(&mut self, env_id: EnvId) {
        self.listed.remove(&env_id);
        self.removed.insert(env_id);
        self.hub.see(&[Seen::Removed { env_id }]);
        self.is_blind = false;
        for (_, simple) in self.connections.values_mut() {
            simple.unlist(env_id);
        }
    }

    fn connect(&mut self, dice: &mut Dice) {
        let regions = [Regions::All, Regions::Only("eu".into())][dice.throw(2)].clone();
        let interest = [Interest::All, Interest::Named][dice.throw(2)];
        let mut belonging = Vec::new();
        for env_id in &self.known {
            let is_allowed = match self.listed.get(env_id) {
                Some((_, region)) => regions.allow(region),
                // Deleted while the greeting was being prepared.
                None => dice.throw(8) == 0,
            };
            if is_allowed && (interest == Interest::All || dice.throw(2) == 0) {
                let current = self.listed.get(env_id).map_or(1, |(version, _)| *version);
                let held = [None, Some(1), Some(current), Some(current)][dice.throw(4)];
                // Some are found only while the greeting is being prepared.
                if dice.throw(8) > 0 {
                    belonging.push((*env_id, held));
                }
            }
        }
        let mut simple = Simple::new(regions.clone(), interest);
        for (env_id, held) in &belonging {
            simple.greet(*env_id, *held);
            if !self.listed.contains_key(env_id) {
                simple.unlist(*env_id);
            }
        }
        for (env_id, (version, region)) in &self.listed {
            simple.list(*env_id, region, *version);
        }
        let identity = Identity {
            name: format!("edge-{}", self.hub.state().next),
            region: regions.only().map(str::to_owned),
            build: "test".to_owned(),
            since: OffsetDateTime::UNIX_EPOCH,
            is_relay: false,
        };
        let id = self.hub.state().next;
        let subscription = self
            .hub
            .subscribe(regions, interest, None, identity, &belonging);
        self.connections.insert(id, (subscription, simple));
    }

    fn wait(&mut self, env_id: EnvId, dice: &mut Dice) {
        let whom = [Whom::KeepingUp, Whom::All][dice.throw(2)];
        let mut environments = vec![env_id];
        environments.extend(dice.pick(&self.known).filter(|other| *other != env_id));
        let change = Change {
            // The next one is not found yet.
            version: self.version + u64::from(dice.throw(4) == 0),
            environments,
        };
        let (id, _) = self.hub.state().begin(&change, whom);
        self.waits.push(Wait { id, change, whom });
    }

    fn end_wait(&mut self, dice: &mut Dice) {
        if self.waits.len() < 4 {
            return;
        }
        let wait = self.waits.swap_remove(dice.throw(self.waits.len()));
        if wait.whom == Whom::KeepingUp {
            let missed: Vec<(u64, Vec<EnvId>)> = self
                .connections
                .iter()
                .map(|(id, (_, simple))| (*id, self.pending(simple, &wait).collect()))
                .filter(|(_, environments): &(u64, Vec<EnvId>)| !environments.is_empty())
                .collect();
            assert_eq!(self.hub.state().give_up(wait.id), missed.len());
            self.is_blind |= !self.is_known(&wait.change);
            for (id, environments) in missed {
                let (_, simple) = self.connections.get_mut(&id).unwrap();
                environments
                    .into_iter()
                    .for_each(|env_id| simple.give_up(env_id));
            }
        }
        self.hub.state().waits.end(wait.id);
    }

    fn take(&mut self, id: u64, dice: &mut Dice) {
        let (subscription, simple) = self.connections.get_mut(&id).unwrap();
        let is_update = dice.throw(2) == 0;
        let taken = self.hub.state().take(
            id,
            if is_update {
                Subscriber::take_update
            } else {
                Subscriber::take_whole
            },
        );
        let queue = if is_update {
            &mut simple.updates
        } else {
            &mut simple.wholes
        };
        let Some(work) = taken else {
            assert!(queue.is_empty(), "{queue:?}");
            return;
        };
        let env_id = work.env_id();
        let place = queue.iter().position(|queued| *queued == env_id);
        queue.remove(place.expect("both owe it"));
        assert_eq!(work, simple.take(env_id));
        if let Work::Contents { .. } = work
            && let Some((current, _)) = self.listed.get(&env_id)
            && dice.throw(4) > 0
        {
            // What is sent may be newer than what the poll found.
            let sent = current + u64::from(dice.throw(4) == 0);
            subscription.send(env_id, sent);
            simple.send(env_id, sent);
        }
    }

    /// An edge answers what it was sent, as it should or not.
    fn answer(&mut self, id: u64, dice: &mut Dice) {
        let (subscription, simple) = self.connections.get_mut(&id).unwrap();
        let mut sent: Vec<(EnvId, Version)> = simple
            .holdings
            .iter()
            .filter(|(_, holding)| {
                matches!(holding.delivery, Delivery::Contents | Delivery::Removal)
            })
            .map(|(env_id, holding)| (*env_id, holding.sent))
            .collect();
        sent.sort_unstable();
        let Some((env_id, sent)) = dice.pick(&sent) else {
            return;
        };
        let version = [sent, sent, 1, 0][dice.throw(4)];
        let current = self.listed.get(&env_id);
        if simple.is_rejection(env_id, version) {
            assert_eq!(lose(&self.hub, id, env_id), simple.lose(env_id));
            subscription.retry(env_id);
            simple.retry(env_id, current.map(|(version, _)| *version));
            return;
        }
        subscription.acknowledge(env_id, version);
        simple.settle(env_id, version, current.map(|(version, _)| *version));
        if let Some((current, region)) = current
            && version > 0
        {
            simple.adopt(env_id, region, version, *current);
        }
    }

    /// What an edge may say at any time.
    fn misbehave(&mut self, id: u64, env_id: EnvId, dice: &mut Dice) {
        let (subscription, simple) = self.connections.get_mut(&id).unwrap();
        let current = self.listed.get(&env_id).copied();
        let version = current.map(|(version, _)| version);
        match dice.throw(6) {
            0 => {
                subscription.forget(env_id);
                simple.forget(env_id);
            }
            1 => assert_eq!(lose(&self.hub, id, env_id), simple.lose(env_id)),
            2 => {
                subscription.retry(env_id);
                simple.retry(env_id, version);
            }
            3 => {
                subscription.settle(env_id, 1);
                simple.settle(env_id, 1, version);
            }
            4 => {
                self.hub.state().with(id, env_id, |edge, listed| {
                    if let Some(listed) = listed {
                        edge.name(env_id, listed);
                    }
                });
                if let Some((version, region)) = current
                    && simple.allows(region)
                {
                    simple.name(env_id);
                    simple.list(env_id, region, version);
                }
            }
            _ if !simple.is_rejection(env_id, self.version) => {
                subscription.acknowledge(env_id, self.version);
                simple.settle(env_id, self.version, version);
                if let Some((current, region)) = current {
                    simple.adopt(env_id, region, self.version, current);
                }
            }
            _ => {}
        }
    }
}

fn lose(hub: &Hub, id: u64, env_id: EnvId) -> Option<u32> {
    let lost = hub
        .state()
        .with(id, env_id, |edge, listed| edge.lose(env_id, listed));
    lost.unwrap()
}

#[tokio::test]
async fn a_shared_listing_comes_to_the_same_as_entries_of_each_edge() {
    for round in 1..=ROUNDS {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ round);
        let mut world = World::new();
        for _ in 0..STEPS {
            world.step(&mut dice);
            world.compare();
        }
        // Whatever was left out of the comparisons does not stay.
        world.connections.clear();
        assert!(world.hub.state().connected.is_empty());
    }
}
