//! Pushes that an edge has not answered, and when to give up on them.
//!
//! An edge that cannot read a push at all does not answer it. A large push may be in flight for minutes, so the
//! time-out starts when it has arrived.

use std::{collections::HashMap, time::Duration};

use protocol::snapshot::Version;
use tokio::time::Instant;

use protocol::ids::EnvId;

/// An edge that has not answered after this time will not.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
struct Sent {
    version: Version,
    at: Instant,
    /// `None` while it is in flight.
    arrived: Option<Instant>,
}

/// At most one push per environment.
#[derive(Debug, Default)]
pub(super) struct Unanswered(HashMap<EnvId, Sent>);

impl Unanswered {
    /// A push is being sent.
    pub(super) fn send(&mut self, env_id: EnvId, version: Version, now: Instant) {
        let sent = Sent {
            version,
            at: now,
            arrived: None,
        };
        self.0.insert(env_id, sent);
    }

    /// A push has arrived, unless it was answered already.
    pub(super) fn arrive(&mut self, env_id: EnvId, version: Version, now: Instant) {
        if let Some(sent) = self.0.get_mut(&env_id)
            && sent.version == version
        {
            sent.arrived = Some(now);
        }
    }

    /// An answer came; returns how long it took, if there was something to answer.
    pub(super) fn answer(&mut self, env_id: EnvId, now: Instant) -> Option<Duration> {
        self.0.remove(&env_id).map(|sent| now - sent.at)
    }

    /// Takes out the pushes that will not be answered.
    pub(super) fn give_up(&mut self, now: Instant) -> Vec<(EnvId, Version)> {
        let is_late = |sent: &Sent| sent.arrived.is_some_and(|arrived| now - arrived > PATIENCE);
        self.0
            .extract_if(|_, sent| is_late(sent))
            .map(|(env_id, sent)| (env_id, sent.version))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ENV: EnvId = EnvId::new(Uuid::from_u128(1));

    #[test]
    fn patience_begins_when_a_push_has_arrived() {
        let mut unanswered = Unanswered::default();
        let now = Instant::now();
        unanswered.send(ENV, 7, now);
        let arrived = now + PATIENCE * 10;
        assert_eq!(unanswered.give_up(arrived), []);

        unanswered.arrive(ENV, 7, arrived);
        assert_eq!(unanswered.give_up(arrived + PATIENCE), []);
        let late = arrived + PATIENCE + Duration::from_secs(1);
        assert_eq!(unanswered.give_up(late), [(ENV, 7)]);
        assert_eq!(unanswered.give_up(late), []);
    }

    #[test]
    fn what_was_answered_is_not_waited_for() {
        let mut unanswered = Unanswered::default();
        let now = Instant::now();
        unanswered.send(ENV, 7, now);
        assert_eq!(unanswered.answer(ENV, now + PATIENCE), Some(PATIENCE));
        assert_eq!(unanswered.answer(ENV, now + PATIENCE), None);

        unanswered.send(ENV, 8, now);
        unanswered.arrive(ENV, 7, now);
        assert_eq!(
            unanswered.give_up(now + PATIENCE * 2),
            [],
            "it was the older one that arrived"
        );
    }
}
