//! Segments.

mod reach;

use std::time::Duration;

use harness::{App, Response, User, statuses};
use serde_json::{Value, json};

/// The path of the default project's segments.
async fn collection(user: &User) -> String {
    format!("/v1/projects/{}/segments", user.default_project().await.id)
}

async fn create(user: &User, segments: &str, key: &str) -> Value {
    let body = json!({"key": key, "name": key, "rules": []});
    user.create(segments, body).await.body
}

fn version(answer: &Response) -> u64 {
    answer.header("x-snapshot-version").parse().unwrap()
}

#[tokio::test]
async fn a_created_segment_is_shown_and_listed() {
    let (_app, owner) = App::with_owner().await;
    let segments = collection(&owner).await;

    let smallest = owner
        .post(
            &segments,
            json!({"key": "beta", "name": "Beta", "rules": []}),
        )
        .await;
    smallest.expect(
        201,
        json!({"id": "[uuid]", "key": "beta", "name": "Beta", "description": "", "match_type": "all", "rules": [],
               "created_at": "[time]", "updated_at": "[time]"}),
    );
    assert!(version(&smallest) > 0);

    let full = owner
        .post(
            &segments,
            json!({
                "key": "Staff.1_~", "name": "Staff", "description": "Ours", "match_type": "any",
                "rules": [{"attribute": "email", "operator": "endsWith", "values": ["@acme.test"]},
                          {"attribute": "badge", "operator": "exists"}],
            }),
        )
        .await;
    full.expect(
        201,
        json!({
            "id": "[uuid]", "key": "Staff.1_~", "name": "Staff", "description": "Ours", "match_type": "any",
            "rules": [{"attribute": "email", "operator": "endsWith", "values": ["@acme.test"]},
                      {"attribute": "badge", "operator": "exists", "values": []}],
            "created_at": "[time]", "updated_at": "[time]",
        }),
    );
    let answer = owner.get(&format!("{segments}/Staff.1_~")).await;
    answer.expect(200, full.body.clone());
    let list = owner.get(&format!("{segments}?limit=1&offset=1")).await;
    list.expect(
        200,
        json!({"data": [full.body], "total": 2, "limit": 1, "offset": 1, "has_more": false}),
    );
}

#[tokio::test]
async fn bad_input_is_400() {
    let (_app, owner) = App::with_owner().await;
    let segments = collection(&owner).await;
    let with = |field: &str, value: Value| {
        let mut body = json!({"key": "s", "name": "S", "rules": []});
        body[field] = value;
        body
    };
    let condition = json!({"attribute": "a", "operator": "exists"});
    for (body, message) in [
        (json!({}), "key, name and rules are required"),
        (with("key", json!("")), "key is required"),
        (with("name", json!(null)), "name is required"),
        (
            with("description", json!("d".repeat(2_001))),
            "description must have at most 2000 characters",
        ),
        (
            with("match_type", json!("none")),
            "match_type must be all or any",
        ),
        (
            with("match_type", json!("")),
            "match_type must be all or any",
        ),
        (with("rules", json!(null)), "rules is required"),
        (json!({"key": "s", "name": "S"}), "rules is required"),
        (
            with("rules", json!([{"operator": "eq", "values": ["v"]}])),
            "rules[0].attribute is required",
        ),
        (
            with(
                "rules",
                json!([condition, {"attribute": "a", "operator": "eq"}]),
            ),
            "rules[1].values must not be empty",
        ),
        (
            with("rules", json!(vec![condition; 1_001])),
            "rules must have at most 1000 items",
        ),
        (
            with(
                "rules",
                json!([{"attribute": "a", "operator": "regex", "values": vec!["a"; 201]}]),
            ),
            "rules must have at most 200 regex patterns in all",
        ),
    ] {
        owner.post(&segments, body).await.expect_error(400, message);
    }
    for wrong_type in [json!({}), json!([["a", "exists", []]])] {
        let refused = owner.post(&segments, with("rules", wrong_type)).await;
        refused.expect_status(400);
    }
    assert_eq!(owner.get(&segments).await.body["total"], 0);
}

#[tokio::test]
async fn a_taken_key_is_409_also_when_both_come_at_once() {
    let (_app, owner) = App::with_owner().await;
    let segments = collection(&owner).await;
    let body = json!({"key": "s", "name": "S", "rules": []});
    let (one, other) = tokio::join!(
        owner.post(&segments, body.clone()),
        owner.post(&segments, body.clone())
    );
    assert_eq!(statuses([&one, &other]), [201, 409]);
    let refused = owner.post(&segments, body).await;
    refused.expect_error(409, "segment key already exists");
}

#[tokio::test]
async fn an_update_changes_the_given_fields_alone() {
    let (app, owner) = App::with_owner().await;
    let segments = collection(&owner).await;
    let path = format!("{segments}/s");
    let mut expected = create(&owner, &segments, "s").await;
    app.clock.advance(Duration::from_secs(5));

    // Nothing that can change was given.
    let untouched = owner.put(&path, json!({"key": "other"})).await;
    untouched.expect(200, expected.clone());
    let mut last = version(&untouched);
    expected["updated_at"] = json!("2026-05-04T12:00:05Z");
    for (field, value) in [
        ("name", json!("New")),
        ("description", json!("d")),
        ("match_type", json!("any")),
        (
            "rules",
            json!([{"attribute": "a", "operator": "eq", "values": ["v"]}]),
        ),
        ("rules", json!([])),
    ] {
        expected[field] = value.clone();
        let answer = owner.put(&path, json!({field: value})).await;
        answer.expect(200, expected.clone());
        assert!(version(&answer) > last);
        last = version(&answer);
    }
    expected["description"] = json!("");
    let answer = owner.put(&path, json!({"description": null})).await;
    answer.expect(200, expected.clone());
    owner.get(&path).await.expect(200, expected);
}

#[tokio::test]
async fn a_bad_update_changes_nothing() {
    let (_app, owner) = App::with_owner().await;
    let segments = collection(&owner).await;
    let segment = create(&owner, &segments, "s").await;
    let path = format!("{segments}/s");
    for (body, message) in [
        (json!({"name": ""}), "name is required"),
        (
            json!({"name": "New", "rules": null}),
            "rules must not be null",
        ),
        (
            json!({"name": "New", "match_type": "none"}),
            "match_type must be all or any",
        ),
        (
            json!({"name": "New", "rules": [{"attribute": "a"}]}),
            OPERATOR,
        ),
    ] {
        owner.put(&path, body).await.expect_error(400, message);
    }
    owner.get(&path).await.expect(200, segment);
}

const OPERATOR: &str = "rules[0].operator must be one of eq, neq, gt, gte, lt, lte, contains, notIn, in, regex, startsWith, \
                        endsWith, exists";

#[tokio::test]
async fn a_segment_in_use_may_be_deleted_and_its_key_is_free() {
    let (_app, owner, project) = App::with_project().await;
    let segments = collection(&owner).await;
    create(&owner, &segments, "s").await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    owner.create(&flags, json!({"key": "f", "name": "F"})).await;
    let state = format!("{flags}/f/environments/{}", project.dev);
    let stored = owner
        .put(
            &state,
            json!({"rules": [{"id": "r", "segment_keys": ["s"]}]}),
        )
        .await;

    let path = format!("{segments}/s");
    let deleted = owner.delete(&path).await;
    deleted.expect(204, Value::Null);
    assert!(version(&deleted) > version(&stored));
    let refused = owner.get(&path).await;
    refused.expect_error(404, "segment not found");
    let refused = owner.delete(&path).await;
    refused.expect_error(404, "segment not found");
    owner.get(&state).await.expect(200, stored.body.clone());
    create(&owner, &segments, "s").await;
}

#[tokio::test]
async fn a_project_has_at_most_5000_segments() {
    let (app, owner) = App::with_owner().await;
    let segments = collection(&owner).await;
    app.execute("UPDATE projects SET segment_count = 4999", &[])
        .await;
    create(&owner, &segments, "last").await;
    let refused = owner
        .post(
            &segments,
            json!({"key": "more", "name": "More", "rules": []}),
        )
        .await;
    refused.expect_error(400, "a project has at most 5000 segments");
}
