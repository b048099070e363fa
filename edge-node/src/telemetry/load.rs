//! How much of the processor an edge uses.

use std::{
    thread::available_parallelism,
    time::{Duration, Instant},
};

use rustix::time::{ClockId, clock_gettime};

/// Samples over which it is averaged, one a second.
const SAMPLES: f64 = 15.0;

/// The processor time of this process over that of the cores it may use.
#[derive(Debug, Default)]
pub(super) struct Load {
    average: f64,
    last: Option<(Instant, Duration)>,
}

impl Load {
    /// Takes a sample; the average, from 0 to 1.
    pub(super) fn measure(&mut self) -> f64 {
        let used = Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default();
        self.add(Instant::now(), used)
    }

    fn add(&mut self, now: Instant, used: Duration) -> f64 {
        let last = self.last.replace((now, used));
        if let Some((then, used_then)) = last.filter(|(then, _)| *then < now) {
            let cores = available_parallelism().map_or(1, usize::from);
            #[expect(clippy::cast_precision_loss, reason = "few cores")]
            let possible = (now - then).as_secs_f64() * cores as f64;
            let share = used.saturating_sub(used_then).as_secs_f64() / possible;
            self.average += (share - self.average) / SAMPLES;
        }
        self.average
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_follows_the_processor_within_a_minute() {
        let (mut load, start) = (Load::default(), Instant::now());
        let cores = u32::try_from(available_parallelism().map_or(1, usize::from)).unwrap();
        let second = |n: u32| start + Duration::from_secs(n.into());
        assert!(
            load.add(start, Duration::ZERO) < 0.01,
            "nothing is known yet"
        );
        for n in 1..=60 {
            load.add(second(n), n * cores * Duration::from_secs(1));
        }
        assert!(load.average > 0.95, "busy: {}", load.average);
        let used = 60 * cores * Duration::from_secs(1);
        for n in 61..=120 {
            load.add(second(n), used);
        }
        assert!(load.average < 0.05, "idle: {}", load.average);
    }
}
