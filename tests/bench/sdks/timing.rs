//! Times several things that do the same, side by side.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use crate::users::USERS;

/// How often each is timed; in between, the others are.
const ROUNDS: usize = 150;
/// About how long each is timed in a round.
const ROUND: Duration = Duration::from_millis(2);

/// What answers whether the flag is on for a user.
pub type Ask = Box<dyn FnMut(usize) -> bool>;

/// One of those that are compared.
pub struct Contender {
    pub name: &'static str,
    /// Flags that are evaluated whenever it is asked for one.
    flags: usize,
    ask: Ask,
}

/// What an evaluation takes, ns.
#[derive(Clone, Copy)]
pub struct Time {
    pub median: f64,
    pub least: f64,
    /// How many times that of the first contender in the same round, median.
    pub times_first: f64,
}

impl Contender {
    pub fn new(name: &'static str, ask: Ask) -> Self {
        let flags = 1;
        Self { name, flags, ask }
    }

    /// One that evaluates so many flags whenever it is asked for one: its time is that of each of them.
    pub fn of_all(name: &'static str, flags: usize, ask: Ask) -> Self {
        Self { name, flags, ask }
    }

    pub fn ask(&mut self, user: usize) -> bool {
        (self.ask)(user)
    }

    /// The time of so many evaluations, each for another user.
    fn time(&mut self, times: usize) -> Duration {
        let began = Instant::now();
        for number in 0..times {
            black_box((self.ask)(black_box(number % USERS)));
        }
        began.elapsed()
    }

    /// How many evaluations take a round.
    fn times(&mut self) -> usize {
        let mut times = USERS;
        while self.time(times) < ROUND {
            times *= 2;
        }
        times
    }
}

/// The times of all of them, taken in turn, so that whatever else the machine does slows all of them.
pub fn compare(contenders: &mut [Contender]) -> Vec<Time> {
    let times: Vec<_> = contenders.iter_mut().map(Contender::times).collect();
    let mut taken = vec![Vec::with_capacity(ROUNDS); contenders.len()];
    for _ in 0..ROUNDS {
        for ((contender, times), taken) in contenders.iter_mut().zip(&times).zip(&mut taken) {
            let evaluations = *times * contender.flags;
            taken.push(contender.time(*times).as_nanos() as f64 / evaluations as f64);
        }
    }
    let times = taken.iter().map(|own| {
        let ratios = own.iter().zip(&taken[0]).map(|(own, first)| own / first);
        Time {
            median: median(own.iter().copied()),
            least: own.iter().copied().fold(f64::INFINITY, f64::min),
            times_first: median(ratios),
        }
    });
    times.collect()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
