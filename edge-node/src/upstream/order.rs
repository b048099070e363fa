//! The order of pushes: each has a stream of its own, and small ones overtake large ones.
//!
//! A delta may arrive before the snapshot it builds on. Streams are accepted in the order in which the control plane
//! opened them. So while an earlier push is still being received, a delta that does not fit waits instead of requesting
//! the whole environment.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use parking_lot::Mutex;
use protocol::ids::EnvId;
use tokio::sync::watch;

/// The pushes in flight on one connection.
#[derive(Debug, Default)]
pub(super) struct Order {
    accepted: u64,
    open: Arc<watch::Sender<BTreeSet<u64>>>,
    /// The newest applied push of each environment, as long as any is in flight.
    applied: Arc<Mutex<HashMap<EnvId, u64>>>,
}

/// The position of one push, vacated when dropped.
#[derive(Debug)]
pub(super) struct Place {
    number: u64,
    open: watch::Receiver<BTreeSet<u64>>,
    leave: Arc<watch::Sender<BTreeSet<u64>>>,
    applied: Arc<Mutex<HashMap<EnvId, u64>>>,
}

impl Order {
    /// The position of the next stream accepted.
    pub(super) fn next(&mut self) -> Place {
        self.accepted += 1;
        let number = self.accepted;
        self.open.send_modify(|open| {
            open.insert(number);
        });
        Place {
            number,
            open: self.open.subscribe(),
            leave: Arc::clone(&self.open),
            applied: Arc::clone(&self.applied),
        }
    }
}

impl Place {
    /// Whether an earlier push is still in flight. A later [`Place::moved`] wakes for every push that ends after this
    /// call.
    pub(super) fn is_behind_others(&mut self) -> bool {
        self.open
            .borrow_and_update()
            .first()
            .is_some_and(|first| *first < self.number)
    }

    /// Waits until some push has ended since the last check.
    pub(super) async fn moved(&mut self) {
        self.open
            .changed()
            .await
            .expect("the place keeps the sender");
    }

    /// Records that this push was applied.
    pub(super) fn applied(&self, env_id: EnvId) {
        let mut applied = self.applied.lock();
        let newest = applied.entry(env_id).or_default();
        *newest = self.number.max(*newest);
    }

    /// Whether a later push for the environment was already applied.
    pub(super) fn was_overtaken(&self, env_id: EnvId) -> bool {
        let applied = self.applied.lock();
        applied
            .get(&env_id)
            .is_some_and(|newest| *newest > self.number)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.leave.send_modify(|open| {
            open.remove(&self.number);
            // Nobody is left who could have been overtaken.
            if open.is_empty() {
                *self.applied.lock() = HashMap::new();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn a_push_waits_for_those_before_it() {
        let mut order = Order::default();
        let first = order.next();
        let mut second = order.next();
        assert!(second.is_behind_others());
        drop(first);
        second.moved().await;
        assert!(!second.is_behind_others());
    }

    #[test]
    fn an_overtaken_push_is_recognised() {
        let mut order = Order::default();
        let env_id = Uuid::from_u128(1).into();
        let (first, second) = (order.next(), order.next());
        assert!(!first.was_overtaken(env_id));
        second.applied(env_id);
        assert!(first.was_overtaken(env_id));
        assert!(!second.was_overtaken(env_id));
        drop(second);
        assert!(first.was_overtaken(env_id));
        drop(first);
        assert!(order.applied.lock().is_empty());
    }
}
