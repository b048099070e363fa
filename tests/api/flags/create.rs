//! Creating a flag.

use harness::{App, statuses};
use serde_json::{Value, json};

use super::{collection, create, version};

#[tokio::test]
async fn a_created_flag_shows_every_field() {
    let (_app, owner) = App::with_owner().await;
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
            "permanent": false, "owner_id": null, "created_at": "[time]", "updated_at": "[time]",
        }),
    );
    assert!(version(&smallest) > 0);
    let answer = owner.get(&format!("{flags}/new-checkout")).await;
    answer.expect(200, smallest.body.clone());

    let full = json!({
        "key": "Theme.v2_~", "name": "Theme", "description": "Colours", "flag_type": "json",
        "default_value": {"accent": "#fff", "scale": 1.0, "depth": 10}, "tags": ["ui", "web", "ui"],
        "prerequisites": ["new-checkout", "unknown", "new-checkout"], "mutual_exclusion_group": "homepage",
        "permanent": true, "something": "unknown fields are ignored",
    });
    let warnings = json!([
        {"place": "something", "message": "unknown field something"},
        {"place": "prerequisites", "message": "no flag has the key unknown"},
    ]);
    let answer = owner.post(&flags, full).await.without_warnings(&warnings);
    answer.expect(
        201,
        json!({
            "id": "[uuid]", "key": "Theme.v2_~", "name": "Theme", "description": "Colours", "flag_type": "json",
            "default_value": {"accent": "#fff", "scale": 1.0, "depth": 10}, "tags": ["ui", "web"],
            "prerequisites": ["new-checkout", "unknown"], "mutual_exclusion_group": "homepage",
            "permanent": true, "owner_id": null, "created_at": "[time]", "updated_at": "[time]",
        }),
    );
    owner
        .get(&format!("{flags}/Theme.v2_~"))
        .await
        .expect(200, answer.body.clone());
}

#[tokio::test]
async fn each_type_has_its_default_value() {
    let (_app, owner) = App::with_owner().await;
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
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    let key = "key must start with a letter or digit and have at most 255 letters, digits, '.', '_', '~' or '-'";
    let flag = |field: &str, value: Value| {
        let mut body = json!({"key": "f", "name": "F"});
        body[field] = value;
        body
    };
    for (body, message) in [
        (json!({}), "key and name are required"),
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
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    create(&owner, &flags, json!({"key": "f", "name": "F"})).await;
    let refused = owner
        .post(&flags, json!({"key": "f", "name": "Again"}))
        .await;
    refused.expect_error(409, "flag key already exists");
    create(&owner, &flags, json!({"key": "F", "name": "Another"})).await;
}

#[tokio::test]
async fn two_creations_of_one_key_make_one_flag() {
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    let (one, other) = tokio::join!(
        owner.post(&flags, json!({"key": "f", "name": "One"})),
        owner.post(&flags, json!({"key": "f", "name": "Other"})),
    );
    assert_eq!(statuses([&one, &other]), [201, 409]);
}
