//! Explains why a flag serves what it does: evaluates it with the edges' engine, and reports the steps.

pub(crate) mod document;
mod draft;
pub(crate) mod input;
mod lint;
pub mod routes;

use std::collections::HashSet;

use protocol::{
    eval::{self, Environment, Explanation, PrepareError, Scratch},
    snapshot::{self, Snapshot},
};
use serde::Serialize;
use time::OffsetDateTime;

use self::{draft::DraftValues, input::Question};
use base::{input::Invalid, warning::Warning};
use domain::{
    flags::{
        history::look::Kept,
        model::Flag,
        states::{input::StatePatch, model::FlagState},
        warnings::Suspects,
    },
    unit::Wish,
};
use publish::Whole;

/// All contexts, as a percentage of rules.
const WHOLE: i64 = 10_000;

/// An explanation, and warnings about probable mistakes in the context or the flag's state.
#[derive(Serialize)]
struct Explained {
    #[serde(flatten)]
    explanation: Explanation,
    warnings: Vec<Warning>,
    /// Drafts only.
    #[serde(skip_serializing_if = "Option::is_none")]
    draft: Option<DraftValues>,
}

/// A replacement for the present state.
enum Instead {
    /// A draft of a state.
    Draft {
        /// Of the flag.
        key: String,
        state: FlagState,
    },
    /// The flag and state at a version; without a flag if it was deleted or archived.
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
        let flag = kept.flag.as_ref().filter(|flag| flag.archived_at.is_none());
        let flag = flag.map(|flag| snapshot::Flag {
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
    let is_draft = matches!(instead, Some(Instead::Draft { .. }));
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
    let mut draft = None;
    let snapshot = &whole.snapshot;
    let mut flags = snapshot.flags.iter();
    if let Some(flag) = flags.find(|flag| flag.key == question.flag_key) {
        warnings.extend(suspicions(snapshot, flag));
        if let Some(state) = flag.state.as_ref().filter(|_| is_draft) {
            draft = Some(DraftValues::of(&snapshot.head, flag, state)?);
        }
    }
    Ok(Explained {
        explanation,
        warnings,
        draft,
    })
}

/// Probable mistakes in what a flag serves; none about an unknown one.
pub(crate) fn warnings(snapshot: &Snapshot, flag_key: &str) -> Vec<Warning> {
    let mut flags = snapshot.flags.iter();
    let flag = flags.find(|flag| flag.key == flag_key);
    flag.map_or(Vec::new(), |flag| suspicions(snapshot, flag))
}

fn suspicions(snapshot: &Snapshot, flag: &snapshot::Flag) -> Vec<Warning> {
    let segments = snapshot.segments.iter();
    let segments: HashSet<_> = segments.map(|one| one.key.as_str()).collect();
    let mut warnings = Suspects::of_served(flag).warnings(&segments);
    warnings.extend(flag.state.iter().flat_map(lint::lint));
    warnings
}
