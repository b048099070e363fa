//! What earlier releases measured: `tests/bench/results/`, the report of a whole run for each, named after its day.

use std::fs;
use std::path::PathBuf;

use harness::places;
use serde::Deserialize;

use crate::{goals::Direction, machine::Machine};

/// What is worse by more than this is named.
const NOTEWORTHY: f64 = 1.05;

/// Units that tell something about another machine too.
const RATIOS: &[&str] = &["C", "times", "commits", "B", ""];

/// The report of one.
#[derive(Deserialize)]
pub struct Release {
    #[serde(skip)]
    name: String,
    machine: On,
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct On {
    processor: String,
    cores: usize,
}

#[derive(Deserialize)]
struct Row {
    benchmark: String,
    quantity: String,
    unit: String,
    measured: f64,
}

impl Release {
    /// The last one; none before the first.
    ///
    /// # Panics
    /// When its file is not a report.
    pub fn latest() -> Option<Self> {
        let files = fs::read_dir(places::repository().join("tests/bench/results")).ok()?;
        let files = files.filter_map(|file| Some(file.ok()?.path()));
        let latest: PathBuf = files
            .filter(|path| path.extension().is_some_and(|it| it == "json"))
            .max()?;
        let text = fs::read(&latest).expect("a file of the repository");
        let release: Self = serde_json::from_slice(&text).expect("the report of a release");
        let name = latest
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Some(Self { name, ..release })
    }

    /// The day it was measured.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many times as bad a quantity is now, if that is noteworthy. Nothing for what was not measured then, and for times and
    /// memory on another machine.
    pub fn worse(
        &self,
        machine: &Machine,
        (benchmark, quantity): (&str, &str),
        unit: &str,
        better: Direction,
        measured: f64,
    ) -> Option<f64> {
        let before = self.rows.iter().find(|row| {
            row.benchmark == benchmark && row.quantity == quantity && row.unit == unit
        })?;
        if !RATIOS.contains(&unit) && !machine.is_like(&self.machine.processor, self.machine.cores)
        {
            return None;
        }
        let times = match better {
            Direction::AtLeast => before.measured / measured,
            Direction::AtMost => measured / before.measured,
        };
        (times > NOTEWORTHY).then_some(times)
    }
}
