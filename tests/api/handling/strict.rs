//! `Prefer: handling=strict`.

use reqwest::Method;
use serde_json::{Value, json};

use super::{applied, misspelt, prefer, with_flag};

const STRICT: &str = "handling=strict";
const PERCENT: &str = "25 is 0.25 %, and 2500 is 25 %";

/// A state whose percentage looks like percent.
fn doubtful() -> Value {
    json!({"enabled": true, "percentage_rollout": 25})
}

fn percent() -> Value {
    json!({"place": "percentage_rollout", "message": PERCENT})
}

fn in_words() -> String {
    format!("percentage_rollout: {PERCENT}")
}

#[tokio::test]
async fn an_unknown_field_is_refused_with_strict_handling_and_changes_nothing() {
    let (setup, state) = with_flag().await;
    let before = setup.app.contents().await;
    let body =
        json!({"enabled": true, "percentageRollout": 2_500, "x": 1, "percentage_rollout": 25});
    let refused = prefer(&setup, Method::PUT, &state, &body, STRICT).await;
    let field = misspelt("percentageRollout", "percentage_rollout");
    let unknown = json!({"place": "x", "message": "unknown field x"});
    refused.expect(
        400,
        json!({"error": field["message"], "warnings": [field, unknown]}),
    );
    assert_eq!(applied(&refused), None);
    assert_eq!(refused.header("x-ignored-fields"), "percentageRollout,x");
    assert_eq!(setup.app.contents().await, before);
}

#[tokio::test]
async fn a_warning_about_the_state_is_refused_with_strict_handling_and_changes_nothing() {
    let (setup, state) = with_flag().await;
    let before = setup.app.contents().await;
    let mut body = doubtful();
    body["rules"] = json!([{"segment_keys": ["beta"], "value": true}]);
    let refused = prefer(&setup, Method::PUT, &state, &body, STRICT).await;
    let segment =
        json!({"place": "rules[0].segment_keys", "message": "no segment has the key beta"});
    refused.expect(
        400,
        json!({"error": in_words(), "warnings": [percent(), segment]}),
    );
    assert_eq!(applied(&refused), None);
    assert_eq!(setup.app.contents().await, before);
    setup.owner.change(&state, body).await;
}

#[tokio::test]
async fn every_way_to_a_doubtful_state_is_refused_with_strict_handling() {
    let (setup, dev) = with_flag().await;
    let (owner, flag) = (&setup.owner, format!("{}/f", setup.flags()));
    owner.change(&dev, doubtful()).await;
    owner
        .change(&dev, json!({"enabled": false, "percentage_rollout": 0}))
        .await;
    let history = owner.get(&format!("{flag}/history")).await;
    let doubted = history.body["data"].as_array().unwrap().iter();
    let mut doubted = doubted.filter(|one| one["env_id"] == setup.project.dev.as_str());
    let version = doubted.next_back().unwrap()["version"].clone();

    let staging = format!("{flag}/environments/{}", setup.project.staging);
    owner.change(&staging, doubtful()).await;
    let env_id = &setup.project.dev;
    let asked = json!({"flag_key": "f", "env_id": env_id, "change_type": "update_state", "payload": doubtful()});
    let asked = owner.create("/v1/approvals", asked).await;
    let admin = setup.app.member(owner, "admin").await;
    let before = setup.app.contents().await;
    let promote = json!({"source_env_id": setup.project.staging, "target_env_id": env_id});
    let rollback = json!({"env_id": env_id, "version": version});
    let again = json!({"flag_key": "f", "env_id": env_id, "change_type": "update_state", "payload": doubtful()});
    let review = format!("/v1/approvals/{}/review", asked.text("/id"));
    for (user, path, body) in [
        (owner, format!("{flag}/promote"), promote),
        (owner, format!("{flag}/rollback"), rollback),
        (owner, "/v1/approvals".to_owned(), again),
        (&admin, review.clone(), json!({"action": "approve"})),
    ] {
        let request = user.request(Method::POST, &path).header("prefer", STRICT);
        let refused = user.send(request.json(&body)).await;
        refused.expect(400, json!({"error": in_words(), "warnings": [percent()]}));
    }
    assert_eq!(setup.app.contents().await, before);
    admin.act(&review, json!({"action": "approve"})).await;
}

#[tokio::test]
async fn what_warns_of_nothing_is_done_and_says_that_it_was_strict() {
    let (setup, state) = with_flag().await;
    let body = json!({"enabled": true});
    let changed = prefer(&setup, Method::PUT, &state, &body, STRICT).await;
    changed.expect_status(200);
    assert_eq!(applied(&changed), Some(STRICT));
    let other = json!({"key": "g", "name": "G"});
    let made = prefer(
        &setup,
        Method::POST,
        &setup.flags(),
        &other,
        "x, Handling=\"strict\"; y=1",
    )
    .await;
    made.expect_status(201);
    assert_eq!(applied(&made), Some(STRICT));
    let path = format!("{}/g", setup.flags());
    let gone = prefer(&setup, Method::DELETE, &path, &json!({}), STRICT).await;
    gone.expect_status(204);
    assert_eq!(applied(&gone), Some(STRICT));
    let missing = prefer(&setup, Method::DELETE, &path, &json!({}), STRICT).await;
    missing.expect_error(404, "flag not found");
    assert_eq!(applied(&missing), Some(STRICT));
}

#[tokio::test]
async fn lenient_and_unknown_preferences_change_nothing() {
    let (setup, state) = with_flag().await;
    let long = format!("handling=strict, x={}", "a".repeat(5_000));
    for line in [
        "handling=lenient, handling=strict",
        "return=minimal",
        "strict",
        "",
        &long,
    ] {
        let changed = prefer(&setup, Method::PUT, &state, &doubtful(), line).await;
        changed.expect_status(200);
        assert_eq!(changed.body["warnings"], json!([percent()]), "{line}");
        assert_eq!(applied(&changed), None, "{line}");
    }
    // Reading has no warnings to refuse.
    let request = setup.owner.request(Method::GET, &format!("{state}?x=1"));
    let shown = setup.owner.send(request.header("prefer", STRICT)).await;
    shown.expect_status(200);
    assert_eq!(applied(&shown), None);
}

#[tokio::test]
async fn an_unknown_field_of_a_registration_is_refused_with_strict_handling() {
    let (setup, _) = with_flag().await;
    let anonymous = setup.app.anonymous();
    let before = setup.app.contents().await;
    let body = json!({
        "email": "new@acme.test", "password": "Correct-horse-7", "name": "N", "orgName": "New", "org_name": "New",
    });
    let request = anonymous.request(Method::POST, "/v1/auth/register");
    let refused = anonymous
        .send(request.header("prefer", STRICT).json(&body))
        .await;
    let field = misspelt("orgName", "org_name");
    refused.expect(400, json!({"error": field["message"], "warnings": [field]}));
    assert_eq!(setup.app.contents().await, before);
}
