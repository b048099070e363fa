//! PATCH. The forms of operations are tested where they are read (`scim/patch/tests.rs`); here is what they lead to.

use serde_json::{Value, json};

use super::{ADA, Scene, operations, path};
use crate::trail;

#[tokio::test]
async fn operations_are_made_in_their_order() {
    let scene = Scene::set().await;
    let id = scene.provider.provision(ADA).await;
    let before = scene.provider.get(&path(&id)).await.body;
    let body = operations(json!([
        {"op": "add", "path": "externalId", "value": "7"},
        {"op": "replace", "path": "name", "value": {"givenName": "Ada", "familyName": "Byron"}},
        {"op": "replace", "path": "name.familyName", "value": "King"},
        {"op": "remove", "path": "externalId"},
        {"op": "Add", "path": "emails[type eq \"work\"].value", "value": "ada@work.test"},
    ]));
    let answer = scene.provider.patch(&path(&id), body).await;
    let mut after = before;
    after["name"] = json!({"formatted": "Ada King", "givenName": "Ada", "familyName": "King"});
    after["emails"] = json!([
        {"value": ADA, "primary": true},
        {"value": "ada@work.test", "type": "work", "primary": false},
    ]);
    answer.expect(200, after.clone());
    scene.provider.get(&path(&id)).await.expect(200, after);
}

#[tokio::test]
async fn all_operations_are_made_or_none() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    provider.provision("grace@example.com").await;
    let before = provider.get(&path(&id)).await.body;
    let entries = trail::length(app, owner).await;
    let good = json!({"op": "replace", "path": "active", "value": false});
    for (bad, status, scim_type, words) in [
        (
            json!({"op": "add", "path": "title", "value": "Countess"}),
            400,
            "invalidPath",
            "path must name active, userName, externalId, name or one of its parts, or emails",
        ),
        (
            json!({"op": "replace", "path": "active", "value": "perhaps"}),
            400,
            "invalidValue",
            "active must be true or false",
        ),
        (
            json!({"op": "remove", "path": "userName"}),
            400,
            "mutability",
            "active and userName cannot be removed",
        ),
        (
            json!({"op": "replace", "path": "id", "value": "7"}),
            400,
            "mutability",
            "id, schemas and meta cannot be changed",
        ),
        (
            json!({"op": "remove"}),
            400,
            "noTarget",
            "an operation that removes needs a path",
        ),
        (
            json!({"op": "replace", "path": "emails[type eq \"home\"].primary", "value": true}),
            400,
            "noTarget",
            "path selects none of emails",
        ),
        (
            json!({"op": "copy", "path": "active", "value": true}),
            400,
            "invalidSyntax",
            "op must be add, replace or remove",
        ),
        (
            json!({"op": "replace", "path": "userName", "value": "grace@example.com"}),
            409,
            "uniqueness",
            "userName is taken by another user",
        ),
    ] {
        let answer = provider
            .patch(&path(&id), operations(json!([good, bad])))
            .await;
        answer.expect_scim_error(status, scim_type, words);
    }
    provider.get(&path(&id)).await.expect(200, before);
    assert_eq!(trail::length(app, owner).await, entries);
}

#[tokio::test]
async fn a_body_that_is_no_list_of_at_most_100_operations_is_400() {
    let scene = Scene::set().await;
    let id = scene.provider.provision(ADA).await;
    let before = scene.provider.get(&path(&id)).await.body;
    let good = json!({"op": "replace", "path": "active", "value": false});
    for (body, words) in [
        (
            json!({"Operations": []}),
            "Operations must be a list of operations",
        ),
        (
            json!({"Operations": {}}),
            "Operations must be a list of operations",
        ),
        (
            operations(json!(vec![good.clone(); 101])),
            "a request has at most 100 operations",
        ),
        (
            json!({"schemas": ["urn:x"], "Operations": [good]}),
            "schemas must contain urn:ietf:params:scim:api:messages:2.0:PatchOp",
        ),
    ] {
        let answer = scene.provider.patch(&path(&id), body).await;
        answer.expect_scim_error(400, "invalidSyntax", words);
    }
    scene.provider.get(&path(&id)).await.expect(200, before);
}

#[tokio::test]
async fn a_patch_deactivates_and_reactivates() {
    let scene = Scene::set().await;
    let id = scene.provider.provision(ADA).await;
    for (value, active) in [(json!("False"), false), (json!(true), true)] {
        let body = operations(json!([{"op": "Replace", "path": "active", "value": value}]));
        let answer = scene.provider.patch(&path(&id), body).await;
        answer.expect_status(200);
        assert_eq!(answer.body["active"], active);
        let is_member = scene.member(ADA).await != Value::Null;
        assert_eq!(is_member, active);
    }
}

#[tokio::test]
async fn the_account_follows_a_patch() {
    let scene = Scene::set().await;
    let id = scene.provider.provision(ADA).await;
    let body = operations(json!([
        {"op": "replace", "path": "emails[primary eq true].value", "value": "ada@lovelace.test"},
        {"op": "add", "path": "name.formatted", "value": "Countess"},
    ]));
    let answer = scene.provider.patch(&path(&id), body).await;
    answer.expect_status(200);
    assert_eq!(scene.member("ada@lovelace.test").await["name"], "Countess");
    // Without an address the user name stands for one, and it is one.
    let body =
        operations(json!([{"op": "remove", "path": "emails"}, {"op": "remove", "path": "name"}]));
    let answer = scene.provider.patch(&path(&id), body).await;
    answer.expect_status(200);
    assert_eq!(scene.member(ADA).await["name"], ADA);
}
