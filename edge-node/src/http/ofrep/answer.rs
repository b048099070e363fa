//! OFREP answers, joined from fragments that were rendered when the environment was prepared.

use protocol::{
    eval::{Context, Environment, Evaluation, Evaluator, FlagIndex},
    reason::Reason,
};

use super::Refusal;
use crate::{
    Edge,
    current::Served,
    http::{
        answer::{ENTRY, join, quoted, return_scratch, take_scratch},
        slices::Slices,
        whole::Whole,
    },
};

pub(super) const GENERAL: &str = "GENERAL";
pub(super) const WRONG_TYPE: &str = "a stored value does not have the type of the flag";

/// `{key, value, reason, variant}`, with `metadata` where the protocol's reason is less specific than ours.
///
/// Also the work that it took.
pub(super) async fn single(
    edge: &Edge,
    environment: &Served,
    flag_key: &str,
    context: &Context<'_>,
) -> (Result<Vec<u8>, Refusal>, u64) {
    let Some(flag) = environment.flag(flag_key) else {
        environment.count_unknown(flag_key);
        return (Err(Refusal::flag_not_found()), 0);
    };
    let mut scratch = take_scratch();
    let mut evaluator = Evaluator::new(environment, context, &mut scratch);
    let mut slices = Slices::new(edge, environment.head().org_id);
    slices.settle(environment, &mut evaluator, [flag]).await;
    let evaluation = evaluator.evaluate(flag);
    let work = evaluator.work();
    return_scratch(scratch);
    environment.count(flag, evaluation.reason);
    if evaluation.reason == Reason::Error {
        return (Err(Refusal::general()), work);
    }
    let mut answer = Vec::with_capacity(ENTRY);
    entry(&mut answer, environment.key_json(flag), &evaluation);
    (Ok(answer), work)
}

/// Every flag, a damaged value as an error entry of its own, and the event stream's URL if there is one.
pub(super) async fn bulk(
    mut whole: Whole<'_>,
    environment: &Served,
    context: &Context<'_>,
    stream_url: Option<&str>,
) -> Vec<u8> {
    let mut answer = Vec::with_capacity(ENTRY * (environment.len() + 4));
    join(&mut answer, ["{\"flags\":["]);
    let member = |flag: FlagIndex, evaluation: &Evaluation<'_>| {
        if flag.position() > 0 {
            answer.push(b',');
        }
        member(&mut answer, environment, flag, evaluation);
    };
    whole.each(environment, context, member).await;
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
    answer
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
        join(answer, ["\",\"errorDetails\":\"", WRONG_TYPE, "\"}"]);
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
