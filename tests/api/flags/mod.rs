//! Flags themselves; their states are in `flag_states`.

mod archive;
mod bulk;
mod compare;
mod create;
mod history;
mod limits;
mod overview;
mod owner;
mod prerequisites;
pub mod reach;
mod update;
mod uses;

use harness::{App, Response, User};
use serde_json::{Value, json};

/// The path of the default project's flags.
async fn collection(user: &User) -> String {
    format!("/v1/projects/{}/flags", user.default_project().await.id)
}

async fn create(user: &User, flags: &str, body: Value) -> Value {
    user.create(flags, body).await.body
}

fn version(answer: &Response) -> u64 {
    answer.header("x-snapshot-version").parse().unwrap()
}

#[tokio::test]
async fn a_list_leaves_out_three_fields() {
    let (_app, owner) = App::with_owner().await;
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
               "owner_id": null, "created_at": "[time]", "updated_at": "[time]"})
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
    let (_app, owner) = App::with_owner().await;
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
    let refused = owner.delete(&path).await;
    refused.expect_error(404, "flag not found");
    assert_eq!(
        owner.get(&format!("{flags}/dependant")).await.body["prerequisites"],
        json!(["f"])
    );
    create(&owner, &flags, json!({"key": "f", "name": "Again"})).await;
}
