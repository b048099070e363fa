//! Explains why a flag serves what it does: evaluates it with the edges' engine, and reports the steps.

mod document;
mod input;
pub mod routes;

use protocol::eval::{self, Environment, Explanation, PrepareError, Scratch};
use time::OffsetDateTime;

use self::input::Question;
use super::{model::Flag, states::input::StatePatch};
use crate::{input::Invalid, publish::Whole, unit::Wish};

/// Why nothing was explained.
#[derive(Debug, thiserror::Error)]
enum ExplainError {
    #[error(transparent)]
    Invalid(#[from] Invalid),
    #[error(transparent)]
    Prepare(#[from] PrepareError),
}

/// A state to try out in place of the stored one.
struct Draft {
    flag: Flag,
    patch: StatePatch,
}

/// Slow: prepares the whole environment, and compiles the draft's regular expressions.
fn explain(
    mut whole: Whole,
    question: &Question,
    draft: Option<Draft>,
    now: OffsetDateTime,
) -> Result<Explanation, ExplainError> {
    if let Some(Draft { flag, patch }) = draft {
        let state = patch.check(flag.flag_type, now)?.apply(&None);
        let flags = &mut whole.snapshot.flags;
        if let Some(compiled) = flags
            .iter_mut()
            .find(|other| other.key == flag.key.as_str())
        {
            compiled.state = Some(state.compile());
        }
    }
    let environment = Environment::prepare(&whole.snapshot)?;
    Ok(eval::explain(
        &environment,
        &whole.snapshot,
        &question.flag_key,
        &question.context,
        &mut Scratch::new(),
    ))
}
