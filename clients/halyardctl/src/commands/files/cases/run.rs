//! Asks the engine what cases ask, and compares.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use files::project::Project;
use protocol::{
    eval::{Context, Environment, Evaluation, FlagIndex, Scratch, evaluate, explain},
    snapshot::Snapshot,
};
use serde::Deserialize;
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::{Case, Expect, Question, words};
use crate::api::Error;

/// What became of a case.
pub(in crate::commands::files) struct Outcome<'a> {
    pub(in crate::commands::files) case: &'a Case,
    /// Why it failed, if it did.
    pub(in crate::commands::files) failure: Option<Failure>,
    pub(in crate::commands::files) took: Duration,
}

/// An answer that is not as expected, in words.
pub(in crate::commands::files) struct Failure {
    pub(in crate::commands::files) expected: String,
    pub(in crate::commands::files) got: String,
    /// What the engine says of it, a line each.
    pub(in crate::commands::files) why: Vec<String>,
}

/// A flag in an environment as edges serve it.
struct Asked<'a> {
    snapshot: &'a Snapshot,
    environment: &'a Environment,
    flag: FlagIndex,
}

/// Runs cases, in their order. Every environment is prepared once, and once more for every time at which a schedule has made another
/// one of it.
///
/// # Errors
/// When an environment cannot be prepared.
pub(in crate::commands::files) fn run<'a>(
    project: &Project,
    cases: &[&'a Case],
    now: OffsetDateTime,
) -> Result<Vec<Outcome<'a>>, Error> {
    // Between two times at which something is due, an environment is the same.
    let mut alike: BTreeMap<(&str, Option<OffsetDateTime>), Vec<usize>> = BTreeMap::new();
    let mut due: BTreeMap<(&str, OffsetDateTime), Option<OffsetDateTime>> = BTreeMap::new();
    for (place, case) in cases.iter().enumerate() {
        let slug = &*case.environment;
        let at = case.at.unwrap_or(now);
        let next = due
            .entry((slug, at))
            .or_insert_with(|| project.next_due(slug, at));
        alike.entry((slug, *next)).or_default().push(place);
    }
    let mut outcomes: Vec<Option<Outcome<'a>>> = cases.iter().map(|_| None).collect();
    let mut scratch = Scratch::new();
    for ((slug, _), places) in alike {
        let at = places
            .first()
            .and_then(|place| cases[*place].at)
            .unwrap_or(now);
        let Some(snapshot) = project.snapshot(slug, 1, Vec::new(), at) else {
            continue;
        };
        let environment = Environment::prepare(&snapshot)
            .map_err(|why| Error::while_doing(&format!("the environment {slug}"), why))?;
        for place in places {
            let case = cases[place];
            let Some(flag) = environment.flag(&case.flag) else {
                continue;
            };
            let asked = Asked {
                snapshot: &snapshot,
                environment: &environment,
                flag,
            };
            let begun = Instant::now();
            let failure = failure(case, &asked, &mut scratch);
            outcomes[place] = Some(Outcome {
                case,
                failure,
                took: begun.elapsed(),
            });
        }
    }
    Ok(outcomes.into_iter().flatten().collect())
}

fn failure(case: &Case, asked: &Asked<'_>, scratch: &mut Scratch) -> Option<Failure> {
    match &case.question {
        Question::One(context) => one(case, asked, context, scratch),
        Question::Share { .. } => share(case, asked, scratch),
    }
}

fn one(case: &Case, asked: &Asked<'_>, context: &Value, scratch: &mut Scratch) -> Option<Failure> {
    // Reading cases has refused what is no context.
    let context = Context::deserialize(context).unwrap_or_default();
    let got = evaluate(asked.environment, asked.flag, &context, scratch);
    if case.expect.fits(&got) {
        return None;
    }
    let why = explain(
        asked.environment,
        asked.snapshot,
        &case.flag,
        &context,
        scratch,
    );
    Some(Failure {
        expected: case.expect.in_words(),
        got: case.expect.answer_in_words(&got),
        why: words::because(&why),
    })
}

fn share(case: &Case, asked: &Asked<'_>, scratch: &mut Scratch) -> Option<Failure> {
    let Question::Share {
        contexts,
        keys,
        attributes,
        percent,
        within,
    } = &case.question
    else {
        return None;
    };
    let given = json!({"key": "", "attributes": attributes});
    let mut context = Context::deserialize(&given).unwrap_or_default();
    let mut fitting = 0_u32;
    let mut answers: BTreeMap<String, u32> = BTreeMap::new();
    for number in 0..*contexts {
        context.key = format!("{keys}{number}").into();
        let got = evaluate(asked.environment, asked.flag, &context, scratch);
        if case.expect.fits(&got) {
            fitting += 1;
        }
        let words = words::answer(&got);
        match answers.get_mut(words.as_str()) {
            Some(count) => *count += 1,
            None => {
                answers.insert(words, 1);
            }
        }
    }
    let of_all = |count: u32| f64::from(count) * 100.0 / f64::from(*contexts);
    if (of_all(fitting) - percent).abs() <= *within {
        return None;
    }
    let mut answers: Vec<_> = answers.into_iter().collect();
    answers.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let why = answers.iter().take(5);
    let why = why
        .map(|(words, count)| format!("{count} got {words}"))
        .collect();
    let what = case.expect.in_words();
    Some(Failure {
        expected: format!("{percent} % of {contexts} contexts to get {what}, within {within}"),
        got: format!("{:.2} % ({fitting})", of_all(fitting)),
        why,
    })
}

impl Expect {
    fn fits(&self, got: &Evaluation<'_>) -> bool {
        let reason = self.reason.is_none_or(|reason| reason == got.reason);
        let variant = self.variant.as_ref();
        reason
            && variant.is_none_or(|variant| variant == got.variant_key())
            && self.value.as_ref().is_none_or(|value| {
                let got: Result<Value, _> = serde_json::from_str(got.value_json);
                got.is_ok_and(|got| same(value, &got))
            })
    }

    fn in_words(&self) -> String {
        let value = self.value.as_ref().map(|value| format!("value {value}"));
        let reason = self.reason.map(|reason| format!("reason {reason}"));
        let variant = self.variant.as_ref().map(|key| format!("variant {key:?}"));
        words::list([value, reason, variant])
    }

    /// An answer, as much of it as is asked for.
    fn answer_in_words(&self, got: &Evaluation<'_>) -> String {
        let variant = got.variant_key();
        let has_variant = self.variant.is_some() || !variant.is_empty();
        words::list([
            Some(format!("value {}", got.value_json)),
            Some(format!("reason {}", got.reason)),
            has_variant.then(|| format!("variant {variant:?}")),
        ])
    }
}

/// Compares numbers by value, so that 1 and 1.0 are equal, and everything else exactly.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let in_other = |name: &String, value| other.get(name).is_some_and(|of| same(value, of));
            one.len() == other.len() && one.iter().all(|(name, value)| in_other(name, value))
        }
        (one, other) => one == other,
    }
}
