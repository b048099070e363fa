//! The samples of one environment: bounded in bytes, each with the number of requests that it stands for.
//!
//! A request is sampled with a probability that follows the rate of requests, so that the lock is taken some hundred times a second at
//! most. Samples are kept by the hour. When the hour's bytes are used up, half of the samples of the question that has the most of them
//! are drawn by lot and dropped; the others, and what comes later, count double. Each step keeps the expected weight of a request at one,
//! whatever happened before, so estimates are without bias; and flags that are asked for rarely keep their samples.

use std::{
    collections::VecDeque,
    fmt,
    hash::RandomState,
    sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering},
    time::Duration,
};

use parking_lot::Mutex;
use protocol::{eval::Context, what_if::Sampled};

use super::sample::{self, AskedFor, LONGEST, Sample};
use crate::clock::millis;

pub(super) const HOUR: i64 = millis_of(3_600);
/// Hours of which samples are kept, the current one included.
pub(super) const HOURS: usize = 24;
/// Questions that are told apart when samples are dropped.
const GROUPS: usize = 256;
/// Samples taken in a second beyond which fewer are, and in so many seconds below which more are.
const TAKEN: u32 = 256;
const SECONDS: i64 = 4;
/// The highest logarithm of a weight.
const HEAVIEST: u8 = 40;
/// How much room an hour takes at a time.
const STEP: usize = 1_024;

const fn millis_of(seconds: i64) -> i64 {
    seconds * 1_000
}

/// The samples of one environment.
pub(super) struct Reservoir {
    pub(super) sampled: Sampled,
    /// Requests until the next one that is sampled.
    countdown: AtomicI64,
    /// The most bytes that it may take.
    share: AtomicUsize,
    /// Set when its samples may not be used any more.
    is_dropped: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// How often the probability of a sample is halved, and how often it was when the countdown began.
    log: u8,
    drawn_log: u8,
    /// When the first sample was taken.
    began_ms: i64,
    window_began_ms: i64,
    window_taken: u32,
    hours: VecDeque<Hour>,
    salt: RandomState,
    lots: Lots,
    buffer: Vec<u8>,
}

/// The samples of an hour.
struct Hour {
    number: i64,
    samples: Vec<u8>,
    /// How often samples of each group were halved.
    halved: Box<[u8; GROUPS]>,
}

impl fmt::Debug for Reservoir {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reservoir(..)")
    }
}

impl Reservoir {
    pub(super) fn new(sampled: Sampled, share: usize, seed: u64) -> Self {
        Self {
            sampled,
            countdown: AtomicI64::new(1),
            share: AtomicUsize::new(share),
            is_dropped: AtomicBool::new(false),
            state: Mutex::new(State {
                log: 0,
                drawn_log: 0,
                began_ms: i64::MAX,
                window_began_ms: 0,
                window_taken: 0,
                hours: VecDeque::new(),
                salt: RandomState::new(),
                lots: Lots(seed),
                buffer: Vec::new(),
            }),
        }
    }

    /// A request was answered.
    #[inline]
    pub(super) fn answered(
        &self,
        asked: AskedFor<'_>,
        context: &Context<'_>,
        now_ms: impl FnOnce() -> i64,
    ) {
        if self.countdown.fetch_sub(1, Ordering::Relaxed) <= 1 {
            self.take(asked, context, now_ms());
        }
    }

    #[cold]
    fn take(&self, asked: AskedFor<'_>, context: &Context<'_>, now_ms: i64) {
        let mut state = self.state.lock();
        // Another request was sampled meanwhile, and a new countdown has begun.
        while self.countdown.load(Ordering::Relaxed) > 0 {
            if self.countdown.fetch_sub(1, Ordering::Relaxed) > 1 {
                return;
            }
        }
        if self.is_dropped.load(Ordering::Acquire) {
            return;
        }
        metrics::counter!("halyard_edge_samples_total").increment(1);
        let share = self.share.load(Ordering::Relaxed);
        state.keep(&self.sampled, asked, context, now_ms, share);
        let next = state.begin_countdown(now_ms);
        self.countdown.store(next, Ordering::Relaxed);
    }

    /// Drops what is older than a day, and what is beyond its share from now on.
    pub(super) fn tidy(&self, share: usize, now: Duration) {
        self.share.store(share, Ordering::Relaxed);
        let mut state = self.state.lock();
        state.expire(millis(now));
        state.fit(share);
    }

    /// Drops what is older than a day.
    pub(super) fn expire(&self, now: Duration) {
        self.state.lock().expire(millis(now));
    }

    /// Drops all samples for good, those that come too.
    pub(super) fn drop_for_good(&self) {
        self.is_dropped.store(true, Ordering::Release);
        self.clear();
    }

    pub(super) fn is_dropped(&self) -> bool {
        self.is_dropped.load(Ordering::Acquire)
    }

    /// Drops all samples.
    pub(super) fn clear(&self) {
        self.state.lock().hours.clear();
    }

    /// Bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        let state = self.state.lock();
        state.hours.iter().map(Hour::bytes).sum::<usize>() + state.buffer.capacity()
    }

    /// When the oldest of the hours began of which there are samples, in milliseconds since the edge started.
    pub(super) fn began_ms(&self) -> Option<i64> {
        let state = self.state.lock();
        let mut hours = state.hours.iter();
        let oldest = hours.find(|hour| !hour.samples.is_empty())?;
        Some((oldest.number * HOUR).max(state.began_ms))
    }

    /// The samples of each hour. The lock is released between them.
    pub(super) fn copy(&self, now: Duration) -> Vec<Vec<u8>> {
        self.state.lock().expire(millis(now));
        let copied = (0..HOURS).filter_map(|place| {
            let state = self.state.lock();
            let hour = state.hours.get(place)?;
            Some(hour.samples.clone())
        });
        copied.collect()
    }
}

impl State {
    fn keep(
        &mut self,
        sampled: &Sampled,
        asked: AskedFor<'_>,
        context: &Context<'_>,
        now_ms: i64,
        share: usize,
    ) {
        let number = now_ms.div_euclid(HOUR);
        self.began_ms = self.began_ms.min(now_ms);
        if self.hours.back().is_none_or(|hour| hour.number != number) {
            self.expire(now_ms);
            self.hours.push_back(Hour {
                number,
                samples: Vec::new(),
                halved: Box::new([0; GROUPS]),
            });
        }
        let Some(hour) = self.hours.back_mut() else {
            return;
        };
        let group = sample::write(&mut self.buffer, sampled, &self.salt, asked, context);
        let halved = hour.halved[group_of(group)];
        let log = self.drawn_log.saturating_add(halved);
        if !self.lots.all(halved) || log > HEAVIEST {
            return;
        }
        self.buffer.shrink_to(LONGEST);
        sample::set_weight(&mut self.buffer, log);
        hour.push(&self.buffer);
        hour.fit(share, &mut self.lots);
    }

    /// Requests until the next one that is sampled.
    fn begin_countdown(&mut self, now_ms: i64) -> i64 {
        self.window_taken += 1;
        let lasted_ms = now_ms - self.window_began_ms;
        if self.window_taken >= TAKEN || lasted_ms > millis_of(SECONDS) {
            if lasted_ms < millis_of(1) {
                self.log = (self.log + 1).min(HEAVIEST);
            } else if lasted_ms > millis_of(SECONDS) {
                self.log = self.log.saturating_sub(1);
            }
            self.window_began_ms = now_ms;
            self.window_taken = 0;
        }
        self.drawn_log = self.log;
        self.lots.wait(self.log)
    }

    fn expire(&mut self, now_ms: i64) {
        let oldest = now_ms.div_euclid(HOUR) + 1 - i64::try_from(HOURS).unwrap_or(i64::MAX);
        self.hours.retain(|hour| hour.number >= oldest);
    }

    fn fit(&mut self, share: usize) {
        for hour in &mut self.hours {
            hour.fit(share, &mut self.lots);
        }
    }
}

fn group_of(hash: u64) -> usize {
    usize::from(hash.to_le_bytes()[0])
}

impl Hour {
    fn bytes(&self) -> usize {
        self.samples.capacity() + GROUPS + size_of::<Self>()
    }

    fn push(&mut self, sample: &[u8]) {
        let room = self.samples.capacity() - self.samples.len();
        if room < sample.len() {
            self.samples.reserve_exact(STEP.max(sample.len()));
        }
        self.samples.extend(sample);
    }

    /// Halves groups, the largest first, until an eighth of what may be used is free again, if it is used up.
    fn fit(&mut self, share: usize, lots: &mut Lots) {
        let fixed = GROUPS + size_of::<Self>() + STEP + LONGEST;
        let most = (share / HOURS).saturating_sub(fixed);
        if self.samples.len() <= most {
            return;
        }
        while self.samples.len() > most - most / 8 {
            let mut bytes = [0_usize; GROUPS];
            let mut rest = &self.samples[..];
            while let Some((sample, behind)) = Sample::first(rest) {
                bytes[group_of(sample.group())] += sample.len();
                rest = behind;
            }
            let largest = (0..GROUPS).max_by_key(|group| bytes[*group]).unwrap_or(0);
            self.halve(largest, lots);
        }
        if self.samples.capacity() > most + STEP + LONGEST {
            self.samples.shrink_to(most);
        }
    }

    fn halve(&mut self, group: usize, lots: &mut Lots) {
        self.halved[group] = self.halved[group].saturating_add(1);
        let (mut read, mut written) = (0, 0);
        while let Some((sample, _)) = Sample::first(&self.samples[read..]) {
            let (length, log) = (sample.len(), sample.weight_log());
            let is_of_group = group_of(sample.group()) == group;
            if !is_of_group || (log < HEAVIEST && lots.all(1)) {
                self.samples.copy_within(read..read + length, written);
                if is_of_group {
                    sample::set_weight(&mut self.samples[written..], log + 1);
                }
                written += length;
            }
            read += length;
        }
        self.samples.truncate(written);
    }
}

/// Random numbers (SplitMix64).
pub(super) struct Lots(pub(super) u64);

impl Lots {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// One of the numbers below `end`.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let wide = u128::from(self.next()) * end as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }

    /// Heads in so many throws of a coin.
    fn all(&mut self, throws: u8) -> bool {
        throws == 0 || (throws < 64 && self.next() >> (64 - throws) == 0)
    }

    /// How many throws with a chance of one in 2^`log` it takes to succeed.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        reason = "a number of requests, far below 2^53"
    )]
    fn wait(&mut self, log: u8) -> i64 {
        if log == 0 {
            return 1;
        }
        let uniform = ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        let misses = uniform.ln() / (-(-f64::from(log)).exp2()).ln_1p();
        (misses as i64).saturating_add(1)
    }
}
