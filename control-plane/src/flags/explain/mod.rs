//! Explains why a flag serves what it does: evaluates it with the edges' engine, and reports the steps.

mod document;
mod input;
pub mod routes;

use std::collections::HashSet;

use protocol::{
    eval::{self, Environment, Explanation, PrepareError, Scratch},
    snapshot::Snapshot,
};
use serde::Serialize;
use time::OffsetDateTime;

use self::input::Question;
use super::{
    model::Flag,
    states::{input::StatePatch, model::FlagState},
    warnings::{Suspects, Warning},
};
use crate::{input::Invalid, publish::Whole, unit::Wish};

/// An explanation, and what of the context or of the flag's state may not mean what its author thinks.
#[derive(Serialize)]
struct Explained {
    #[serde(flatten)]
    explanation: Explanation,
    warnings: Vec<Warning>,
}

/// A state to try out in place of the stored one.
struct Draft {
    flag: Flag,
    state: FlagState,
}

impl Draft {
    /// Slow: compiles regular expressions to check them.
    fn check(flag: Flag, patch: StatePatch, now: OffsetDateTime) -> Result<Self, Invalid> {
        let state = patch.check(flag.flag_type, now)?.apply(&None);
        Ok(Self { flag, state })
    }
}

/// Slow: prepares the whole environment, with the draft's regular expressions.
fn explain(
    mut whole: Whole,
    question: &Question,
    draft: Option<Draft>,
) -> Result<Explained, PrepareError> {
    if let Some(Draft { flag, state }) = draft {
        let flags = &mut whole.snapshot.flags;
        if let Some(compiled) = flags
            .iter_mut()
            .find(|other| other.key == flag.key.as_str())
        {
            compiled.state = Some(state.compile());
        }
    }
    let environment = Environment::prepare(&whole.snapshot)?;
    let explanation = eval::explain(
        &environment,
        &whole.snapshot,
        &question.flag_key,
        &question.context,
        &mut Scratch::new(),
    );
    let mut warnings = question.warnings.clone();
    warnings.extend(of_flag(&whole.snapshot, &question.flag_key));
    Ok(Explained {
        explanation,
        warnings,
    })
}

fn of_flag(snapshot: &Snapshot, flag_key: &str) -> Vec<Warning> {
    let mut flags = snapshot.flags.iter();
    let Some(flag) = flags.find(|flag| flag.key == flag_key) else {
        return Vec::new();
    };
    let segments: HashSet<_> = snapshot
        .segments
        .iter()
        .map(|one| one.key.as_str())
        .collect();
    Suspects::of_served(flag).warnings(&segments)
}
