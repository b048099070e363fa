//! Asking for approval.

use std::time::Duration;

use serde_json::{Value, json};

use super::{Setup, expect_nothing_stored, reject};
use crate::trail;

#[tokio::test]
async fn a_request_is_shown_with_its_payload_as_given() {
    let setup = Setup::new().await;
    let payload = json!({
        "enabled": true, "rules": [{"id": "r", "percentage": 500}], "scheduled_enable_at": "2020-01-01T00:00:00+02:00",
        "colour": {"of": [1.5, 2, "x"]},
    });
    let asked = setup.asking("update_state", &payload);
    let asked = setup.developer.post("/v1/approvals", asked).await;
    let unknown = json!([{"place": "payload.colour", "message": "unknown field payload.colour"}]);
    let asked = asked.without_warnings(&unknown);
    asked.expect(201, setup.pending("update_state", &payload));
    assert_eq!(asked.headers.get("x-snapshot-version"), None);

    let entry = json!({
        "action": "approval.created", "actor_type": "user", "actor_id": setup.developer.id,
        "resource_type": "approval", "resource_id": asked.body["id"], "project_id": setup.project.id,
        "before_state": null, "after_state": asked.body, "metadata": {"env_id": setup.project.dev},
    });
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);

    let viewer = setup.app.member(&setup.owner, "viewer").await;
    let path = format!("/v1/approvals/{}", asked.text("/id"));
    viewer.get(&path).await.expect(200, asked.body.clone());
    assert_eq!(setup.state().await, json!({"enabled": false}));
}

#[tokio::test]
async fn a_request_without_a_payload_shows_an_empty_one() {
    let setup = Setup::new().await;
    let mut absent = setup.asking("whatever we call it", &Value::Null);
    absent.as_object_mut().unwrap().remove("payload");
    let null = setup.asking("whatever we call it", &Value::Null);
    for body in [absent, null] {
        let asked = setup.developer.post("/v1/approvals", body).await;
        asked.expect(201, setup.pending("whatever we call it", &json!({})));
    }
}

#[tokio::test]
async fn a_request_shows_the_note_that_it_was_made_with() {
    let setup = Setup::new().await;
    for (given, shown) in [
        (
            json!("As of ticket 5.\nUntil Friday"),
            "As of ticket 5.\nUntil Friday",
        ),
        (json!(""), ""),
        (Value::Null, ""),
        (json!("ü".repeat(2_000)), &*"ü".repeat(2_000)),
    ] {
        let mut body = setup.asking("enable", &json!({}));
        body["note"] = given;
        let asked = setup.developer.post("/v1/approvals", body).await;
        let mut expected = setup.pending("enable", &json!({}));
        expected["note"] = json!(shown);
        asked.expect(201, expected);
        assert_eq!(asked.headers.get("x-ignored-fields"), None);
        let path = format!("/v1/approvals/{}", asked.text("/id"));
        setup.owner.get(&path).await.expect(200, asked.body.clone());
    }
}

#[tokio::test]
async fn a_request_needs_a_flag_an_environment_and_a_change_type() {
    let setup = Setup::new().await;
    for (field, words) in [
        ("flag_id", "flag_id or flag_key"),
        ("env_id", "env_id"),
        ("change_type", "change_type"),
    ] {
        let missing = format!("{words} is required");
        for blank in [json!(null), json!(""), json!(" ")] {
            let mut body = setup.asking("enable", &Value::Null);
            body[field] = blank;
            let refused = setup.developer.post("/v1/approvals", body).await;
            refused.expect_error(400, &missing);
        }
        let mut body = setup.asking("enable", &Value::Null);
        body[field] = json!(5);
        let refused = setup.developer.post("/v1/approvals", body).await;
        refused.expect_error(400, &format!("{field} must be a string"));
    }
    let all = setup.developer.post("/v1/approvals", json!({})).await;
    all.expect_error(
        400,
        "flag_id or flag_key, env_id and change_type are required",
    );
    expect_nothing_stored(&setup).await;
}

#[tokio::test]
async fn a_flag_or_environment_that_is_not_of_the_organization_is_404() {
    let setup = Setup::new().await;
    let stranger = setup.app.signup("globex").await;
    let foreign = stranger.default_project().await;
    let flags = format!("/v1/projects/{}/flags", foreign.id);
    let foreign_flag = stranger
        .post(&flags, json!({"key": "f", "name": "F"}))
        .await
        .text("/id");
    let unknown = "01890000-0000-7000-8000-000000000000";
    for (field, id, message) in [
        (
            "flag_id",
            "f",
            "flag not found: flag_id must be an id (a UUID), not a slug, a key or a name",
        ),
        ("flag_id", unknown, "flag not found"),
        ("flag_id", &foreign_flag, "flag not found"),
        ("env_id", "nowhere", "environment not found"),
        ("env_id", unknown, "environment not found"),
        ("env_id", &foreign.dev, "environment not found"),
    ] {
        let mut body = setup.asking("enable", &Value::Null);
        body[field] = json!(id);
        let refused = setup.developer.post("/v1/approvals", body).await;
        refused.expect_error(404, message);
    }
    expect_nothing_stored(&setup).await;
}

#[tokio::test]
async fn a_flag_and_an_environment_of_different_projects_are_400() {
    let setup = Setup::new().await;
    let other = setup
        .owner
        .post("/v1/projects", json!({"name": "Other"}))
        .await
        .text("/id");
    let environments = format!("/v1/projects/{other}/environments");
    let elsewhere = setup
        .owner
        .post(&environments, json!({"name": "Dev"}))
        .await;
    let mut body = setup.asking("enable", &Value::Null);
    body["env_id"] = json!(elsewhere.text("/id"));
    let refused = setup.developer.post("/v1/approvals", body).await;
    refused.expect_error(400, "flag and environment must be of the same project");
}

#[tokio::test]
async fn a_payload_that_a_state_put_would_refuse_is_400() {
    let setup = Setup::new().await;
    for (payload, message) in [
        (json!({"enabled": null}), "enabled must not be null"),
        (
            json!({"default_value": "yes"}),
            "default_value must be a boolean",
        ),
        (
            json!({"percentage_rollout": 10_001}),
            "percentage_rollout must be an integer in basis points, 0 to 10000",
        ),
        (
            json!({"rules": [{"conditions": [{"attribute": "a", "operator": "regex", "values": ["("]}]}]}),
            "rules[0].conditions[0].values must be regular expressions of bounded size",
        ),
        (
            json!({"variants": [{"key": "a", "weight": 1}]}),
            "variant weights must sum to 10000",
        ),
        (
            json!({"scheduled_enable_at": "tomorrow"}),
            "scheduled_enable_at must be an RFC 3339 date-time",
        ),
    ] {
        // Also where the change type alone would say what to do.
        for change_type in ["update_state", "enable"] {
            let body = setup.asking(change_type, &payload);
            let refused = setup.developer.post("/v1/approvals", body).await;
            refused.expect_error(400, message);
        }
    }
    for wrong_type in [
        json!([]),
        json!("enabled"),
        json!(true),
        json!({"enabled": "true"}),
        json!({"rules": {}}),
        json!({"rules": [["r"]]}),
        json!({"percentage_rollout": 0.5}),
    ] {
        let body = setup.asking("update_state", &wrong_type);
        let refused = setup.developer.post("/v1/approvals", body).await;
        refused.expect_status(400);
    }
    expect_nothing_stored(&setup).await;
}

#[tokio::test]
async fn what_a_request_says_besides_a_flag_state_is_bounded() {
    let setup = Setup::new().await;
    let ask = async |change_type: &str, payload: Value| {
        let body = setup.asking(change_type, &payload);
        setup.developer.post("/v1/approvals", body).await
    };
    let fits = ask(&"ü".repeat(100), json!({"more": "x".repeat(4_000)})).await;
    fits.expect_status(201);
    ask(&"x".repeat(101), json!({}))
        .await
        .expect_error(400, "change_type must have at most 100 characters");
    ask("x", json!({"more": "x".repeat(4_096)}))
        .await
        .expect_error(
            400,
            "payload must have at most 4 KiB of fields that no flag state has",
        );

    let path = format!("/v1/approvals/{}/review", fits.text("/id"));
    let review = async |note: String| {
        let body = json!({"action": "reject", "note": note});
        setup.owner.post(&path, body).await
    };
    let with_note = async |note: Value| {
        let mut body = setup.asking("x", &json!({}));
        body["note"] = note;
        setup.developer.post("/v1/approvals", body).await
    };
    with_note(json!("x".repeat(2_001)))
        .await
        .expect_error(400, "note must have at most 2000 characters");
    with_note(json!(5))
        .await
        .expect_error(400, "note must be a string");
    review("x".repeat(2_001))
        .await
        .expect_error(400, "note must have at most 2000 characters");
    review("ü".repeat(2_000)).await.expect_status(200);
}

/// Stores as many requests as the developer's first one, of this status, with payloads of so many bytes.
async fn store_more(setup: &Setup, count: i32, status: &str, bytes: i32) {
    sqlx::query(
        "INSERT INTO approvals
             (id, org_id, project_id, flag_id, env_id, change_type, payload, payload_bytes, status, requestor_id,
              reviewer_id, reviewed_at, created_at, updated_at)
         SELECT gen_random_uuid(), org_id, project_id, flag_id, env_id, change_type, '{}', $3::integer, $2::text, requestor_id,
                CASE $2::text WHEN 'rejected' THEN requestor_id END, CASE $2::text WHEN 'rejected' THEN created_at END,
                created_at, updated_at
         FROM (SELECT * FROM approvals LIMIT 1) AS first, generate_series(1, $1::integer) AS number",
    )
    .bind(count)
    .bind(status)
    .bind(bytes)
    .execute(setup.app.pool())
    .await
    .unwrap();
}

#[tokio::test]
async fn an_organization_has_a_bounded_number_of_requests() {
    let setup = Setup::new().await;
    let first = setup.ask("enable", json!({})).await;
    store_more(&setup, 998, "pending", 2).await;
    store_more(&setup, 100, "rejected", 2).await;
    setup.ask("enable", json!({})).await;
    let asked = setup.asking("enable", &json!({}));
    let refused = setup.developer.post("/v1/approvals", asked.clone()).await;
    refused.expect_error(
        400,
        "the organization has 1000 pending approval requests, which is the most it can have; review some of them first",
    );
    reject(&setup.owner, &first).await.expect_status(200);
    setup.developer.create("/v1/approvals", asked).await;
}

#[tokio::test]
async fn an_organization_asks_for_a_bounded_number_of_bytes_a_day() {
    let setup = Setup::new().await;
    setup.ask("enable", json!({})).await;
    let other = setup.app.signup("globex").await;
    store_more(&setup, 63, "rejected", 1024 * 1024).await;
    setup.ask("enable", json!({})).await;
    store_more(&setup, 1, "rejected", 1024 * 1024).await;
    let asked = setup.asking("enable", &json!({}));
    let refused = setup.developer.post("/v1/approvals", asked.clone()).await;
    refused.expect_error(
        429,
        "the approval requests of the last 24 hours have 64 MiB, which is the most that an organization can store in a day",
    );
    assert_eq!(refused.header("retry-after"), "3600");
    other.get("/v1/approvals").await.expect_status(200);

    setup.app.clock.advance(Duration::from_secs(24 * 60 * 60));
    let developer = setup.developer.sign_in_again().await;
    developer.create("/v1/approvals", asked).await;
}
