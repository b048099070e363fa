//! Answers, joined from fragments that were rendered when the environment was prepared. Each answer is counted where it
//! is made.

use std::cell::Cell;

use protocol::{
    eval::{Context, Evaluation, Evaluator, FlagIndex, Scratch},
    reason::Reason,
};

use super::{
    defaults::Fallback,
    request::Text,
    slices::{Slices, Stopped},
    whole::Whole,
};
use crate::{Edge, current::Served, what_if::AskedFor};

/// Room for one entry: most values are short.
pub(super) const ENTRY: usize = 128;

thread_local! {
    static SCRATCH: Cell<Option<Box<Scratch>>> = const { Cell::new(None) };
}

/// `{flag_key, value, reason, variant_key}`.
pub(super) async fn single(
    environment: &Served,
    slices: &mut Slices<'_>,
    flag_key: &str,
    context: &Context<'_>,
    fallback: Option<Box<Fallback>>,
) -> Result<Vec<u8>, Stopped> {
    let mut answer = Vec::with_capacity(ENTRY);
    let mut write = |key_json: &str, evaluation: &Evaluation<'_>| {
        entry(&mut answer, key_json, evaluation);
        let variant_key_json = evaluation.variant_key_json();
        join(&mut answer, [",\"variant_key\":", variant_key_json, "}"]);
    };
    let Some(flag) = environment.flag(flag_key) else {
        environment.count_unknown(flag_key);
        write(&quoted(flag_key), &Evaluation::NOT_FOUND);
        return Ok(answer);
    };
    let edge = slices.edge();
    let mut then = |evaluation: &Evaluation<'_>| {
        environment.count(flag, evaluation);
        if let Some(fallback) = &fallback {
            fallback.note(edge, environment, flag_key, evaluation.value_json);
        }
        write(environment.key_json(flag), evaluation);
    };
    let mut scratch = take_scratch();
    let mut evaluator = Evaluator::new(environment, context, &mut scratch);
    // Nearly always there is nothing to wait for, and no future is made.
    if environment.reach(flag) > 0 {
        slices.settle(environment, &mut evaluator, [flag]).await?;
    }
    if slices.at_once(&mut evaluator, flag, &mut then).is_none() {
        then(&slices.later(&mut evaluator, flag).await?);
    }
    return_scratch(scratch);
    edge.answered(environment, AskedFor::One(flag_key), context);
    Ok(answer)
}

/// A map from key to `{flag_key, value, reason}`; duplicates collapse.
pub(super) async fn bulk(
    environment: &Served,
    slices: &mut Slices<'_>,
    flag_keys: &[Text<'_>],
    context: &Context<'_>,
) -> Result<Vec<u8>, Stopped> {
    let asked: Vec<Option<FlagIndex>> = flag_keys
        .iter()
        .map(|Text(flag_key)| environment.flag(flag_key))
        .collect();
    let mut scratch = take_scratch();
    let mut evaluator = Evaluator::new(environment, context, &mut scratch);
    let flags = asked.iter().flatten().copied();
    slices.settle(environment, &mut evaluator, flags).await?;

    note_asked(environment, slices.edge(), &asked, context);
    let mut answer = Vec::with_capacity(2 + flag_keys.len() * ENTRY);
    answer.push(b'{');
    let mut known = Seen::among(environment.len());
    // At most a hundred keys: scanning a list is faster than hashing.
    let mut unknown: Vec<&str> = Vec::new();
    let mut keys = flag_keys.iter().zip(asked);
    loop {
        let later = {
            let counting = environment.counting();
            keys.find_map(|(Text(flag_key), flag)| match flag {
                Some(flag) if known.again(flag) => None,
                Some(flag) => {
                    let then = |evaluation: &Evaluation<'_>| {
                        counting.add(flag, evaluation.answer);
                        member(&mut answer, environment.key_json(flag), evaluation);
                    };
                    let done = slices.at_once(&mut evaluator, flag, then);
                    done.is_none().then_some(flag)
                }
                None if unknown.contains(&&**flag_key) => None,
                None => {
                    unknown.push(flag_key);
                    environment.count_unknown(flag_key);
                    member(&mut answer, &quoted(flag_key), &Evaluation::NOT_FOUND);
                    None
                }
            })
        };
        let Some(flag) = later else {
            break;
        };
        let evaluation = slices.later(&mut evaluator, flag).await?;
        environment.count(flag, &evaluation);
        member(&mut answer, environment.key_json(flag), &evaluation);
    }
    answer.push(b'}');
    return_scratch(scratch);
    Ok(answer)
}

/// A request for several flags may become a sample.
fn note_asked(
    environment: &Served,
    edge: &Edge,
    asked: &[Option<FlagIndex>],
    context: &Context<'_>,
) {
    if asked.iter().any(Option::is_some) && edge.is_sampled(environment) {
        let mut known = Seen::among(environment.len());
        let flags = asked.iter().flatten().filter(|flag| !known.again(**flag));
        let mut keys = flags.map(|flag| environment.key(*flag));
        edge.answered(environment, AskedFor::Some(&mut keys), context);
    }
}

/// Flags that were met, a bit for each of the environment.
struct Seen(Box<[u64]>);

impl Seen {
    fn among(flags: usize) -> Self {
        Self(vec![0; flags.div_ceil(64)].into())
    }

    /// Whether it was met before.
    fn again(&mut self, flag: FlagIndex) -> bool {
        let (word, bit) = (flag.position() / 64, 1 << (flag.position() % 64));
        let was_met = self.0[word] & bit != 0;
        self.0[word] |= bit;
        was_met
    }
}

/// A flat map from the key of every flag to its value.
pub(super) async fn values(whole: Whole<'_>, context: &Context<'_>) -> Result<Vec<u8>, Stopped> {
    let environment = whole.environment;
    let mut answer = Vec::with_capacity(2 + environment.len() * ENTRY / 2);
    answer.push(b'{');
    let member = |flag: FlagIndex, evaluation: &Evaluation<'_>| {
        separate(&mut answer);
        let key_json = environment.key_json(flag);
        join(&mut answer, [key_json, ":", evaluation.value_json]);
    };
    whole.each(context, member).await?;
    answer.push(b'}');
    Ok(answer)
}

fn member(answer: &mut Vec<u8>, key_json: &str, evaluation: &Evaluation<'_>) {
    separate(answer);
    join(answer, [key_json, ":"]);
    entry(answer, key_json, evaluation);
    answer.push(b'}');
}

/// An object with the three members that all answers have, left open.
fn entry(answer: &mut Vec<u8>, key_json: &str, evaluation: &Evaluation<'_>) {
    let Evaluation {
        value_json, reason, ..
    } = *evaluation;
    join(
        answer,
        [
            "{\"flag_key\":",
            key_json,
            ",\"value\":",
            value_json,
            member_json(reason),
        ],
    );
}

/// The reason as a member of an object, in one piece.
const fn member_json(reason: Reason) -> &'static str {
    match reason {
        Reason::NotFound => ",\"reason\":\"NOT_FOUND\"",
        Reason::Disabled => ",\"reason\":\"DISABLED\"",
        Reason::MutuallyExcluded => ",\"reason\":\"MUTUALLY_EXCLUDED\"",
        Reason::PrerequisiteFailed => ",\"reason\":\"PREREQUISITE_FAILED\"",
        Reason::Targeted => ",\"reason\":\"TARGETED\"",
        Reason::Rollout => ",\"reason\":\"ROLLOUT\"",
        Reason::Variant => ",\"reason\":\"VARIANT\"",
        Reason::Fallthrough => ",\"reason\":\"FALLTHROUGH\"",
        Reason::Error => ",\"reason\":\"ERROR\"",
    }
}

pub(super) fn separate(answer: &mut Vec<u8>) {
    if answer.len() > 1 {
        answer.push(b',');
    }
}

// In line, so that texts that are known when this is built are not copied by a call.
#[inline(always)]
pub(super) fn join<const N: usize>(answer: &mut Vec<u8>, parts: [&str; N]) {
    answer.reserve(parts.iter().map(|part| part.len()).sum());
    parts
        .iter()
        .for_each(|part| answer.extend_from_slice(part.as_bytes()));
}

pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a text is always JSON")
}

/// The scratch space of this thread, for an answer that may await and go on on another thread. An answer that is begun
/// meanwhile starts with an empty one.
pub(super) fn take_scratch() -> Box<Scratch> {
    SCRATCH.take().unwrap_or_default()
}

/// Leaves the space to the thread that made the answer last.
pub(super) fn return_scratch(scratch: Box<Scratch>) {
    SCRATCH.set(Some(scratch));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_spelled_as_everywhere() {
        for reason in Reason::ALL {
            let member = format!(",\"reason\":\"{reason}\"");
            assert_eq!(member_json(reason), member);
        }
    }
}
