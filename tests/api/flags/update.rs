//! Updating a flag.

use std::time::Duration;

use harness::App;
use serde_json::json;

use super::{collection, create, version};

#[tokio::test]
async fn an_update_changes_the_given_fields_alone() {
    let (app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    let path = format!("{flags}/f");
    for key in ["p", "q"] {
        create(&owner, &flags, json!({"key": key, "name": key})).await;
    }
    let mut expected = create(
        &owner,
        &flags,
        json!({"key": "f", "name": "F", "flag_type": "string", "default_value": "a", "description": "d",
               "tags": ["t"], "prerequisites": ["p"], "mutual_exclusion_group": "g"}),
    )
    .await;
    app.clock.advance(Duration::from_secs(5));

    let untouched = owner
        .put(
            &path,
            json!({"key": "other", "flag_type": "number", "id": "x"}),
        )
        .await;
    // Nothing that can change was given.
    untouched.expect(200, expected.clone());
    let mut last = version(&untouched);
    expected["updated_at"] = json!("2026-05-04T12:00:05Z");
    for (field, value) in [
        ("name", json!("Renamed")),
        ("description", json!("new")),
        ("default_value", json!("b")),
        ("tags", json!(["x", "y"])),
        ("prerequisites", json!(["q"])),
        ("mutual_exclusion_group", json!("h")),
        ("permanent", json!(true)),
        ("description", json!("")),
        ("tags", json!([])),
        ("prerequisites", json!([])),
        ("mutual_exclusion_group", json!("")),
        ("permanent", json!(false)),
    ] {
        expected[field] = value.clone();
        let answer = owner.put(&path, json!({field: value})).await;
        answer.expect(200, expected.clone());
        assert!(
            version(&answer) > last,
            "clients are told about every change"
        );
        last = version(&answer);
    }
    owner.get(&path).await.expect(200, expected);
}

#[tokio::test]
async fn null_empties_what_can_be_empty_and_resets_the_default() {
    let (_app, owner) = App::with_owner().await;
    let flags = collection(&owner).await;
    create(&owner, &flags, json!({"key": "p", "name": "P"})).await;
    let body = json!({"key": "f", "name": "F", "flag_type": "number", "default_value": 5, "description": "d",
                      "tags": ["t"], "prerequisites": ["p"], "mutual_exclusion_group": "g"});
    let mut expected = create(&owner, &flags, body).await;
    let emptied = json!({"description": null, "default_value": null, "tags": null, "prerequisites": null,
                         "mutual_exclusion_group": null});
    expected["description"] = json!("");
    expected["default_value"] = json!(0);
    expected["tags"] = json!([]);
    expected["prerequisites"] = json!([]);
    expected["mutual_exclusion_group"] = json!("");
    let answer = owner.put(&format!("{flags}/f"), emptied).await;
    answer.expect(200, expected);
}

#[tokio::test]
async fn a_bad_update_changes_nothing() {
    let (_app, owner) = App::with_owner().await;
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
