//! Numbers that `jsonb` would not give back as they were: refused in bodies, and read where they are stored.

use harness::{App, Response, User};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

/// Sends a text as JSON, since no value holds `1e400` or `1e-400`.
async fn send(user: &User, method: Method, path: &str, body: &str) -> Response {
    let request = user.request(method, path);
    let request = request.header(CONTENT_TYPE, "application/json");
    user.send(request.body(body.to_owned())).await
}

/// Paths of a flag of the default project and of its state.
async fn flag(owner: &User, flag_type: &str) -> (String, String) {
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let body = json!({"key": "f", "name": "F", "flag_type": flag_type});
    owner.create(&flags, body).await;
    let flag = format!("{flags}/f");
    let state = format!("{flag}/environments/{}", project.dev);
    (flag, state)
}

fn refusal(place: &str) -> String {
    format!(
        "{place} has a number that cannot be stored: at most 40 characters when written out, 64 bits if whole"
    )
}

#[tokio::test]
async fn numbers_that_would_not_come_back_the_same_are_refused_at_their_place() {
    let (_app, owner) = App::with_owner().await;
    let (flag, state) = flag(&owner, "json").await;
    let flags = flag.trim_end_matches("/f");
    let project = owner.default_project().await;
    let id = owner.get(&flag).await.text("/id");
    let before = owner.get("/v1/audit").await.body;

    for number in [
        "1e308",
        "1.7976931348623157e308",
        "1e400",
        "1e-400",
        "1e-100",
        "18446744073709551616",
        "-9223372036854775809",
        "0.00000000000000000000000000000000000000001",
    ] {
        let approval = format!(
            r#"{{"flag_id": "{id}", "env_id": "{}", "change_type": "x", "payload": {{"default_value": [{number}]}}}}"#,
            project.dev
        );
        for (method, path, body, place) in [
            (
                Method::POST,
                flags,
                format!(
                    r#"{{"key": "g", "name": "G", "flag_type": "number", "default_value": {number}}}"#
                ),
                "default_value",
            ),
            (
                Method::PUT,
                &flag,
                format!(r#"{{"default_value": {{"a": [0, {number}]}}}}"#),
                "default_value.a[1]",
            ),
            (
                Method::PUT,
                &state,
                format!(r#"{{"rules": [{{"conditions": []}}, {{"value": {{"a": {number}}}}}]}}"#),
                "rules[1].value.a",
            ),
            (
                Method::PUT,
                &state,
                format!(
                    r#"{{"variants": [{{"key": "v", "weight": 10000, "value": [{number}]}}]}}"#
                ),
                "variants[0].value[0]",
            ),
            (
                Method::POST,
                "/v1/approvals",
                approval,
                "payload.default_value[0]",
            ),
        ] {
            let answer = send(&owner, method, path, &body).await;
            answer.expect_error(400, &refusal(place));
        }
    }
    let answer = owner.get(&state).await;
    answer.expect(200, json!({"enabled": false}));
    owner.get("/v1/audit").await.expect(200, before);
}

#[tokio::test]
async fn numbers_of_everyday_sizes_keep_their_form() {
    let (_app, owner) = App::with_owner().await;
    let (_, state) = flag(&owner, "json").await;
    let numbers = "[0,-1,1.5,0.1,1.0,9007199254740993,9223372036854775807,18446744073709551615,0.30000000000000004,\
                   1.7976931348623157,123456789.12345679,1e-7]";
    let stored = send(
        &owner,
        Method::PUT,
        &state,
        &format!(r#"{{"default_value": {numbers}}}"#),
    )
    .await;
    let sent: Value = serde_json::from_str(numbers).unwrap();
    assert_eq!(stored.expect_status(200).body["default_value"], sent);
    let read = owner.get(&state).await;
    assert_eq!(read.expect_status(200).body["default_value"], sent);
}

#[tokio::test]
async fn a_number_of_309_digits_that_is_stored_is_read_and_can_be_replaced() {
    let (app, owner) = App::with_owner().await;
    let (flag, state) = flag(&owner, "number").await;
    owner.change(&state, json!({"default_value": 1})).await;
    // Written as a service would that checked nothing.
    for update in [
        "UPDATE flag_states SET default_value = '1.7976931348623157e308'",
        "UPDATE audit_entries SET after_state = jsonb_build_object('default_value', '-1.7976931348623157e308'::jsonb)
         WHERE action = 'flag.state_updated'",
    ] {
        sqlx::query(update).execute(app.pool()).await.unwrap();
    }

    let read = owner.get(&state).await;
    assert_eq!(
        read.expect_status(200).body["default_value"],
        json!(f64::MAX)
    );
    let trail = owner.get("/v1/audit?action=flag.state_updated").await;
    let entry = &trail.expect_status(200).body["data"][0];
    assert_eq!(entry["after_state"], json!({"default_value": f64::MIN}));
    owner.get("/v1/audit?limit=100").await.expect_status(200);
    let project = owner.default_project().await;
    let killed = owner
        .post(&format!("{flag}/kill"), json!({"env_id": project.dev}))
        .await;
    assert_eq!(
        killed.expect_status(200).body["default_value"],
        json!(f64::MAX)
    );
    let replaced = owner.put(&state, json!({"default_value": 2})).await;
    assert_eq!(replaced.expect_status(200).body["default_value"], 2);
}
