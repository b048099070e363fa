//! Explains why a flag serves what it does: evaluates it with the edges' engine, and reports the steps.

mod document;
mod input;
pub mod routes;

use std::collections::HashSet;

use protocol::{
    eval::{self, Environment, Explanation, PrepareError, Scratch},
    snapshot::{self, Snapshot},
};
use serde::Serialize;
use time::OffsetDateTime;

use self::input::Question;
use base::input::Invalid;
use domain::{
    flags::{
        history::look::Kept,
        model::Flag,
        states::{input::StatePatch, model::FlagState},
        warnings::{Suspects, Warning},
    },
    unit::Wish,
};
use publish::Whole;

/// An explanation, and what of the context or of the flag's state may not mean what its author thinks.
#[derive(Serialize)]
struct Explained {
    #[serde(flatten)]
    explanation: Explanation,
    warnings: Vec<Warning>,
}

/// What is looked at in place of what is stored now.
enum Instead {
    /// A state to try out.
    Draft {
        /// The flag's key.
        key: String,
        state: FlagState,
    },
    /// The flag with its state as they were; without a flag where it was deleted.
    Then {
        key: String,
        flag: Option<snapshot::Flag>,
    },
}

impl Instead {
    /// Slow: compiles regular expressions to check them.
    fn check(flag: Flag, patch: StatePatch, now: OffsetDateTime) -> Result<Self, Invalid> {
        let state = patch.check(flag.flag_type, now)?.apply(&None);
        let key = flag.key;
        Ok(Self::Draft { key, state })
    }

    fn then(key: String, kept: &Kept) -> Self {
        let state = kept.state.as_ref().map(FlagState::compile);
        let flag = kept.flag.as_ref().map(|flag| snapshot::Flag {
            state,
            ..flag.compile()
        });
        Self::Then { key, flag }
    }

    fn put_into(self, snapshot: &mut Snapshot) {
        match self {
            Self::Draft { key, state } => {
                let mut flags = snapshot.flags.iter_mut();
                if let Some(flag) = flags.find(|flag| flag.key == key) {
                    flag.state = Some(state.compile());
                }
            }
            Self::Then { key, flag } => {
                snapshot.flags.retain(|other| other.key != key);
                snapshot.flags.extend(flag);
            }
        }
    }
}

/// Slow: prepares the whole environment, with the draft's regular expressions.
fn explain(
    mut whole: Whole,
    question: &Question,
    instead: Option<Instead>,
) -> Result<Explained, PrepareError> {
    if let Some(instead) = instead {
        instead.put_into(&mut whole.snapshot);
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
