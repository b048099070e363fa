//! Refusals: each with its body and its headers.

use super::{assert_each, items, members, referred_to};

/// The bodies of refusals.
const BODIES: [&str; 8] = [
    "ConflictsErrorBody",
    "ErrorBody",
    "GuardedErrorBody",
    "MovedErrorBody",
    "OutdatedErrorBody",
    "ProblemsErrorBody",
    "ScimErrorBody",
    "OfrepFailure",
];

#[test]
fn every_refusal_has_a_body_in_words() {
    assert_each(|operation| {
        let answers = members(&operation.says["responses"]);
        let mut refusals = answers.filter(|(status, _)| status.as_str() >= "400");
        let silent = refusals.find(|(_, answer)| {
            let mut schemas = members(&answer["content"]).map(|(_, content)| &content["schema"]);
            !schemas.any(|schema| referred_to(schema).is_some_and(|name| BODIES.contains(&name)))
        });
        silent.map(|(status, _)| format!("{status} has no body"))
    });
}

#[test]
fn every_operation_that_asks_for_credentials_refuses_wrong_ones_and_too_many_requests() {
    assert_each(|operation| {
        let is_public = items(&operation.says["security"])
            .flat_map(members)
            .next()
            .is_none();
        let refuses = |status| operation.says["responses"].get(status).is_some();
        (!is_public && (!refuses("401") || !refuses("429")))
            .then(|| "401 or 429 is missing".to_owned())
    });
}

#[test]
fn every_body_that_is_read_can_be_refused() {
    assert_each(|operation| {
        let takes_body = operation.says.get("requestBody").is_some();
        // Where only our own pages may call, another type is not theirs.
        let is_of_pages = operation.says["responses"]["200"]["headers"]["Set-Cookie"].is_object();
        let wrong_type = if is_of_pages { "403" } else { "415" };
        let wanted = ["400", "408", "413", wrong_type];
        let missing = wanted
            .iter()
            .find(|status| operation.says["responses"].get(**status).is_none());
        missing
            .filter(|_| takes_body)
            .map(|status| format!("{status} is missing"))
            .or_else(|| {
                let refuses_type = operation.says["responses"].get("415").is_some();
                (is_of_pages && refuses_type).then(|| "415 is not what happens".to_owned())
            })
    });
}

#[test]
fn whoever_has_to_wait_is_told_for_how_long() {
    assert_each(|operation| {
        let silent = ["429", "503"].into_iter().find(|status| {
            let answer = &operation.says["responses"][*status];
            answer.is_object() && answer["headers"].get("Retry-After").is_none()
        });
        silent.map(|status| format!("{status} has no Retry-After"))
    });
}

#[test]
fn the_rate_is_reported_wherever_there_is_one() {
    assert_each(|operation| {
        let is_rated = operation.says["responses"].get("429").is_some();
        let silent = members(&operation.says["responses"]).find(|(status, answer)| {
            let is_told = status.starts_with('2') || *status == "429";
            is_told && answer["headers"].get("X-RateLimit-Remaining").is_none()
        });
        silent
            .filter(|_| is_rated)
            .map(|(status, _)| format!("{status} does not report the rate"))
    });
}

#[test]
fn every_answer_is_described() {
    assert_each(|operation| {
        let mut answers = members(&operation.says["responses"]);
        let silent =
            answers.find(|(_, answer)| answer["description"].as_str().is_none_or(str::is_empty));
        silent.map(|(status, _)| format!("{status} is not described"))
    });
}
