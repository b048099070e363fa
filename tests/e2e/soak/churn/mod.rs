//! What comes and goes: each kind in a loop of its own, at its own pace, each turn leaving nothing behind but history.

mod definitions;
mod edges;
mod keys;
mod people;
mod readers;
mod streams;
mod tenants;
mod writes;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Semaphore;
use tokio::task::{JoinError, JoinSet};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

pub use tenants::leave;

use super::world::World;

/// One kind of what comes and goes.
trait Kind: Send + 'static {
    const NAME: &str;
    /// Between two turns.
    const PAUSE: Duration;

    fn turn(&mut self, number: u64) -> impl Future<Output = ()> + Send;
}

/// So many have their turn at once: a busy machine is no fault, and too many writers wait longer than they may.
const AT_ONCE: usize = 4;

/// All kinds, until they are stopped.
pub struct Churn {
    places: Arc<Semaphore>,
    stop: CancellationToken,
    tasks: JoinSet<()>,
    turns: BTreeMap<&'static str, Arc<AtomicU64>>,
}

impl Churn {
    pub fn start(world: &World) -> Self {
        let mut churn = Self {
            places: Arc::new(Semaphore::new(AT_ONCE)),
            stop: CancellationToken::new(),
            tasks: JoinSet::new(),
            turns: BTreeMap::new(),
        };
        churn.spawn(streams::Streams::new(world));
        churn.spawn(readers::Readers::new(world));
        churn.spawn(edges::Edges::new(world));
        churn.spawn(edges::Relays::new(world));
        churn.spawn(keys::Keys::new(world));
        churn.spawn(definitions::Definitions::new(world));
        churn.spawn(definitions::Projects::new(world));
        churn.spawn(definitions::Imports::new(world));
        churn.spawn(people::Members::new(world));
        churn.spawn(people::Accounts::new(world));
        churn.spawn(tenants::Tenants::new(world));
        churn.spawn(writes::Webhooks::new(world));
        churn.spawn(writes::ChangeSets::new(world));
        churn
    }

    fn spawn<K: Kind>(&mut self, mut kind: K) {
        // To find what makes something grow.
        if std::env::var("HALYARD_SOAK_KINDS").is_ok_and(|kinds| !kinds.contains(K::NAME)) {
            return;
        }
        let turns = Arc::<AtomicU64>::default();
        self.turns.insert(K::NAME, Arc::clone(&turns));
        let (stop, places) = (self.stop.clone(), Arc::clone(&self.places));
        self.tasks.spawn(async move {
            for number in 0.. {
                let place = places.acquire().await.expect("they stay open");
                kind.turn(number).await;
                drop(place);
                turns.fetch_add(1, Ordering::Relaxed);
                if stop.run_until_cancelled(sleep(K::PAUSE)).await.is_none() {
                    return;
                }
            }
        });
    }

    /// How often each kind had its turn.
    pub fn turns(&self) -> BTreeMap<&'static str, u64> {
        let turns = self.turns.iter();
        turns
            .map(|(&name, turns)| (name, turns.load(Ordering::Relaxed)))
            .collect()
    }

    /// Why one of them has failed, if so.
    pub fn failed(&mut self) -> Option<JoinError> {
        self.tasks.try_join_next().and_then(Result::err)
    }

    /// Stops, once each turn that was begun has ended.
    pub async fn stop(&mut self) {
        self.stop.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.expect("each turn is possible");
        }
    }
}
