//! What a quantity should be: a gate that must hold, and a goal that is after.

use serde::Serialize;

/// Which way is better.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    AtLeast,
    AtMost,
}

/// Gate and goal of one quantity; `docs/performance.md` has the table.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Goal {
    pub direction: Direction,
    pub gate: f64,
    pub goal: f64,
}

impl Direction {
    /// Which way is better by the unit alone; for an exponent by no more than its reader's judgement.
    pub fn of(unit: &str) -> Option<Self> {
        match unit {
            "C" | "a second" => Some(Self::AtLeast),
            "exponent" => None,
            _ => Some(Self::AtMost),
        }
    }
}

impl Goal {
    /// More is better.
    pub const fn at_least(gate: f64, goal: f64) -> Self {
        Self {
            direction: Direction::AtLeast,
            gate,
            goal,
        }
    }

    /// Less is better.
    pub const fn at_most(gate: f64, goal: f64) -> Self {
        Self {
            direction: Direction::AtMost,
            gate,
            goal,
        }
    }

    /// What a measured value is worth.
    pub fn judge(&self, measured: f64) -> Verdict {
        let holds = |bound| match self.direction {
            Direction::AtLeast => measured >= bound,
            Direction::AtMost => measured <= bound,
        };
        if holds(self.goal) {
            Verdict::Goal
        } else if holds(self.gate) {
            Verdict::Gate
        } else {
            Verdict::Missed
        }
    }

    /// The sign that tells the direction.
    pub const fn sign(&self) -> char {
        match self.direction {
            Direction::AtLeast => '≥',
            Direction::AtMost => '≤',
        }
    }
}

/// What became of a goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Reached.
    Goal,
    /// The gate holds, the goal is not reached.
    Gate,
    /// The gate does not hold.
    Missed,
}

impl Verdict {
    pub const fn text(self) -> &'static str {
        match self {
            Self::Goal => "goal reached",
            Self::Gate => "gate holds",
            Self::Missed => "MISSED",
        }
    }
}
