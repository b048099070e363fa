//! Flags themselves; their states are in `flag_states`.

mod limits;
mod prerequisites;

use std::time::Duration;

use harness::{App, Response, User};
use reqwest::Method;
use serde_json::{Value, json};

use crate::trail;

/// The path of the default project's flags.
async fn collection(user: &User) -> String {
    format!("/v1/projects/{}/flags", user.default_project().await.id)
}

async fn create(user: &User, flags: &str, body: Value) -> Value {
    user.post(flags, body).await.expect_status(201).body.clone()
}

fn version(answer: &Response) -> u64 {
    answer.header("x-snapshot-version").parse().unwrap()
}

#[tokio::test]
async fn a_created_flag_shows_every_field() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;

    let smallest = owner
        .post(
            &flags,
            json!({"key": "new-checkout", "name": "New checkout"}),
        )
        .await;
    smallest.expect(
        201,
        json!({
            "id": "[uuid]", "key": "new-checkout", "name": "New checkout", "description": "", "flag_type": "boolean",
            "default_value": false, "tags": [], "prerequisites": [], "mutual_exclusion_group": "",
            "created_at": "[time]", "updated_at": "[time]",
        }),
    );
    assert!(version(&smallest) > 0);
    owner
        .get(&format!("{flags}/new-checkout"))
        .await
        .expect(200, smallest.body.clone());

    let full = json!({
        "key": "Theme.v2_~", "name": "Theme", "description": "Colours", "flag_type": "json",
        "default_value": {"accent": "#fff", "scale": 1.0, "depth": 10}, "tags": ["ui", "web", "ui"],
        "prerequisites": ["new-checkout", "unknown", "new-checkout"], "mutual_exclusion_group": "homepage",
        "something": "unknown fields are ignored",
    });
    let answer = owner.post(&flags, full).await;
    answer.expect(
        201,
        json!({
            "id": "[uuid]", "key": "Theme.v2_~", "name": "Theme", "description": "Colours", "flag_type": "json",
            "default_value": {"accent": "#fff", "scale": 1.0, "depth": 10}, "tags": ["ui", "web"],
            "prerequisites": ["new-checkout", "unknown"], "mutual_exclusion_group": "homepage",
            "created_at": "[time]", "updated_at": "[time]",
        }),
    );
    owner
        .get(&format!("{flags}/Theme.v2_~"))
        .await
        .expect(200, answer.body.clone());
}

#[tokio::test]
async fn a_list_leaves_out_three_fields() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    for key in ["a", "b", "c"] {
        create(
            &owner,
            &flags,
            json!({"key": key, "name": key, "description": "d", "tags": ["t"]}),
        )
        .await;
    }
    let item = |key: &str| {
        json!({"id": "[uuid]", "key": key, "name": key, "flag_type": "boolean", "default_value": false, "tags": ["t"],
               "created_at": "[time]", "updated_at": "[time]"})
    };
    owner.get(&format!("{flags}?limit=2")).await.expect(
        200,
        json!({"data": [item("a"), item("b")], "total": 3, "limit": 2, "offset": 0, "has_more": true}),
    );
    let rest = owner.get(&format!("{flags}?limit=2&offset=2")).await;
    rest.expect(
        200,
        json!({"data": [item("c")], "total": 3, "limit": 2, "offset": 2, "has_more": false}),
    );
}

#[tokio::test]
async fn each_type_has_its_default_value() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    for (flag_type, default) in [
        ("boolean", json!(false)),
        ("string", json!("")),
        ("number", json!(0)),
        ("json", json!({})),
        ("ab", json!({})),
    ] {
        let body =
            json!({"key": flag_type, "name": "F", "flag_type": flag_type, "default_value": null});
        assert_eq!(
            create(&owner, &flags, body).await["default_value"],
            default,
            "{flag_type}"
        );
    }
}

#[tokio::test]
async fn bad_input_is_400() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let key = "key must start with a letter or digit and have at most 255 letters, digits, '.', '_', '~' or '-'";
    let flag = |field: &str, value: Value| {
        let mut body = json!({"key": "f", "name": "F"});
        body[field] = value;
        body
    };
    for (body, message) in [
        (json!({"name": "F"}), "key is required"),
        (flag("key", json!("a b")), key),
        (flag("key", json!("-a")), key),
        (flag("key", json!("k".repeat(256))), key),
        (json!({"key": "f"}), "name is required"),
        (flag("name", json!("  ")), "name is required"),
        (
            flag("description", json!("d".repeat(2_001))),
            "description must have at most 2000 characters",
        ),
        (
            flag("flag_type", json!("bool")),
            "flag_type must be one of boolean, string, number, json, ab",
        ),
        (
            flag("default_value", json!("true")),
            "default_value must be a boolean",
        ),
        (
            flag("tags", json!(many(51))),
            "tags must have at most 50 items",
        ),
        (
            flag("tags", json!(["t".repeat(65)])),
            "a tag must have at most 64 characters",
        ),
        (
            flag("prerequisites", json!(many(21))),
            "prerequisites must have at most 20 items",
        ),
        (
            flag("prerequisites", json!(["f"])),
            "a flag cannot be its own prerequisite",
        ),
        (
            flag("mutual_exclusion_group", json!("g".repeat(256))),
            "mutual_exclusion_group must have at most 255 characters",
        ),
    ] {
        owner.post(&flags, body).await.expect_error(400, message);
    }
    for wrong_type in [
        flag("tags", json!("ui")),
        flag("name", json!(1)),
        flag("prerequisites", json!([1])),
    ] {
        owner.post(&flags, wrong_type).await.expect_status(400);
    }
    assert_eq!(owner.get(&flags).await.body["total"], 0);
}

fn many(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("item-{number}")).collect()
}

#[tokio::test]
async fn a_taken_key_is_409_and_keys_are_case_sensitive() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    create(&owner, &flags, json!({"key": "f", "name": "F"})).await;
    owner
        .post(&flags, json!({"key": "f", "name": "Again"}))
        .await
        .expect_error(409, "flag key already exists");
    create(&owner, &flags, json!({"key": "F", "name": "Another"})).await;
}

#[tokio::test]
async fn two_creations_of_one_key_make_one_flag() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let (one, other) = tokio::join!(
        owner.post(&flags, json!({"key": "f", "name": "One"})),
        owner.post(&flags, json!({"key": "f", "name": "Other"})),
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
}

#[tokio::test]
async fn an_update_changes_the_given_fields_alone() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let path = format!("{flags}/f");
    let mut expected = create(
        &owner,
        &flags,
        json!({"key": "f", "name": "F", "flag_type": "string", "default_value": "a", "description": "d",
               "tags": ["t"], "prerequisites": ["p"], "mutual_exclusion_group": "g"}),
    )
    .await;
    app.clock.advance(Duration::from_secs(5));
    expected["updated_at"] = json!("2026-05-04T12:00:05Z");

    let untouched = owner
        .put(
            &path,
            json!({"key": "other", "flag_type": "number", "id": "x"}),
        )
        .await;
    untouched.expect(200, expected.clone());
    let mut last = version(&untouched);
    for (field, value) in [
        ("name", json!("Renamed")),
        ("description", json!("new")),
        ("default_value", json!("b")),
        ("tags", json!(["x", "y"])),
        ("prerequisites", json!(["q"])),
        ("mutual_exclusion_group", json!("h")),
        ("description", json!("")),
        ("tags", json!([])),
        ("prerequisites", json!([])),
        ("mutual_exclusion_group", json!("")),
    ] {
        expected[field] = value.clone();
        let answer = owner.put(&path, json!({field: value})).await;
        answer.expect(200, expected.clone());
        assert!(
            version(&answer) > last,
            "clients are told about every update"
        );
        last = version(&answer);
    }
    owner.get(&path).await.expect(200, expected);
}

#[tokio::test]
async fn null_empties_the_description_and_resets_the_default() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let body = json!({"key": "f", "name": "F", "flag_type": "number", "default_value": 5, "description": "d"});
    let mut expected = create(&owner, &flags, body).await;
    expected["description"] = json!("");
    expected["default_value"] = json!(0);
    let answer = owner
        .put(
            &format!("{flags}/f"),
            json!({"description": null, "default_value": null}),
        )
        .await;
    answer.expect(200, expected);
}

#[tokio::test]
async fn a_bad_update_changes_nothing() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let flag = create(&owner, &flags, json!({"key": "f", "name": "F"})).await;
    let path = format!("{flags}/f");
    for (body, message) in [
        (json!({"name": ""}), "name is required"),
        (json!({"name": null}), "name is required"),
        (
            json!({"name": "New", "default_value": 1}),
            "default_value must be a boolean",
        ),
        (
            json!({"name": "New", "prerequisites": ["f"]}),
            "a flag cannot be its own prerequisite",
        ),
    ] {
        owner.put(&path, body).await.expect_error(400, message);
    }
    owner.get(&path).await.expect(200, flag);
}

#[tokio::test]
async fn a_deleted_flag_is_gone_and_its_key_is_free() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let path = format!("{flags}/f");
    create(&owner, &flags, json!({"key": "f", "name": "F"})).await;
    create(
        &owner,
        &flags,
        json!({"key": "dependant", "name": "D", "prerequisites": ["f"]}),
    )
    .await;

    let deleted = owner.delete(&path).await;
    deleted.expect(204, Value::Null);
    assert!(version(&deleted) > 0);
    owner.get(&path).await.expect_error(404, "flag not found");
    owner
        .delete(&path)
        .await
        .expect_error(404, "flag not found");
    assert_eq!(
        owner.get(&format!("{flags}/dependant")).await.body["prerequisites"],
        json!(["f"])
    );
    create(&owner, &flags, json!({"key": "f", "name": "Again"})).await;
}

#[tokio::test]
async fn what_is_not_of_the_project_is_404() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let stranger = app.signup("globex").await;
    let flags = collection(&owner).await;
    create(&owner, &flags, json!({"key": "f", "name": "F"})).await;

    stranger
        .get(&flags)
        .await
        .expect_error(404, "project not found");
    stranger
        .post(&flags, json!({"key": "g", "name": "G"}))
        .await
        .expect_error(404, "project not found");
    let own = collection(&stranger).await;
    for (user, path) in [
        (&stranger, format!("{flags}/f")),
        (&stranger, format!("{own}/f")),
        (&owner, format!("{flags}/g")),
        (&owner, format!("{flags}/f%20")),
        (&owner, format!("{flags}/f%00")),
        (&owner, "/v1/projects/not-a-uuid/flags/f".to_owned()),
    ] {
        user.get(&path).await.expect_status(404);
        user.put(&path, json!({"name": "Mine"}))
            .await
            .expect_status(404);
        user.delete(&path).await.expect_status(404);
    }
    owner.get(&format!("{flags}/f")).await.expect_status(200);
}

#[tokio::test]
async fn the_path_is_checked_before_the_body() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let broken = |method: Method, path: String| {
        let request = owner
            .request(method, &path)
            .header("content-type", "application/json")
            .body("{");
        owner.send(request)
    };
    broken(Method::PUT, format!("{flags}/f"))
        .await
        .expect_error(404, "flag not found");
    broken(Method::POST, flags).await.expect_status(400);
}

#[tokio::test]
async fn viewers_read_and_developers_write() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let flags = collection(&owner).await;
    let path = format!("{flags}/f");
    let developer = app.member(&owner, "developer").await;
    create(&developer, &flags, json!({"key": "f", "name": "F"})).await;
    developer
        .put(&path, json!({"name": "New"}))
        .await
        .expect_status(200);

    let viewer = app.member(&owner, "viewer").await;
    let refused = "insufficient permissions";
    viewer.get(&flags).await.expect_status(200);
    viewer.get(&path).await.expect_status(200);
    viewer
        .post(&flags, json!({}))
        .await
        .expect_error(403, refused);
    viewer
        .put(&path, json!({}))
        .await
        .expect_error(403, refused);
    viewer.delete(&path).await.expect_error(403, refused);

    developer.delete(&path).await.expect_status(204);
    app.anonymous().get(&flags).await.expect_status(401);
}

#[tokio::test]
async fn every_change_is_in_the_audit_trail() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project_id = owner.default_project().await.id;
    let flags = collection(&owner).await;
    let path = format!("{flags}/f");
    let flag = create(&owner, &flags, json!({"key": "f", "name": "F"})).await;
    let entry = |action: &str, before: &Value, after: &Value| {
        json!({
            "action": action, "actor_type": "user", "actor_id": owner.id, "resource_type": "flag",
            "resource_id": flag["id"], "project_id": project_id, "before_state": before, "after_state": after,
            "metadata": null,
        })
    };
    assert_eq!(
        trail::newest(&app, &owner).await,
        entry("flag.created", &Value::Null, &flag)
    );
    let updated = owner.put(&path, json!({"name": "New"})).await.body;
    assert_eq!(
        trail::newest(&app, &owner).await,
        entry("flag.updated", &flag, &updated)
    );
    owner.delete(&path).await.expect_status(204);
    assert_eq!(
        trail::newest(&app, &owner).await,
        entry("flag.deleted", &updated, &Value::Null)
    );
}
