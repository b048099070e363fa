//! The prepared form of an environment, and the engine that answers from it (`docs/evaluation.md` has the rules).
//!
//! Everything that can fail or takes time happens when an environment is prepared; [`evaluate`] is a pure function that
//! cannot fail, takes no lock, and in steady state allocates nothing. Its work is counted in steps that depend on the
//! question alone, and bounded.

mod answer;
mod attribute;
mod bucket;
mod changes;
mod condition;
mod context;
mod draft;
mod engine;
mod environment;
mod evaluator;
mod explain;
mod fingerprint;
mod flag;
mod gate;
mod instant;
mod key_index;
mod links;
mod name;
mod number;
mod observer;
mod parts;
mod patterns;
mod predicate;
mod prepare;
mod scratch;
mod segment;
mod text;
mod version;
mod weight;

pub use answer::Answer;
pub use attribute::{Attribute, Attributes};
pub use context::{Context, LimitError};
pub use environment::{Environment, FlagIndex};
pub use evaluator::Evaluator;
pub use explain::{
    Buckets, Contest, ExplainedCondition, ExplainedPrerequisite, ExplainedResult, ExplainedRule,
    ExplainedSegment, ExplainedStep, Explanation, explain,
};
pub use patterns::MAX_PATTERN_BYTES;
pub use predicate::is_comparable;
pub use scratch::Scratch;

use self::name::Name;
use crate::reason::Reason;

/// Structural damage: contents that no environment can have. Anything less is prepared into something that never
/// matches.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrepareError {
    /// Two flags have the same key.
    #[error("flag {0:?} occurs twice")]
    DuplicateFlag(String),
    /// Two segments have the same key.
    #[error("segment {0:?} occurs twice")]
    DuplicateSegment(String),
    /// A value of the flag is not JSON.
    #[error("a value of flag {0:?} is not JSON")]
    Value(String),
}

/// The answer to one evaluation, in pieces ready to be joined into a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Evaluation<'e> {
    /// The value as JSON.
    pub value_json: &'e str,
    /// Why.
    pub reason: Reason,
    /// The variant served.
    variant: Option<&'e Name>,
    /// The number of this answer among those that the flag can give, see [`Environment::answer`].
    pub answer: u32,
    /// Whether testing the rules took more work than it may, which is one of the two cases of [`Reason::Error`].
    pub is_spent: bool,
}

impl<'e> Evaluation<'e> {
    /// The answer for a key that no flag has.
    pub const NOT_FOUND: Evaluation<'static> =
        Evaluation::without_variant("null", Reason::NotFound, 0);

    const fn without_variant(value_json: &'e str, reason: Reason, answer: u32) -> Self {
        Self {
            value_json,
            reason,
            variant: None,
            answer,
            is_spent: false,
        }
    }

    /// The variant served; empty unless the reason is [`Reason::Variant`].
    #[must_use]
    pub fn variant_key(&self) -> &'e str {
        self.variant.map_or("", Name::as_str)
    }

    /// The variant as a JSON string, quotes included.
    #[must_use]
    pub fn variant_key_json(&self) -> &'e str {
        self.variant.map_or("\"\"", Name::json)
    }
}

/// Evaluates one flag for one context; [`Evaluator`] is for several. An index of another version of the environment does no harm: the answer is that
/// of some flag, or [`Evaluation::NOT_FOUND`].
#[must_use]
#[inline]
pub fn evaluate<'e>(
    env: &'e Environment,
    flag: FlagIndex,
    context: &Context<'_>,
    scratch: &mut Scratch,
) -> Evaluation<'e> {
    scratch.begin();
    engine::decide(env, flag.0, context, scratch, &mut observer::Silent)
}
