//! The simplest edge there can be: holds compiled environments, applies what it is told, and acknowledges.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use protocol::ids::EnvId;
use protocol::snapshot::{Digest, Snapshot, Version};
use protocol::wire::message::{self, Epoch, Push};
use publish::{LocalLink, LocalMessage, Publisher};
use tokio_util::task::AbortOnDropHandle;

/// Follows a publisher until dropped.
pub struct Replica {
    held: Arc<Mutex<Held>>,
    _task: AbortOnDropHandle<()>,
}

/// The same without a task: nothing is taken, applied or acknowledged until the test says so.
pub struct Manual {
    link: LocalLink<fn() -> Nothing>,
    held: Held,
}

/// Told at each greeting: neither holds anything of before.
type Nothing = (Option<Epoch>, Vec<message::Held>);

fn nothing() -> Nothing {
    (None, Vec::new())
}

#[derive(Default)]
struct Held {
    environments: HashMap<EnvId, Snapshot>,
    snapshots: usize,
    looks: usize,
    deltas: Vec<usize>,
    refused: usize,
}

impl Replica {
    /// Connects to a publisher in this process.
    pub fn follow(publisher: &Publisher) -> Self {
        let held = Arc::new(Mutex::new(Held::default()));
        let mut link = publisher.connect_local(nothing);
        let state = Arc::clone(&held);
        let task = tokio::spawn(async move {
            loop {
                let push = match link.next(true).await {
                    LocalMessage::Push(push, _) => *push,
                    LocalMessage::Welcome { .. } => {
                        state.lock().unwrap().environments.clear();
                        continue;
                    }
                    LocalMessage::Looked(..) => {
                        state.lock().unwrap().looks += 1;
                        continue;
                    }
                    LocalMessage::FlushUsage { .. }
                    | LocalMessage::Timestamp(_)
                    | LocalMessage::Rehearsals(_)
                    | LocalMessage::Sampled(_)
                    | LocalMessage::Question(_) => continue,
                };
                let mut held = state.lock().unwrap();
                let (env_id, version) = held.take(push);
                match version {
                    Some(version) => link.acknowledge(env_id, version),
                    None => link.lose(env_id),
                }
            }
        });
        Self {
            held,
            _task: AbortOnDropHandle::new(task),
        }
    }

    /// What is held of an environment now.
    pub fn environment(&self, env_id: &str) -> Option<Snapshot> {
        let env_id = EnvId::from(uuid::Uuid::try_parse(env_id).unwrap());
        self.held.lock().unwrap().environments.get(&env_id).cloned()
    }

    /// Versions and digests of all that is held.
    pub fn digests(&self) -> HashMap<EnvId, (Version, Digest)> {
        let held = self.held.lock().unwrap();
        let digest = |snapshot: &Snapshot| (snapshot.head.version, protocol::digest::of(snapshot));
        held.environments
            .iter()
            .map(|(env_id, snapshot)| (*env_id, digest(snapshot)))
            .collect()
    }

    /// How often an environment was sent whole.
    pub fn snapshots(&self) -> usize {
        self.held.lock().unwrap().snapshots
    }

    /// How often it was told when the database was last looked into.
    pub fn looks(&self) -> usize {
        self.held.lock().unwrap().looks
    }

    /// Changed items of every delta so far.
    pub fn deltas(&self) -> Vec<usize> {
        self.held.lock().unwrap().deltas.clone()
    }

    /// How often a delta could not be used.
    pub fn refused(&self) -> usize {
        self.held.lock().unwrap().refused
    }
}

impl Manual {
    /// Connects, and takes everything there is.
    pub async fn holding_all(publisher: &Publisher, environments: usize) -> Self {
        let mut link = publisher.connect_local(nothing as fn() -> Nothing);
        assert!(matches!(
            link.next(true).await,
            LocalMessage::Welcome { .. }
        ));
        let mut edge = Self {
            link,
            held: Held::default(),
        };
        for _ in 0..environments {
            let push = edge.receive().await;
            edge.apply(push);
        }
        edge
    }

    /// Takes the next push, which is on its way until it is applied.
    pub async fn receive(&mut self) -> Push {
        let pushed = async {
            loop {
                match self.link.next(true).await {
                    LocalMessage::Push(push, _) => return *push,
                    LocalMessage::Looked(..)
                    | LocalMessage::Timestamp(_)
                    | LocalMessage::Rehearsals(_)
                    | LocalMessage::Sampled(_)
                    | LocalMessage::Question(_) => {}
                    LocalMessage::Welcome { .. } => panic!("a second greeting"),
                    LocalMessage::FlushUsage { .. } => panic!("nobody reads usage"),
                }
            }
        };
        let pushed = tokio::time::timeout(harness::patience::patience(), pushed);
        pushed.await.expect("a push")
    }

    /// Applies a push, which has to fit, and acknowledges it.
    pub fn apply(&mut self, push: Push) {
        let (env_id, version) = self.held.take(push);
        self.link
            .acknowledge(env_id, version.expect("a push that fits"));
    }

    /// Says that a push could not be used.
    pub fn lose(&self, env_id: &str) {
        self.link
            .lose(uuid::Uuid::try_parse(env_id).unwrap().into());
    }

    /// What is held of an environment now.
    pub fn environment(&self, env_id: &str) -> &Snapshot {
        &self.held.environments[&EnvId::from(uuid::Uuid::try_parse(env_id).unwrap())]
    }
}

impl Held {
    fn take(&mut self, push: Push) -> (EnvId, Option<Version>) {
        match push {
            Push::Snapshot(snapshot, digest) => {
                assert_eq!(protocol::digest::of(&snapshot), digest);
                let head = snapshot.head.clone();
                let before = self.environments.insert(head.env_id, snapshot);
                assert!(before.is_none_or(|before| before.head.version <= head.version));
                self.snapshots += 1;
                (head.env_id, Some(head.version))
            }
            Push::Delta(delta) => {
                let head = delta.head.clone();
                self.deltas
                    .push(delta.flags.len() + delta.segments.len() + delta.keys.len());
                let held = self
                    .environments
                    .get_mut(&head.env_id)
                    .expect("a delta builds on something");
                let applied = held.apply(delta);
                self.refused += usize::from(applied.is_err());
                (head.env_id, applied.ok().map(|()| head.version))
            }
            Push::Removed { env_id } => {
                self.environments.remove(&env_id);
                (env_id, Some(0))
            }
        }
    }
}
