//! What becomes of a datagram, and how long a database takes: functions of the seed, the places and the time.

use std::time::Duration;

use tokio::time::Instant;

use crate::{dice::mix, network::Place};

/// How a line behaves while it is not cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Climate {
    /// A few milliseconds.
    #[default]
    Fair,
    /// A long way.
    Far,
    /// What is sent in one of eight moments is lost.
    Lossy,
    /// Datagrams overtake each other and come twice.
    Wild,
}

impl Climate {
    pub(crate) const ALL: [Self; 4] = [Self::Fair, Self::Far, Self::Lossy, Self::Wild];
}

/// When a datagram arrives: not at all, once or twice, after so many milliseconds.
pub(crate) struct Fate {
    pub(crate) arrivals: [Option<u64>; 2],
}

#[derive(Debug)]
pub(crate) struct Weather {
    seed: u64,
    began: Instant,
}

impl Weather {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            seed,
            began: Instant::now(),
        }
    }

    pub(crate) fn fate(&self, from: Place, to: Place, climate: Climate) -> Fate {
        // All that is sent within a moment has one fate.
        let moment = self.moment(4);
        let line = [self.seed, from.0.into(), to.0.into(), moment];
        let chance = mix(&line);
        let late_ms = 1 + chance % 4;
        let chance = chance >> 8;
        let arrivals = match climate {
            Climate::Fair => [Some(late_ms), None],
            Climate::Far => [Some(60 + late_ms), None],
            Climate::Lossy => [(!chance.is_multiple_of(8)).then_some(10 + late_ms), None],
            Climate::Wild => {
                let late_ms = 5 + chance % 60;
                let again = (chance >> 8).is_multiple_of(4);
                [Some(late_ms), again.then_some(late_ms + 1 + chance % 90)]
            }
        };
        Fate { arrivals }
    }

    /// How long a message between a control plane and its database takes.
    pub(crate) fn database(&self, at: Place, question: u64) -> Duration {
        let chance = mix(&[self.seed, at.0.into(), question, self.moment(16)]);
        // Mostly at once, now and then as long as a busy one takes.
        let late_ms = if chance.is_multiple_of(16) {
            100 + chance % 400
        } else {
            chance % 4
        };
        Duration::from_millis(late_ms)
    }

    fn moment(&self, ms: u128) -> u64 {
        u64::try_from(self.began.elapsed().as_millis() / ms).unwrap()
    }
}
