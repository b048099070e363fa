//! `warnings` in the bodies of writes.

use serde_json::json;

use super::{misspelt, with_flag};

const PERCENT: &str = "25 is 0.25 %, and 2500 is 25 %";

#[tokio::test]
async fn unknown_fields_are_warnings_in_the_body_of_a_write() {
    let (setup, state) = with_flag().await;
    let body = json!({"enabled": true, "percentageRollout": 2_500, "colour": 1, "colour ": 1});
    let changed = setup.owner.change(&state, body).await;
    let unknown =
        |place: &str| json!({"place": place, "message": format!("unknown field {place}")});
    let listed = json!([
        unknown("colour"),
        unknown("colour%20"),
        misspelt("percentageRollout", "percentage_rollout"),
    ]);
    assert_eq!(changed.body["warnings"], listed);
    let named = changed.header("x-ignored-fields");
    assert_eq!(named, "colour,colour%20,percentageRollout");
    assert!(!changed.headers.contains_key("x-warnings"));
    assert_eq!(changed.body["enabled"], true);
    for name in ["etag", "x-snapshot-version"] {
        assert!(changed.headers.contains_key(name), "{name}");
    }
}

#[tokio::test]
async fn warnings_about_the_state_follow_those_about_fields() {
    let (setup, state) = with_flag().await;
    let body = json!({"percentage_rollout": 25, "enable": true});
    let changed = setup.owner.change(&state, body).await;
    let percent = json!({"place": "percentage_rollout", "message": PERCENT});
    let listed = json!([misspelt("enable", "enabled"), percent]);
    assert_eq!(changed.body["warnings"], listed);
    let told = changed.header("x-warnings");
    assert_eq!(told, format!("percentage_rollout: {PERCENT}"));
}

#[tokio::test]
async fn a_body_without_warnings_has_no_such_member() {
    let (setup, state) = with_flag().await;
    let changed = setup.owner.change(&state, json!({"enabled": true})).await;
    assert_eq!(changed.body.get("warnings"), None);
    // Nor has what is read.
    let shown = setup.owner.get(&format!("{state}?limt=1")).await;
    assert_eq!(shown.body.get("warnings"), None);
    assert_eq!(shown.header("x-ignored-fields"), "?limt");
}

#[tokio::test]
async fn a_write_without_a_token_lists_unknown_fields_too() {
    let (setup, _) = with_flag().await;
    let password = harness::user::PASSWORD;
    let login = json!({"email": setup.owner.email, "password": password, "remember": true});
    let login = setup.app.anonymous().act("/v1/auth/login", login).await;
    let unknown = json!([{"place": "remember", "message": "unknown field remember"}]);
    assert_eq!(login.body["warnings"], unknown);
}

#[tokio::test]
async fn a_refusal_and_an_empty_answer_have_headers_alone() {
    let (setup, _) = with_flag().await;
    let flags = setup.flags();
    let refused = setup.owner.post(&flags, json!({"nmae": "G"})).await;
    refused.expect_error(400, "key and name are required");
    assert_eq!(refused.header("x-ignored-fields"), "nmae");
}

#[tokio::test]
async fn an_explanation_keeps_its_own_warnings() {
    let (setup, state) = with_flag().await;
    let env_id = state.rsplit('/').next().unwrap();
    let question = json!({
        "project_id": setup.project.id, "env_id": env_id, "flag_key": "f", "context": {"key": "u"},
        "state": {"percentage_rollout": 25, "enable": true},
    });
    let told = setup.owner.act("/v1/explain", question).await;
    let percent = json!([{"place": "percentage_rollout", "message": PERCENT}]);
    assert_eq!(told.body["warnings"], percent);
    assert_eq!(told.header("x-ignored-fields"), "state.enable");
}
