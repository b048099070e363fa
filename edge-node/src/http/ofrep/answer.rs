//! OFREP answers, joined from fragments that were rendered when the environment was prepared.

use protocol::{
    eval::{Context, Environment, Evaluation, Evaluator, FlagIndex},
    reason::Reason,
};

use super::Refusal;
use crate::{
    current::Served,
    http::{
        answer::{ENTRY, join, quoted, return_scratch, take_scratch},
        defaults::Fallback,
        slices::{Slices, Stopped},
        whole::Whole,
    },
    what_if::AskedFor,
};

pub(super) const GENERAL: &str = "GENERAL";

/// `{key, value, reason, variant}`, with `metadata` where the protocol's reason is less specific than ours.
pub(super) async fn single(
    environment: &Served,
    slices: &mut Slices<'_>,
    flag_key: &str,
    context: &Context<'_>,
    fallback: Option<Box<Fallback>>,
) -> Result<Vec<u8>, Refusal> {
    let Some(flag) = environment.flag(flag_key) else {
        environment.count_unknown(flag_key);
        return Err(Refusal::flag_not_found());
    };
    let mut scratch = take_scratch();
    let mut evaluator = Evaluator::new(environment, context, &mut scratch);
    // Nearly always there is nothing to wait for, and no future is made.
    if environment.reach(flag) > 0 {
        slices.settle(environment, &mut evaluator, [flag]).await?;
    }
    let evaluation = match slices.at_once(&mut evaluator, flag, |evaluation| *evaluation) {
        Some(evaluation) => evaluation,
        None => slices.later(&mut evaluator, flag).await?,
    };
    return_scratch(scratch);
    environment.count(flag, &evaluation);
    let asked = AskedFor::One(flag_key);
    slices.edge().answered(environment, asked, context);
    if let Some(fallback) = fallback {
        fallback.note(slices.edge(), environment, flag_key, evaluation.value_json);
    }
    if evaluation.reason == Reason::Error {
        return Err(Refusal::general(why(&evaluation)));
    }
    let mut answer = Vec::with_capacity(ENTRY);
    entry(&mut answer, environment.key_json(flag), &evaluation);
    Ok(answer)
}

/// Every flag, a damaged value as an error entry of its own, and the event stream's URL if there is one.
pub(super) async fn bulk(
    whole: Whole<'_>,
    context: &Context<'_>,
    stream_url: Option<&str>,
) -> Result<Vec<u8>, Stopped> {
    let environment = whole.environment;
    let mut answer = Vec::with_capacity(ENTRY * (environment.len() + 4));
    join(&mut answer, ["{\"flags\":["]);
    let member = |flag: FlagIndex, evaluation: &Evaluation<'_>| {
        if flag.position() > 0 {
            answer.push(b',');
        }
        member(&mut answer, environment, flag, evaluation);
    };
    whole.each(context, member).await?;
    let version = environment.head().version.to_string();
    join(&mut answer, ["],\"metadata\":{\"version\":", &version, "}"]);
    if let Some(url) = stream_url {
        join(
            &mut answer,
            [
                ",\"eventStreams\":[{\"type\":\"sse\",\"url\":",
                &quoted(url),
                "}]",
            ],
        );
    }
    answer.push(b'}');
    Ok(answer)
}

/// Why an evaluation is an error.
const fn why(evaluation: &Evaluation<'_>) -> &'static str {
    if evaluation.is_spent {
        "testing the rules of the flag takes more work than an evaluation may"
    } else {
        "a stored value does not have the type of the flag"
    }
}

fn member(
    answer: &mut Vec<u8>,
    environment: &Environment,
    flag: FlagIndex,
    evaluation: &Evaluation<'_>,
) {
    let key_json = environment.key_json(flag);
    if evaluation.reason == Reason::Error {
        join(
            answer,
            ["{\"key\":", key_json, ",\"errorCode\":\"", GENERAL],
        );
        join(answer, ["\",\"errorDetails\":\"", why(evaluation), "\"}"]);
    } else {
        entry(answer, key_json, evaluation);
    }
}

fn entry(answer: &mut Vec<u8>, key_json: &str, evaluation: &Evaluation<'_>) {
    let Evaluation { value_json, .. } = *evaluation;
    join(answer, ["{\"key\":", key_json, ",\"value\":", value_json]);
    if evaluation.reason == Reason::Variant {
        let variant = evaluation.variant_key_json();
        join(answer, [",\"reason\":\"SPLIT\",\"variant\":", variant, "}"]);
    } else {
        join(answer, [end(evaluation.reason, value_json)]);
    }
}

/// How an answer without a variant of its own ends, in one piece: the protocol's name for the reason, a variant, since SDKs expect
/// one, and our reason where the protocol's is less specific. Reasons that are errors never get here.
fn end(reason: Reason, value_json: &str) -> &'static str {
    macro_rules! end {
        ($reason:literal $(, $metadata:literal)?) => {
            match value_json {
                "true" => concat!(",\"reason\":\"", $reason, "\",\"variant\":\"on\"", $($metadata,)? "}"),
                "false" => concat!(",\"reason\":\"", $reason, "\",\"variant\":\"off\"", $($metadata,)? "}"),
                _ => concat!(",\"reason\":\"", $reason, "\",\"variant\":\"default\"", $($metadata,)? "}"),
            }
        };
    }
    match reason {
        Reason::Targeted => end!("TARGETING_MATCH"),
        Reason::Rollout | Reason::Variant => end!("SPLIT"),
        Reason::Disabled => end!("DISABLED"),
        Reason::Fallthrough => end!("DEFAULT"),
        Reason::PrerequisiteFailed => {
            end!(
                "DEFAULT",
                ",\"metadata\":{\"reason\":\"PREREQUISITE_FAILED\"}"
            )
        }
        Reason::MutuallyExcluded => {
            end!(
                "DEFAULT",
                ",\"metadata\":{\"reason\":\"MUTUALLY_EXCLUDED\"}"
            )
        }
        Reason::NotFound | Reason::Error => end!("ERROR"),
    }
}
