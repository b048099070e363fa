//! What a context would get with the set.

use harness::Setup;
use serde_json::{Value, json};

use super::{are_on, draft, step, with_flags};

#[tokio::test]
async fn answers_are_told_before_and_after_also_of_flags_that_the_set_does_not_name() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let dependent = json!({"flags": [
        {"key": "base", "name": "Base", "states": {"dev": {"enabled": true}}},
        {"key": "dependent", "name": "Dependent", "prerequisites": ["checkout"], "states": {"dev": {"enabled": true}}},
    ]});
    owner
        .act(&format!("/v1/projects/{}/content", project.id), dependent)
        .await;
    let changes = json!({
        "segments": [{"key": "beta", "rules": [{"attribute": "plan", "operator": "eq", "values": ["free"]}]}],
        "flags": [
            {"key": "checkout", "states": {"dev": {"enabled": true, "rules": [{"segment_keys": ["beta"], "value": true}]}}},
            {"key": "payment", "states": {"dev": {"enabled": false}}},
        ],
    });
    let set = draft(owner, &project.id, changes).await;
    let question = json!({
        "env_id": "dev", "context": {"key": "u", "attributes": {"plan": "free"}}, "flag_key": "checkout",
    });
    let told = step(owner, &set, "explain", question).await;
    told.expect_status(200);
    let answer =
        |value: Value, reason: &str| json!({"value": value, "reason": reason, "variant_key": ""});
    let off = || answer(json!(false), "DISABLED");
    let answers = &told.body["answers"];
    assert_eq!(
        answers[0],
        json!({
            "flag_key": "checkout", "differs": true, "before": off(),
            "after": answer(json!(true), "TARGETED"),
        })
    );
    assert_eq!(answers[1]["flag_key"], "dependent");
    assert_eq!(answers[1]["differs"], true);
    assert_eq!(
        answers[2],
        json!({"flag_key": "payment", "differs": false, "before": off(), "after": off()})
    );
    assert_eq!(answers.as_array().unwrap().len(), 3);
    assert_eq!(told.body["explanation"]["before"]["decided_by"], "enabled");
    assert_eq!(
        told.body["explanation"]["after"]["rules"][0]["matched"],
        true
    );
    assert_eq!(are_on(&setup, "dev").await, [false, false]);
}

#[tokio::test]
async fn a_question_without_an_environment_or_a_context_is_400() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let changes =
        json!({"flags": [{"key": "checkout", "archived": true}, {"key": "new", "name": "New"}]});
    let set = draft(owner, &project.id, changes).await;
    let context = json!({"key": "u"});
    for (body, status, words) in [
        (json!({"context": context}), 400, "env_id is required"),
        (json!({"env_id": "dev"}), 400, "context is required"),
        (
            json!({"env_id": "dev", "context": {}}),
            400,
            "context.key is required",
        ),
        (
            json!({"env_id": "none", "context": context}),
            404,
            "environment not found",
        ),
    ] {
        step(owner, &set, "explain", body)
            .await
            .expect_error(status, words);
    }
    let told = step(
        owner,
        &set,
        "explain",
        json!({"env_id": "dev", "context": context}),
    )
    .await;
    assert_eq!(told.body["explanation"], Value::Null);
    let answers = &told.body["answers"];
    assert_eq!(
        answers[0]["after"],
        json!({"value": null, "reason": "NOT_FOUND", "variant_key": ""})
    );
    assert_eq!(answers[1]["before"]["reason"], "NOT_FOUND");
}
