//! Rehearsals of an outage: the answers to an API key fail on purpose.
//!
//! Each ends by the monotonic clock of this process, at most [`LONGEST`](protocol::rehearsal::LONGEST) after it was heard of, whatever becomes of the link. What was
//! heard of once does not begin again. While none goes on, a request costs one look at a flag in memory.

use std::{
    collections::VecDeque,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use fanout::Rehearsed;
use parking_lot::Mutex;
use protocol::{
    rehearsal::{Failure, MOST, Running, SignedRehearsal},
    signature::SignatureError,
    snapshot::KeyHash,
};
use serving::error::ApiError;
use tokio::{
    sync::{Semaphore, watch},
    time::{Instant, sleep_until},
};

use crate::Edge;

/// Requests that get no answer at the same time. Those beyond are answered, so that they do not fill the edge.
const SILENT: usize = 256;

/// The rehearsals of an edge.
#[derive(Debug)]
pub(crate) struct Rehearsals {
    /// Whether any may go on.
    are_any: AtomicBool,
    state: Mutex<State>,
    changed: watch::Sender<()>,
    silent: Semaphore,
}

#[derive(Debug, Default)]
struct State {
    armed: Vec<Rehearsed>,
    /// Those heard of, the last ones.
    heard: VecDeque<[u8; 16]>,
}

impl Default for Rehearsals {
    fn default() -> Self {
        Self {
            are_any: AtomicBool::new(false),
            state: Mutex::default(),
            changed: watch::Sender::new(()),
            silent: Semaphore::new(SILENT),
        }
    }
}

impl Rehearsals {
    /// Takes all that go on: new ones begin if `verify` accepts them, those that are missing end, and none becomes longer.
    fn take(
        &self,
        all: &[Running],
        verify: impl Fn(&SignedRehearsal) -> Result<(), SignatureError>,
    ) -> Vec<KeyHash> {
        let now = Instant::now();
        let until = |running: &Running| {
            let remaining = Duration::from_millis(running.remaining_ms.into());
            now + remaining.min(running.signed.rehearsal.lasts())
        };
        let mut begun = Vec::new();
        let mut state = self.state.lock();
        state.armed.retain_mut(|armed| {
            let rehearsal = armed.signed.rehearsal;
            let told = all
                .iter()
                .find(|running| running.signed.rehearsal == rehearsal);
            told.is_some_and(|running| {
                armed.until = armed.until.min(until(running));
                armed.until > now
            })
        });
        for running in all.iter().take(MOST) {
            let rehearsal = &running.signed.rehearsal;
            if state.heard.contains(&rehearsal.id) {
                continue;
            }
            if let Err(reason) = verify(&running.signed) {
                metrics::counter!("halyard_edge_refused_signatures_total", "reason" => reason.name()).increment(1);
                tracing::warn!(env.id = %rehearsal.env_id, %reason, "a rehearsal was refused");
                continue;
            }
            if state.heard.len() >= 2 * MOST {
                state.heard.pop_front();
            }
            state.heard.push_back(rehearsal.id);
            let armed = Rehearsed {
                signed: running.signed,
                until: until(running),
            };
            tracing::warn!(
                env.id = %rehearsal.env_id,
                seconds = (armed.until - now).as_secs(),
                "an outage is rehearsed: answers to an API key fail on purpose"
            );
            begun.push(rehearsal.key);
            state.armed.push(armed);
        }
        self.are_any
            .store(!state.armed.is_empty(), Ordering::Release);
        drop(state);
        self.changed.send_replace(());
        begun
    }

    /// Those that go on now.
    pub(crate) fn running(&self) -> Vec<Rehearsed> {
        if !self.are_any.load(Ordering::Acquire) {
            return Vec::new();
        }
        let now = Instant::now();
        let mut state = self.state.lock();
        state.armed.retain(|armed| armed.until > now);
        self.are_any
            .store(!state.armed.is_empty(), Ordering::Release);
        state.armed.clone()
    }

    fn of(&self, key: &KeyHash) -> Option<Rehearsed> {
        let mut running = self.running().into_iter();
        running.find(|armed| armed.signed.rehearsal.key == *key)
    }

    /// Whether answers to this key fail now.
    #[inline]
    pub(crate) fn has(&self, key: &KeyHash) -> bool {
        self.are_any.load(Ordering::Acquire) && self.of(key).is_some()
    }

    /// The refusal of a request with this key, once its time has come, if there is a rehearsal.
    #[inline]
    pub(crate) async fn check(&self, key: &KeyHash) -> Result<(), ApiError> {
        if !self.are_any.load(Ordering::Acquire) {
            return Ok(());
        }
        self.fail(key).await
    }

    #[cold]
    async fn fail(&self, key: &KeyHash) -> Result<(), ApiError> {
        let Some(armed) = self.of(key) else {
            return Ok(());
        };
        metrics::counter!("halyard_edge_rehearsed_failures_total").increment(1);
        if armed.signed.rehearsal.failure == Failure::Silence
            && let Ok(_place) = self.silent.try_acquire()
        {
            let mut changed = self.changed.subscribe();
            while self.has(key) {
                tokio::select! {
                    () = sleep_until(armed.until) => {}
                    // The sender is ours.
                    _ = changed.changed() => {}
                }
            }
        }
        Err(ApiError::unavailable(
            "an outage is rehearsed with this api key",
        ))
    }
}

impl Edge {
    /// Takes all rehearsals that go on, of the control plane in this process or of a link. Returns those that are held.
    pub(crate) fn take_rehearsals(&self, all: &[Running]) -> Vec<Rehearsed> {
        let parts = self.parts();
        let now_ms = parts.clock.latest_ms();
        let verify = |signed: &SignedRehearsal| parts.current.verify_rehearsal(signed, now_ms);
        for key in parts.rehearsals.take(all, verify) {
            // Streams look whether they may go on.
            if let Some(grant) = parts.current.find(&key) {
                grant.slot.wake_streams();
            }
        }
        parts.rehearsals.running()
    }

    /// Takes all rehearsals that go on, of a control plane in this process.
    pub fn rehearse(&self, all: &[Running]) {
        self.take_rehearsals(all);
    }
}

#[cfg(test)]
mod tests {
    use protocol::rehearsal::Rehearsal;
    use uuid::Uuid;

    use super::*;

    const KEY: KeyHash = [7; 32];

    fn running(id: u8, failure: Failure, remaining_ms: u32) -> Running {
        let rehearsal = Rehearsal {
            id: [id; 16],
            env_id: Uuid::nil().into(),
            key: KEY,
            failure,
            began_ms: 0,
            lasts_ms: u32::MAX,
        };
        let signed = SignedRehearsal {
            rehearsal,
            signature: None,
        };
        Running {
            signed,
            remaining_ms,
        }
    }

    fn take(rehearsals: &Rehearsals, all: &[Running]) -> usize {
        rehearsals.take(all, |_| Ok(())).len()
    }

    async fn pass(ms: u64) {
        tokio::time::advance(Duration::from_millis(ms)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_by_itself_and_does_not_begin_again() {
        let rehearsals = Rehearsals::default();
        let one = running(1, Failure::Unavailable, 5_000);
        assert_eq!(take(&rehearsals, &[one]), 1);
        assert!(rehearsals.check(&KEY).await.is_err());
        assert!(rehearsals.check(&[8; 32]).await.is_ok());
        pass(4_000).await;
        // Told again, as after a link was made anew.
        assert_eq!(take(&rehearsals, &[one]), 0);
        assert!(rehearsals.has(&KEY));
        pass(1_000).await;
        assert!(!rehearsals.has(&KEY));
        assert_eq!(take(&rehearsals, &[one]), 0);
        assert!(!rehearsals.has(&KEY));
    }

    #[tokio::test(start_paused = true)]
    async fn it_lasts_a_minute_at_most_and_until_it_is_stopped() {
        let rehearsals = Rehearsals::default();
        let long = running(1, Failure::Unavailable, u32::MAX);
        take(&rehearsals, &[long]);
        pass(59_999).await;
        assert!(rehearsals.has(&KEY));
        pass(1).await;
        assert!(!rehearsals.has(&KEY));

        take(&rehearsals, &[running(2, Failure::Unavailable, 60_000)]);
        assert!(rehearsals.has(&KEY));
        take(&rehearsals, &[]);
        assert!(!rehearsals.has(&KEY));
        assert_eq!(rehearsals.running(), []);
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_trusted_has_signed_does_not_begin() {
        let rehearsals = Rehearsals::default();
        let one = running(1, Failure::Unavailable, 60_000);
        rehearsals.take(&[one], |_| Err(SignatureError::Missing));
        assert!(!rehearsals.has(&KEY));
        // A signature that comes later counts.
        assert_eq!(take(&rehearsals, &[one]), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_with_the_rehearsal_and_has_a_bound() {
        let rehearsals = std::sync::Arc::new(Rehearsals::default());
        take(&rehearsals, &[running(1, Failure::Silence, 5_000)]);
        let began = Instant::now();
        let silent: Vec<_> = (0..SILENT)
            .map(|_| {
                let rehearsals = rehearsals.clone();
                tokio::spawn(async move { rehearsals.check(&KEY).await.is_err() })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(1)).await;
        let before = Instant::now();
        assert!(rehearsals.check(&KEY).await.is_err(), "at once");
        assert_eq!(before.elapsed(), Duration::ZERO);
        for one in silent {
            assert!(one.await.unwrap());
        }
        assert_eq!(began.elapsed(), Duration::from_secs(5));

        take(&rehearsals, &[running(2, Failure::Silence, 5_000)]);
        let stopped = rehearsals.clone();
        let silent = tokio::spawn(async move { stopped.check(&KEY).await.is_err() });
        pass(1_000).await;
        take(&rehearsals, &[]);
        assert!(silent.await.unwrap());
        assert_eq!(began.elapsed(), Duration::from_secs(6));
    }
}
