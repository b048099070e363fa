//! The requests of Entra ID and of Okta, as they send them when they provision, change, suspend and remove somebody.

use harness::scim::{USER, USERS};
use reqwest::Method;
use serde_json::{Value, json};

use super::{ADA, Scene, operations, path};

const ENTERPRISE: &str = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User";

#[tokio::test]
async fn entra_id_keeps_a_user() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    // It looks for the user before it makes one.
    let by_name = format!("{USERS}?filter=userName+eq+%22{ADA}%22");
    let found = provider.get(&by_name).await;
    assert_eq!(
        (found.status, &found.body["totalResults"]),
        (200, &json!(0))
    );
    let body = json!({
        "schemas": [USER, ENTERPRISE],
        "externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef",
        "userName": ADA,
        "active": true,
        "addresses": [],
        "displayName": "Ada Lovelace",
        "emails": [{"primary": true, "type": "work", "value": ADA}],
        "meta": {"resourceType": "User"},
        "name": {"formatted": "Ada Lovelace", "familyName": "Lovelace", "givenName": "Ada"},
        "roles": [],
        "title": "Countess",
        (ENTERPRISE): {"department": "Engines", "manager": {"value": "26118915"}},
    });
    let made = provider.send_scim(Method::POST, USERS, &body).await;
    made.expect_status(201);
    let at = path(&made.text("/id"));
    let by_external_id =
        format!("{USERS}?filter=externalId+eq+%220A21F0F2-8d2a-4f8e-bf98-7363c4aed4ef%22");
    let found = provider.get(&by_external_id).await;
    assert_eq!(found.body["Resources"], json!([made.body]));

    let update = operations(json!([
        {"op": "Replace", "path": "emails[type eq \"work\"].value", "value": "ada@lovelace.test"},
        {"op": "Replace", "path": "name.familyName", "value": "King"},
        {"op": "Add", "path": "name.formatted", "value": "Ada King"},
    ]));
    let updated = provider.send_scim(Method::PATCH, &at, &update).await;
    updated.expect_status(200);
    assert_eq!(
        updated.body["emails"],
        json!([{"value": "ada@lovelace.test", "type": "work", "primary": true}])
    );
    assert_eq!(scene.member("ada@lovelace.test").await["name"], "Ada King");

    let suspend = operations(json!([{"op": "Replace", "path": "active", "value": "False"}]));
    let suspended = provider.send_scim(Method::PATCH, &at, &suspend).await;
    assert_eq!(
        (suspended.status, &suspended.body["active"]),
        (200, &json!(false))
    );
    assert_eq!(scene.member("ada@lovelace.test").await, Value::Null);
    provider.delete(&at).await.expect(204, Value::Null);
}

#[tokio::test]
async fn okta_keeps_a_user() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let by_name = format!("{USERS}?filter=userName%20eq%20%22{ADA}%22&startIndex=1&count=100");
    let found = provider.get(&by_name).await;
    assert_eq!((found.status, &found.body["Resources"]), (200, &json!([])));
    let body = json!({
        "schemas": [USER],
        "userName": ADA,
        "name": {"givenName": "Ada", "familyName": "Lovelace"},
        "emails": [{"primary": true, "value": ADA, "type": "work"}],
        "displayName": "Ada Lovelace",
        "locale": "en-US",
        "externalId": "00ujl29u0le5T6Aj10h7",
        "groups": [],
        "password": "1mz050nq",
        "active": true,
    });
    let made = provider.send_scim(Method::POST, USERS, &body).await;
    made.expect_status(201);
    let at = path(&made.text("/id"));

    // What it was answered, with changes.
    let mut whole = made.body.clone();
    whole["name"] = json!({"givenName": "Ada", "familyName": "King"});
    let replaced = provider.send_scim(Method::PUT, &at, &whole).await;
    replaced.expect_status(200);
    assert_eq!(replaced.text("/name/formatted"), "Ada King");

    for active in [false, true] {
        let body = operations(json!([{"op": "replace", "value": {"active": active}}]));
        let answer = provider.send_scim(Method::PATCH, &at, &body).await;
        assert_eq!(
            (answer.status, &answer.body["active"]),
            (200, &json!(active))
        );
        assert_eq!(scene.member(ADA).await != Value::Null, active);
    }
    let page = provider
        .get(&format!("{USERS}?startIndex=1&count=100"))
        .await;
    assert_eq!(
        (&page.body["totalResults"], &page.body["itemsPerPage"]),
        (&json!(2), &json!(2))
    );
}
