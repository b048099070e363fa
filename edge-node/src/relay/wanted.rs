//! Environments that are served, whose frames are not at hand: they came from the cache, or from an earlier connection to
//! whoever feeds this relay. They are asked for when an edge below needs one of them whole.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::ids::EnvId;
use tokio::{
    sync::watch,
    time::{Instant, timeout},
};

/// Environments asked for at the same time: a round trip over a long line brings this many.
const AT_ONCE: usize = 256;
/// What has not come after this time is asked for again.
const PATIENCE: Duration = Duration::from_secs(30);
/// What may have become due without a change is looked for this often.
const PERIOD: Duration = Duration::from_secs(5);

/// Set by those who need them, read by the link.
#[derive(Debug)]
pub(crate) struct Wanted {
    environments: Mutex<BTreeSet<EnvId>>,
    changed: watch::Sender<()>,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            environments: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }
}

impl Wanted {
    /// Waits until an environment that is wanted has come, or is gone, at most for `patience`.
    pub(super) async fn arrival(&self, env_id: EnvId, patience: Duration) {
        let mut changed = self.changed.subscribe();
        if self.environments().insert(env_id) {
            self.changed.send_replace(());
        }
        let arrival = changed.wait_for(|()| !self.environments().contains(&env_id));
        drop(timeout(patience, arrival).await);
    }

    /// Whether the link has less to ask for than it may ask for at once.
    pub(super) fn is_short(&self) -> bool {
        self.environments().len() < AT_ONCE
    }

    /// These will be needed soon.
    pub(super) fn add(&self, environments: Vec<EnvId>) {
        self.environments().extend(environments);
        self.changed.send_replace(());
    }

    /// It has come, or is gone.
    pub(super) fn arrived(&self, env_id: EnvId) {
        if self.environments().remove(&env_id) {
            self.changed.send_replace(());
        }
    }

    fn environments(&self) -> MutexGuard<'_, BTreeSet<EnvId>> {
        self.environments
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one connection has asked for.
#[derive(Debug, Default)]
pub(crate) struct AskedFor(HashMap<EnvId, Instant>);

impl AskedFor {
    /// Waits until there is something to ask for: some environments, and others once these have come.
    pub(crate) async fn next(&mut self, wanted: &Wanted) -> Vec<EnvId> {
        let mut changed = wanted.changed.subscribe();
        loop {
            let next = self.due(&wanted.environments(), Instant::now());
            if !next.is_empty() {
                return next;
            }
            drop(timeout(PERIOD, changed.changed()).await);
        }
    }

    fn due(&mut self, wanted: &BTreeSet<EnvId>, now: Instant) -> Vec<EnvId> {
        self.0
            .retain(|env_id, at| wanted.contains(env_id) && now.duration_since(*at) < PATIENCE);
        let room = AT_ONCE - self.0.len();
        let others = wanted.iter().filter(|env_id| !self.0.contains_key(env_id));
        let next: Vec<_> = others.take(room).copied().collect();
        self.0.extend(next.iter().map(|env_id| (*env_id, now)));
        next
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn env(number: u128) -> EnvId {
        EnvId::new(Uuid::from_u128(number))
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_wanted_is_asked_for_once_until_it_comes() {
        let (wanted, mut asked) = (Wanted::default(), AskedFor::default());
        let waiting = wanted.arrival(env(1), Duration::from_secs(3_600));
        tokio::pin!(waiting);
        tokio::select! {
            () = &mut waiting => panic!("it has not come"),
            next = asked.next(&wanted) => assert_eq!(next, [env(1)]),
        }
        let now = Instant::now();
        assert_eq!(asked.due(&wanted.environments(), now), []);
        let late = asked.due(&wanted.environments(), now + PATIENCE);
        assert_eq!(late, [env(1)], "asked for again");
        wanted.arrived(env(1));
        waiting.await;
        assert_eq!(asked.due(&wanted.environments(), now), []);
    }

    #[tokio::test]
    async fn what_will_be_needed_is_asked_for_before_anybody_waits_for_it() {
        let (wanted, mut asked) = (Wanted::default(), AskedFor::default());
        assert!(wanted.is_short());
        wanted.add((0..1_000).map(env).collect());
        assert!(!wanted.is_short());
        assert_eq!(asked.next(&wanted).await.len(), AT_ONCE);
    }

    #[test]
    fn so_many_are_asked_for_at_once_and_no_more() {
        let mut asked = AskedFor::default();
        let wanted: BTreeSet<_> = (0..1_000).map(env).collect();
        assert_eq!(asked.due(&wanted, Instant::now()).len(), AT_ONCE);
        assert_eq!(asked.due(&wanted, Instant::now()), []);
    }
}
