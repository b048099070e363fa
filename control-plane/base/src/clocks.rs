//! The clock of this machine compared with the database's, which all replicas share. A replica whose clock is off would fire
//! schedules and end sessions and certificates at the wrong time.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use serving::clock::Clock;
use time::{Duration, OffsetDateTime};

/// More than a slow answer of the database can explain.
const OFF: Duration = Duration::seconds(5);

/// The clock of this machine and its last measured offset from the database's. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Clocks {
    clock: Clock,
    ahead_ms: Arc<AtomicI64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the clock of this machine is {ahead_ms} ms ahead of the database's")]
pub struct ClocksDiffer {
    ahead_ms: i64,
}

impl Clocks {
    /// Not compared yet.
    pub fn new(clock: Clock) -> Self {
        let ahead_ms = Arc::default();
        Self { clock, ahead_ms }
    }

    /// Compares the clock with the time that the database has just returned.
    ///
    /// # Errors
    /// When they differ.
    pub fn compare(&self, database: OffsetDateTime) -> Result<(), ClocksDiffer> {
        let ahead = self.clock.of_machine() - database;
        metrics::gauge!("halyard_clock_ahead_seconds").set(ahead.as_seconds_f64());
        let ahead_ms = i64::try_from(ahead.whole_milliseconds()).unwrap_or(i64::MAX);
        self.ahead_ms.store(ahead_ms, Ordering::Relaxed);
        self.agree()
    }

    /// Whether they agreed when they were last compared.
    ///
    /// # Errors
    /// When they differed.
    pub fn agree(&self) -> Result<(), ClocksDiffer> {
        let ahead_ms = self.ahead_ms.load(Ordering::Relaxed);
        if Duration::milliseconds(ahead_ms).abs() > OFF {
            return Err(ClocksDiffer { ahead_ms });
        }
        Ok(())
    }
}

/// What the clock shows, or would if this machine's were not off, by the time that the database has just returned.
pub fn agreed(clock: &Clock, database: OffsetDateTime) -> OffsetDateTime {
    let ahead = clock.of_machine() - database;
    if ahead.abs() > OFF {
        clock.now() - ahead
    } else {
        clock.now()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_may_be_off_by_seconds_in_either_direction() {
        let clock = Clock::manual(OffsetDateTime::UNIX_EPOCH);
        let clocks = Clocks::new(clock.clone());
        assert_eq!(clocks.agree(), Ok(()));
        for (off, is_right) in [
            (0, true),
            (4, true),
            (-4, true),
            (6, false),
            (-3_600, false),
        ] {
            let database = clock.of_machine();
            clock.set_machine_off(Duration::seconds(off));
            assert_eq!(clocks.compare(database).is_ok(), is_right, "{off} s");
            assert_eq!(clocks.agree().is_ok(), is_right, "{off} s");
            clock.set_machine_off(Duration::ZERO);
        }
        let differ = ClocksDiffer {
            ahead_ms: -3_600_000,
        };
        assert_eq!(
            differ.to_string(),
            "the clock of this machine is -3600000 ms ahead of the database's"
        );
    }
}
