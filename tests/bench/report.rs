//! The figures: a table for people, the same as JSON for programs.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use harness::places;
use serde::Serialize;

use crate::{
    goals::{Direction, Goal, Verdict},
    machine::Machine,
    releases::Release,
};

/// One measured quantity.
#[derive(Serialize)]
struct Row {
    benchmark: &'static str,
    quantity: String,
    unit: &'static str,
    #[serde(flatten)]
    goal: Option<Goal>,
    measured: f64,
    verdict: Option<Verdict>,
    /// Which way is better; none for what others' programs cost.
    better: Option<Direction>,
    /// What else was measured with it, by name.
    figures: BTreeMap<&'static str, f64>,
}

/// All that was measured in this run.
#[derive(Serialize)]
pub struct Report {
    machine: Machine,
    rows: Vec<Row>,
    /// What this run is compared with.
    #[serde(skip)]
    before: Option<Release>,
}

/// Further figures of a row: name and value. Names end with the unit.
pub type Figures = BTreeMap<&'static str, f64>;

impl Report {
    pub fn begin(machine: Machine) -> Self {
        println!("{machine}\n");
        println!(
            "{:<66} {:>12} {:>12} {:>12}  verdict",
            "", "gate", "goal", "measured"
        );
        Self {
            before: Release::latest(),
            machine,
            rows: Vec::new(),
        }
    }

    /// Tells a quantity that there is a goal for.
    pub fn judge(
        &mut self,
        benchmark: &'static str,
        quantity: &str,
        unit: &'static str,
        goal: Goal,
        measured: f64,
        figures: Figures,
    ) {
        self.add(Row {
            goal: Some(goal),
            verdict: Some(goal.judge(measured)),
            better: Some(goal.direction),
            ..Row::told(benchmark, quantity, unit, measured, figures)
        });
    }

    /// Tells a quantity that nothing is demanded of.
    pub fn tell(
        &mut self,
        benchmark: &'static str,
        quantity: &str,
        unit: &'static str,
        measured: f64,
        figures: Figures,
    ) {
        self.add(Row {
            better: Direction::of(unit),
            ..Row::told(benchmark, quantity, unit, measured, figures)
        });
    }

    /// Tells what the same costs by a program of others.
    pub fn tell_of_others(
        &mut self,
        benchmark: &'static str,
        quantity: &str,
        unit: &'static str,
        measured: f64,
        figures: Figures,
    ) {
        self.add(Row::told(benchmark, quantity, unit, measured, figures));
    }

    fn add(&mut self, row: Row) {
        row.print();
        self.rows.push(row);
        self.store();
    }

    /// Writes everything so far as JSON, so that what was measured stays if a later benchmark fails.
    fn store(&self) {
        let text = serde_json::to_vec_pretty(self).expect("figures are JSON");
        fs::write(path(), text).expect("the target folder can be written to");
    }

    /// Says how many goals there were, and what is worse than in the last release.
    pub fn finish(&self) {
        let count = |verdict| {
            let verdict = Some(verdict);
            self.rows
                .iter()
                .filter(|row| row.verdict == verdict)
                .count()
        };
        println!(
            "\n{} goals reached, {} gates hold without their goal, {} gates missed; as JSON: {}",
            count(Verdict::Goal),
            count(Verdict::Gate),
            count(Verdict::Missed),
            path().display()
        );
        let Some(before) = &self.before else {
            return;
        };
        for row in &self.rows {
            let worse = row.better.and_then(|better| {
                let name = (row.benchmark, row.quantity.as_str());
                before.worse(&self.machine, name, row.unit, better, row.measured)
            });
            if let Some(times) = worse {
                println!(
                    "worse than {} by {:.0} %: {}: {}",
                    before.name(),
                    (times - 1.0) * 100.0,
                    row.benchmark,
                    row.quantity
                );
            }
        }
    }
}

fn path() -> PathBuf {
    places::target().join("bench.json")
}

impl Row {
    fn told(
        benchmark: &'static str,
        quantity: &str,
        unit: &'static str,
        measured: f64,
        figures: Figures,
    ) -> Self {
        Self {
            benchmark,
            quantity: quantity.to_owned(),
            unit,
            goal: None,
            measured,
            verdict: None,
            better: None,
            figures,
        }
    }

    fn print(&self) {
        let unit = self.unit;
        let bound = |bound: fn(&Goal) -> f64| {
            self.goal
                .as_ref()
                .map(|goal| format!("{} {} {unit}", goal.sign(), short(bound(goal))))
                .unwrap_or_default()
        };
        println!(
            "{:<66} {:>12} {:>12} {:>12}  {}",
            format!("{}: {}", self.benchmark, self.quantity),
            bound(|goal| goal.gate),
            bound(|goal| goal.goal),
            format!("{} {unit}", short(self.measured)),
            self.verdict.map_or("", Verdict::text),
        );
        let figures: Vec<_> = self
            .figures
            .iter()
            .map(|(name, value)| format!("{name} {}", short(*value)))
            .collect();
        if !figures.is_empty() {
            println!("    {}", figures.join(", "));
        }
    }
}

/// Three digits that count, or all of a large number.
fn short(value: f64) -> String {
    let digits = match value.abs() {
        0.0 => 0,
        1.0..10.0 => 2,
        10.0..100.0 => 1,
        100.0.. => 0,
        _ => 3,
    };
    format!("{value:.digits$}")
}

/// The middle of several values.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.into_iter().collect();
    assert!(!values.is_empty(), "nothing was measured");
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// The value below which so many of a hundred lie, by rank.
pub fn percentile(values: &[f64], percent: usize) -> f64 {
    assert!(!values.is_empty(), "nothing was measured");
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let rank = (values.len() * percent).div_ceil(100).max(1);
    values[rank - 1]
}
