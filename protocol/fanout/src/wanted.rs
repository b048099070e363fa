//! Environments that an edge serves and asks for all the same, since their whole frames are missing: in its cache, or for
//! an edge below.

use std::{
    collections::{BTreeSet, HashMap},
    time::Duration,
};

use parking_lot::Mutex;
use protocol::ids::EnvId;
use tokio::{
    sync::watch,
    time::{Instant, timeout},
};

/// An environment that has not come after this time is asked for again.
const PATIENCE: Duration = Duration::from_secs(30);

/// Set by the parts of an edge that need them, read by its link.
#[derive(Debug)]
pub struct Wanted {
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
    pub async fn arrival(&self, env_id: EnvId, patience: Duration) {
        let mut changed = self.changed.subscribe();
        if self.environments.lock().insert(env_id) {
            self.changed.send_replace(());
        }
        let arrival = changed.wait_for(|()| !self.environments.lock().contains(&env_id));
        drop(timeout(patience, arrival).await);
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.environments.lock().len()
    }

    /// These are wanted, and no others.
    pub fn set(&self, environments: BTreeSet<EnvId>) {
        let mut before = self.environments.lock();
        if *before != environments {
            *before = environments;
            self.changed.send_replace(());
        }
    }

    /// These are wanted too.
    pub fn add(&self, environments: Vec<EnvId>) {
        self.environments.lock().extend(environments);
        self.changed.send_replace(());
    }

    /// It has come, or is gone.
    pub fn arrived(&self, env_id: EnvId) {
        if self.environments.lock().remove(&env_id) {
            self.changed.send_replace(());
        }
    }
}

/// The environments that one connection has asked for.
#[derive(Debug)]
pub struct AskedFor {
    at_once: usize,
    asked: HashMap<EnvId, Instant>,
}

impl AskedFor {
    /// Asks for at most this many environments at the same time.
    #[must_use]
    pub fn at_most(at_once: usize) -> Self {
        Self {
            at_once,
            asked: HashMap::new(),
        }
    }

    /// Waits until there is something to ask for: some environments, and others once these have come.
    pub async fn next(&mut self, wanted: &Wanted) -> Vec<EnvId> {
        let mut changed = wanted.changed.subscribe();
        loop {
            let next = self.due(&wanted.environments.lock(), Instant::now());
            if !next.is_empty() {
                return next;
            }
            // Some may be due again.
            drop(timeout(Duration::from_secs(5), changed.changed()).await);
        }
    }

    fn due(&mut self, wanted: &BTreeSet<EnvId>, now: Instant) -> Vec<EnvId> {
        self.asked
            .retain(|env_id, at| wanted.contains(env_id) && now.duration_since(*at) < PATIENCE);
        let room = self.at_once - self.asked.len();
        let others = wanted
            .iter()
            .filter(|env_id| !self.asked.contains_key(env_id));
        let next: Vec<_> = others.take(room).copied().collect();
        self.asked.extend(next.iter().map(|env_id| (*env_id, now)));
        next
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const AT_ONCE: usize = 256;

    fn env(number: u128) -> EnvId {
        EnvId::new(Uuid::from_u128(number))
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_wanted_is_asked_for_once_until_it_comes() {
        let (wanted, mut asked) = (Wanted::default(), AskedFor::at_most(AT_ONCE));
        let waiting = wanted.arrival(env(1), Duration::from_secs(3_600));
        tokio::pin!(waiting);
        tokio::select! {
            () = &mut waiting => panic!("it has not come"),
            next = asked.next(&wanted) => assert_eq!(next, [env(1)]),
        }
        let now = Instant::now();
        assert_eq!(asked.due(&wanted.environments.lock(), now), []);
        let late = asked.due(&wanted.environments.lock(), now + PATIENCE);
        assert_eq!(late, [env(1)], "asked for again");
        wanted.arrived(env(1));
        waiting.await;
        assert_eq!(asked.due(&wanted.environments.lock(), now), []);
    }

    #[tokio::test]
    async fn what_will_be_needed_is_asked_for_before_anybody_waits_for_it() {
        let (wanted, mut asked) = (Wanted::default(), AskedFor::at_most(AT_ONCE));
        assert!(wanted.count() < AT_ONCE);
        wanted.add((0..1_000).map(env).collect());
        assert!(wanted.count() >= AT_ONCE);
        assert_eq!(asked.next(&wanted).await.len(), AT_ONCE);
    }

    #[test]
    fn so_many_are_asked_for_at_once_and_no_more() {
        let mut asked = AskedFor::at_most(AT_ONCE);
        let wanted: BTreeSet<_> = (0..1_000).map(env).collect();
        assert_eq!(asked.due(&wanted, Instant::now()).len(), AT_ONCE);
        assert_eq!(asked.due(&wanted, Instant::now()), []);
    }

    fn envs(numbers: std::ops::Range<u128>) -> BTreeSet<EnvId> {
        numbers
            .map(|number| Uuid::from_u128(number).into())
            .collect()
    }

    #[test]
    fn few_are_asked_for_at_once_and_again_when_they_do_not_come() {
        let (missing, mut asked) = (Wanted::default(), AskedFor::at_most(16));
        let now = Instant::now();
        missing.set(envs(0..100));
        assert_eq!(
            asked.due(&missing.environments.lock(), now),
            Vec::from_iter(envs(0..16))
        );
        assert_eq!(asked.due(&missing.environments.lock(), now), []);
        // Three have come and are stored.
        missing.set(envs(3..100));
        assert_eq!(
            asked.due(&missing.environments.lock(), now),
            Vec::from_iter(envs(16..19))
        );
        let later = now + PATIENCE;
        assert_eq!(
            asked.due(&missing.environments.lock(), later),
            Vec::from_iter(envs(3..19))
        );
        missing.set(envs(0..0));
        assert_eq!(asked.due(&missing.environments.lock(), now), []);
        assert!(asked.asked.is_empty());
    }
}
