//! The most that a line needs in flight: what it carries during its shortest round trip, plus a little that may queue
//! up on the way.
//!
//! What it carries is measured from acknowledgements, one round trip at a time. The shortest round trip can only be
//! measured while nothing queues; if it has not been seen for a while, the window is made small for two round trips, so
//! that queues drain and a line that became longer is not mistaken for one that is full.

use std::time::{Duration, Instant};

/// The best of this many round trips counts, since acknowledgements arrive in bursts, but only recent ones: on a line
/// that became slower they are long.
const ROUNDS: usize = 8;
const OLD: Duration = Duration::from_secs(1);

#[derive(Clone, Debug)]
pub(super) struct Ceiling {
    /// When the last rounds ended, and their bytes per second; the newest last.
    rates: Vec<(Instant, f64)>,
    shortest: Duration,
    /// When the shortest round trip was last seen; `None` at first.
    seen: Option<Instant>,
    draining: Draining,
    round: Round,
}

/// From the acknowledgement of one datagram to that of the first datagram sent after it.
#[derive(Clone, Copy, Debug)]
struct Round {
    began: Instant,
    /// When the datagram was sent whose acknowledgement began the round.
    began_sent: Instant,
    bytes: u64,
    /// Less was sent than the window allows, because there was nothing to send.
    is_idle: bool,
    shortest: Option<Duration>,
    /// When the datagram was sent whose acknowledgement ends the round.
    ended_sent: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Draining {
    No,
    /// Queues drain.
    Emptying,
    /// What is sent now finds empty queues.
    Measuring,
}

impl Ceiling {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            rates: Vec::with_capacity(ROUNDS),
            shortest: Duration::MAX,
            seen: None,
            draining: Draining::No,
            round: Round::new(now, now),
        }
    }

    /// The ceiling, in whole datagrams of a given size; `None` before the line was used at all.
    pub(super) fn bytes(&self, datagram: u64) -> Option<u64> {
        let rate = self.rates.iter().map(|(_, rate)| *rate).reduce(f64::max)?;
        let time = match self.draining {
            // A little may queue up on the way.
            Draining::No => self.shortest + Duration::from_millis(100),
            // Queues shrink, but the line is not quite idle.
            Draining::Emptying | Draining::Measuring => self.shortest * 3 / 4,
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "conversions to integers saturate, and rates are positive"
        )]
        let bytes = (rate * time.as_secs_f64()) as u64;
        // Rounded up: on a long line, a window of few datagrams would otherwise never grow.
        // Fewer than four would have to wait for each other's acknowledgements.
        Some((bytes / datagram + 1).max(4) * datagram)
    }

    /// A datagram of this many bytes, sent at `sent`, has arrived.
    pub(super) fn acknowledged(&mut self, now: Instant, sent: Instant, bytes: u64, is_idle: bool) {
        let taken = now.saturating_duration_since(sent);
        if taken <= self.shortest {
            self.shortest = taken;
            self.seen = Some(now);
        }
        self.round.bytes += bytes;
        self.round.is_idle |= is_idle;
        self.round.shortest = Some(self.round.shortest.map_or(taken, |least| least.min(taken)));
        if sent >= self.round.began {
            self.round.ended_sent = Some(sent);
        }
    }

    /// All acknowledgements that came with one datagram were reported: ends the round if it is over.
    pub(super) fn look(&mut self, now: Instant) {
        let Some(sent) = self.round.ended_sent else {
            return;
        };
        let round = std::mem::replace(&mut self.round, Round::new(now, sent));
        self.count(&round, now, sent);
        match (self.draining, round.shortest) {
            (Draining::No, _) => {
                // For so long it is trusted without being seen again.
                let is_old = self
                    .seen
                    .is_none_or(|seen| now - seen > Duration::from_secs(10));
                if is_old && !round.is_idle {
                    self.draining = Draining::Emptying;
                }
            }
            (Draining::Emptying, _) => self.draining = Draining::Measuring,
            (Draining::Measuring, shortest) => {
                self.shortest = shortest.unwrap_or(self.shortest);
                self.seen = Some(now);
                self.draining = Draining::No;
            }
        }
    }

    /// Records what the line carried. If there was little to send, that is only a lower bound.
    fn count(&mut self, round: &Round, now: Instant, sent: Instant) {
        // Delayed acknowledgements arrive all at once: then it is the sending that took the time.
        let taken = (now - round.began).max(sent.saturating_duration_since(round.began_sent));
        if taken.is_zero() {
            return;
        }
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        let rate = round.bytes as f64 / taken.as_secs_f64();
        let says_least = round.is_idle || self.draining != Draining::No;
        if says_least && self.rates.iter().any(|(_, known)| rate < *known) {
            return;
        }
        self.rates.retain(|(ended, _)| now - *ended < OLD);
        if self.rates.len() == ROUNDS {
            self.rates.remove(0);
        }
        self.rates.push((now, rate));
    }
}

impl Round {
    const fn new(began: Instant, began_sent: Instant) -> Self {
        Self {
            began,
            began_sent,
            bytes: 0,
            is_idle: false,
            shortest: None,
            ended_sent: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    const DATAGRAM: u64 = 1_200;

    /// A line with an unlimited queue, and a sender that always has something to send.
    struct Line {
        now: Instant,
        /// Bytes per second.
        rate: u64,
        round_trip: Duration,
        busy_until: Instant,
        /// When each datagram was sent, and when its acknowledgement arrives.
        in_flight: VecDeque<(Instant, Instant)>,
        ceiling: Ceiling,
    }

    impl Line {
        fn new(rate: u64, round_trip: Duration) -> Self {
            let now = Instant::now();
            Self {
                now,
                rate,
                round_trip,
                busy_until: now,
                in_flight: VecDeque::new(),
                ceiling: Ceiling::new(now),
            }
        }

        /// Sends for a time; returns the longest time that a datagram queued in the last fifth of it, and the bytes
        /// that arrived.
        fn send_for(&mut self, time: Duration) -> (Duration, u64) {
            let (began, mut longest, mut arrived) = (self.now, Duration::ZERO, 0);
            while self.now - began < time {
                // Like an initial window of ten datagrams.
                let window = self.ceiling.bytes(DATAGRAM).unwrap_or(10 * DATAGRAM);
                while (self.in_flight.len() as u64 + 1) * DATAGRAM <= window {
                    let start = self.busy_until.max(self.now);
                    self.busy_until =
                        start + Duration::from_nanos(DATAGRAM * 1_000_000_000 / self.rate);
                    self.in_flight
                        .push_back((self.now, self.busy_until + self.round_trip));
                    if self.now - began > time * 4 / 5 {
                        longest = longest.max(start - self.now);
                    }
                }
                let (sent, at) = self.in_flight.pop_front().expect("something is in flight");
                self.now = at;
                arrived += DATAGRAM;
                self.ceiling.acknowledged(at, sent, DATAGRAM, false);
                self.ceiling.look(at);
            }
            (longest, arrived)
        }
    }

    fn ms(number: u64) -> Duration {
        Duration::from_millis(number)
    }

    #[test]
    fn a_slow_line_is_kept_busy_with_a_short_queue() {
        let mut line = Line::new(125_000, ms(40));
        let (queued, arrived) = line.send_for(Duration::from_secs(60));
        assert!(queued < ms(160), "{queued:?}");
        assert!(arrived > 125_000 * 60 * 95 / 100, "{arrived}");
    }

    #[test]
    fn a_fast_line_is_found_out_within_a_second() {
        let mut line = Line::new(12_500_000, ms(30));
        line.send_for(Duration::from_secs(1));
        let (_, arrived) = line.send_for(Duration::from_secs(1));
        assert!(arrived > 12_500_000 * 95 / 100, "{arrived}");
    }

    #[test]
    fn a_line_that_becomes_slower_or_longer_is_noticed() {
        let mut line = Line::new(1_250_000, ms(40));
        line.send_for(Duration::from_secs(5));
        line.rate = 125_000;
        let (queued, _) = line.send_for(Duration::from_secs(20));
        assert!(queued < ms(160), "slower: {queued:?}");

        line.round_trip = ms(400);
        line.send_for(Duration::from_secs(20));
        let (queued, arrived) = line.send_for(Duration::from_secs(20));
        assert!(queued < ms(250), "longer: {queued:?}");
        assert!(arrived > 125_000 * 20 * 85 / 100, "longer: {arrived}");
    }

    #[test]
    fn little_to_send_says_little_about_the_line() {
        let mut line = Line::new(1_250_000, ms(40));
        line.send_for(Duration::from_secs(2));
        let busy = line.ceiling.bytes(DATAGRAM);
        for _ in 0..20 {
            let sent = line.now;
            line.now += ms(50);
            line.ceiling.acknowledged(line.now, sent, 100, true);
            line.ceiling.look(line.now);
        }
        assert_eq!(line.ceiling.bytes(DATAGRAM), busy);
    }
}
