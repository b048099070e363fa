//! Flags themselves; their states are in `flag_states`.

mod create;
mod history;
mod limits;
mod overview;
mod prerequisites;
mod update;
mod uses;

use harness::{App, Response, User};
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
