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
        slices::{Slices, Stopped},
        whole::Whole,
    },
};

pub(super) const GENERAL: &str = "GENERAL";

/// `{key, value, reason, variant}`, with `metadata` where the protocol's reason is less specific than ours.
pub(super) async fn single(
    environment: &Served,
    mut slices: Slices<'_>,
    flag_key: &str,
    context: &Context<'_>,
) -> Result<Vec<u8>, Refusal> {
    let Some(flag) = environment.flag(flag_key) else {
        environment.count_unknown(flag_key);
        return Err(Refusal::flag_not_found());
    };
    let mut scratch = take_scratch();
    let mut evaluator = Evaluator::new(environment, context, &mut scratch);
    slices.settle(environment, &mut evaluator, [flag]).await?;
    let evaluation = slices.evaluate(&mut evaluator, flag).await?;
    return_scratch(scratch);
    environment.count(flag, &evaluation);
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
    join(answer, [",\"reason\":\"", reason(evaluation.reason)]);
    join(answer, ["\",\"variant\":", variant_json(evaluation)]);
    if matches!(
        evaluation.reason,
        Reason::PrerequisiteFailed | Reason::MutuallyExcluded
    ) {
        let native = evaluation.reason.as_str();
        join(answer, [",\"metadata\":{\"reason\":\"", native, "\"}"]);
    }
    answer.push(b'}');
}

/// The protocol's name for a reason; reasons that are errors never get here.
const fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Targeted => "TARGETING_MATCH",
        Reason::Rollout | Reason::Variant => "SPLIT",
        Reason::Disabled => "DISABLED",
        Reason::Fallthrough | Reason::PrerequisiteFailed | Reason::MutuallyExcluded => "DEFAULT",
        Reason::NotFound | Reason::Error => "ERROR",
    }
}

/// Every answer names a variant, since SDKs expect one.
fn variant_json<'e>(evaluation: &Evaluation<'e>) -> &'e str {
    match (evaluation.reason, evaluation.value_json) {
        (Reason::Variant, _) => evaluation.variant_key_json,
        (_, "true") => "\"on\"",
        (_, "false") => "\"off\"",
        _ => "\"default\"",
    }
}
