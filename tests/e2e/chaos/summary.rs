//! What was done and found over all rounds, in a few lines.

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::time::Duration;

use super::check::{Violation, Wrong};
use super::history::{History, Strike};

#[derive(Default)]
pub struct Summary {
    kinds: BTreeMap<String, usize>,
    converged: Vec<Duration>,
    requests: usize,
    acknowledged: usize,
    lost: usize,
    wrong: usize,
}

impl Summary {
    pub fn round(&mut self, strikes: &[Strike], converged: Duration) {
        for strike in strikes {
            *self.kinds.entry(strike.kind.clone()).or_default() += 1;
        }
        self.converged.push(converged);
    }

    pub fn history(&mut self, history: &History, found: &[Violation]) {
        self.requests += history.requests();
        self.acknowledged += history.acknowledged();
        let lost = found
            .iter()
            .filter(|violation| violation.wrong == Wrong::Lost);
        let lost = lost.count();
        self.lost += lost;
        self.wrong += found.len() - lost;
    }
}

impl Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut times = self.converged.clone();
        times.sort_unstable();
        let half = times.get(times.len() / 2).copied().unwrap_or_default();
        let longest = times.last().copied().unwrap_or_default();
        let faults: usize = self.kinds.values().sum();
        writeln!(f, "{} rounds, {faults} faults:", times.len())?;
        for (kind, count) in &self.kinds {
            writeln!(f, "  {kind}: {count}")?;
        }
        writeln!(
            f,
            "{} requests, {} writes acknowledged",
            self.requests, self.acknowledged
        )?;
        writeln!(f, "{} lost, {} wrong", self.lost, self.wrong)?;
        write!(f, "converged after {half:.1?}, at most {longest:.1?}")
    }
}
