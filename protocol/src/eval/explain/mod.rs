//! Why an evaluation gave its answer: the engine's own steps, recorded.
//!
//! Shapes and names are those of the management API's `POST /v1/explain`. Parts that were not reached are empty or
//! absent.

mod recorder;
mod words;

use serde::Serialize;
use serde_json::{Value, value::RawValue};

use super::{Environment, Evaluation, context::Context, engine, scratch::Scratch};
use crate::{reason::Reason, snapshot::Snapshot};

/// An evaluation with its reasons.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// What the evaluation answers.
    pub result: ExplainedResult,
    /// Name of the deciding step, which is the last of `steps`.
    pub decided_by: &'static str,
    /// The rule whose value was served.
    pub rule_id: Option<String>,
    /// The checks made, in order. Checks that do not apply to the flag are left out.
    pub steps: Vec<ExplainedStep>,
    /// The buckets that were used.
    pub buckets: Buckets,
    /// Prerequisites, direct and indirect, in the order in which they were decided.
    pub prerequisites: Vec<ExplainedPrerequisite>,
    /// The contest of the flag's mutual exclusion group.
    pub mutex: Option<Contest>,
    /// The rules that were tried, in order.
    pub rules: Vec<ExplainedRule>,
}

/// The answer itself.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedResult {
    /// The key asked for.
    pub flag_key: String,
    /// The value.
    pub value: Box<RawValue>,
    /// Why.
    pub reason: Reason,
    /// The variant, or empty.
    pub variant_key: String,
}

/// One check.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedStep {
    /// Its name.
    pub step: &'static str,
    /// `passed`, or `decided` for the last one.
    pub outcome: &'static str,
    /// A sentence for the reader.
    pub detail: &'static str,
}

/// Buckets, 0 to 9,999, of the three seeds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Buckets {
    /// For rule percentages and the rollout.
    pub rollout: Option<u16>,
    /// For the contest.
    pub mutex: Option<u16>,
    /// For the variants.
    pub variant: Option<u16>,
}

/// A prerequisite that was evaluated.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainedPrerequisite {
    /// Its key.
    pub flag_key: String,
    /// Whether it lets the flag pass.
    pub met: bool,
    /// Why it gave its answer.
    pub reason: Reason,
    /// Its answer.
    pub value: Box<RawValue>,
}

/// A mutual exclusion contest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Contest {
    /// Name of the group.
    pub group: String,
    /// Key of the winning flag.
    pub winner: Option<String>,
    /// Keys of the enabled flags of the group.
    pub members: Vec<String>,
}

/// A rule that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedRule {
    /// Its id.
    pub id: String,
    /// Whether segments and conditions match.
    pub matched: bool,
    /// Whether its percentage admits the context; absent if it did not match.
    pub admitted: Option<bool>,
    /// Its conditions.
    pub conditions: Vec<ExplainedCondition>,
    /// Its segments.
    pub segments: Vec<ExplainedSegment>,
}

/// A condition of a rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedCondition {
    /// The attribute's name.
    pub attribute: String,
    /// The operator, as stored.
    pub operator: String,
    /// The operands, as stored.
    pub values: Vec<String>,
    /// The attribute's value in the context; absent if missing.
    pub attribute_value: Option<Value>,
    /// Whether the attribute is absent or `null` in the context.
    pub missing: bool,
    /// The verdict.
    pub matched: bool,
}

/// A segment listed by a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExplainedSegment {
    /// Its key.
    pub key: String,
    /// Whether there is such a segment.
    pub exists: bool,
    /// Whether it matches.
    pub matched: bool,
}

/// Evaluates a flag as [`evaluate`](super::evaluate) does, and explains the answer. `snapshot` is what `env` was
/// prepared from, since the prepared form no longer has the authored texts.
#[must_use]
pub fn explain(
    env: &Environment,
    snapshot: &Snapshot,
    flag_key: &str,
    context: &Context<'_>,
    scratch: &mut Scratch,
) -> Explanation {
    let Some(flag) = env.flag(flag_key) else {
        return unknown(flag_key);
    };
    let mut recorder = recorder::Recorder::new(env, flag, snapshot, context);
    scratch.begin();
    let evaluation = engine::decide(env, flag.0, context, scratch, &mut recorder);
    recorder.finish(flag_key, &evaluation)
}

fn unknown(flag_key: &str) -> Explanation {
    let step = ExplainedStep {
        step: "flag_exists",
        outcome: "decided",
        detail: "the project has no such flag",
    };
    Explanation {
        result: ExplainedResult::new(flag_key, &Evaluation::NOT_FOUND),
        decided_by: step.step,
        rule_id: None,
        steps: vec![step],
        buckets: Buckets::default(),
        prerequisites: Vec::new(),
        mutex: None,
        rules: Vec::new(),
    }
}

impl ExplainedResult {
    fn new(flag_key: &str, evaluation: &Evaluation<'_>) -> Self {
        Self {
            flag_key: flag_key.to_owned(),
            value: raw(evaluation.value_json),
            reason: evaluation.reason,
            variant_key: evaluation.variant_key().to_owned(),
        }
    }
}

fn raw(json: &str) -> Box<RawValue> {
    RawValue::from_string(json.to_owned()).expect("prepare refuses values that are not JSON")
}
