//! PUT.

use harness::scim::{USERS, user};
use serde_json::{Value, json};

use super::{ADA, Scene, path};
use crate::trail;

#[tokio::test]
async fn a_put_replaces_what_the_organization_says_of_the_user() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    let body = json!({
        "userName": "Countess", "externalId": "7",
        "name": {"givenName": "Ada", "familyName": "King"},
        "emails": [{"value": "ada@lovelace.test", "type": "home", "primary": "True"}],
    });
    let before = provider.get(&path(&id)).await.body;
    let answer = provider.put(&path(&id), body).await;
    let mut after = before.clone();
    after["userName"] = json!("Countess");
    after["externalId"] = json!("7");
    after["name"] = json!({"formatted": "Ada King", "givenName": "Ada", "familyName": "King"});
    after["emails"] = json!([{"value": "ada@lovelace.test", "type": "home", "primary": true}]);
    after["meta"]["lastModified"] = json!("[time]");
    answer.expect(200, after.clone());
    provider.get(&path(&id)).await.expect(200, after);
    // The account was made for this user, and nobody else has it: it follows.
    let member = scene.member("ada@lovelace.test").await;
    assert_eq!(member["name"], "Ada King");
    let entry = trail::newest(app, owner).await;
    assert_eq!(entry["action"], "scim.user_updated");
    assert_eq!(entry["before_state"]["userName"], ADA);
    assert_eq!(entry["after_state"]["userName"], "Countess");
}

#[tokio::test]
async fn what_a_put_leaves_out_goes_but_for_addresses_and_the_membership() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let mut body = user(ADA);
    body["externalId"] = json!("7");
    body["name"] = json!({"formatted": "Ada"});
    let made = provider.post(USERS, body).await;
    let at = path(&made.text("/id"));
    // Not even a name: nothing but what it says.
    let partial = provider.put(&at, json!({"active": true})).await;
    partial.expect(200, made.body.clone());
    let answer = provider.put(&at, json!({"userName": ADA})).await;
    let mut expected = made.body.clone();
    let fields = expected.as_object_mut().unwrap();
    fields.remove("externalId");
    fields.remove("name");
    answer.expect(200, expected.clone());
    let answer = provider
        .put(&at, json!({"userName": ADA, "emails": []}))
        .await;
    expected["emails"] = json!([]);
    answer.expect(200, expected);
}

#[tokio::test]
async fn a_name_that_another_user_has_is_409_without_case() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    provider.create(USERS, json!({"userName": "Grace"})).await;
    // A member of whom the provider never said anything has a name too: their address.
    for taken in ["gRACE", &owner.email.to_uppercase()] {
        let patch = json!({"Operations": [{"op": "replace", "path": "userName", "value": taken}]});
        for refused in [
            provider.put(&path(&id), json!({"userName": taken})).await,
            provider.patch(&path(&id), patch).await,
        ] {
            refused.expect_scim_error(409, "uniqueness", "userName is taken by another user");
        }
    }
    provider
        .change(&path(&id), json!({"userName": ADA.to_uppercase()}))
        .await;
    // A removed user has no name any more.
    let grace = provider
        .get(&format!("{USERS}?filter=userName%20eq%20%22grace%22"))
        .await;
    let grace = grace.text("/Resources/0/id");
    provider.remove(&path(&grace)).await;
    provider
        .change(&path(&id), json!({"userName": "grace"}))
        .await;
}

#[tokio::test]
async fn names_are_unique_in_one_organization_only() {
    let scene = Scene::set().await;
    let (_, other) = scene.another("other").await;
    for provider in [&scene.provider, &other] {
        provider.create(USERS, json!({"userName": "grace"})).await;
    }
}

#[tokio::test]
async fn an_address_that_another_account_has_changes_the_record_alone() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    let elsewhere = app.signup("elsewhere").await;
    let id = provider.provision(ADA).await;
    let body = json!({
        "userName": ADA, "name": {"formatted": "Ada"},
        "emails": [{"value": elsewhere.email, "primary": true}],
    });
    let answer = provider.change(&path(&id), body).await;
    assert_eq!(answer.text("/emails/0/value"), elsewhere.email);
    assert_eq!(answer.text("/id"), id);
    assert_eq!(scene.member(ADA).await["name"], "Ada");
    assert_eq!(scene.member(&elsewhere.email).await, Value::Null);
}

#[tokio::test]
async fn a_member_gets_a_record_with_the_first_change_and_keeps_their_place() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    provider.provision(ADA).await;
    let before = provider.get(&path(&owner.id)).await.body;
    let answer = provider
        .put(&path(&owner.id), json!({"externalId": "boss"}))
        .await;
    let mut after = before;
    after["externalId"] = json!("boss");
    answer.expect(200, after);
    let list = provider.get(USERS).await;
    assert_eq!(list.text("/Resources/0/id"), owner.id);
    assert_eq!(list.body["totalResults"], 2);
}
