//! POST of somebody who is there already: a user of the organization, one who was removed, or somebody who has an account.

use harness::User;
use harness::scim::{USER, USERS, user};
use serde_json::{Value, json};

use super::{ADA, Scene, path, shown};
use crate::trail;

#[tokio::test]
async fn a_user_who_is_there_is_answered_with() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let body = json!({"userName": ADA, "externalId": "1", "name": {"formatted": "Ada"}, "emails": [{"value": ADA}]});
    let made = provider.create(USERS, body).await;
    let again =
        json!({"schemas": [USER], "userName": ADA.to_uppercase(), "name": {"formatted": "Ada L."}});
    let again = provider.post(USERS, again).await;
    let mut expected = made.body.clone();
    expected["userName"] = json!(ADA.to_uppercase());
    expected["name"] = json!({"formatted": "Ada L."});
    again.expect(200, expected);
    let members = owner.get("/v1/members").await;
    assert_eq!(members.body["total"], 2);
}

#[tokio::test]
async fn an_inactive_user_becomes_active_with_the_former_role() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    let member = scene.member(ADA).await["id"].clone();
    let member = format!("/v1/members/{}", member.as_str().unwrap());
    let answer = owner.put(&member, json!({"role": "admin"})).await;
    answer.expect_status(204);
    provider.set_active(&id, false).await.expect_status(200);
    let again = provider.act(USERS, user(ADA)).await;
    assert_eq!(
        (again.text("/id"), &again.body["active"]),
        (id, &json!(true))
    );
    assert_eq!(scene.member(ADA).await["role"], "admin");
}

#[tokio::test]
async fn a_user_who_is_posted_as_inactive_is_deactivated() {
    let scene = Scene::set().await;
    let id = scene.provider.provision(ADA).await;
    let mut body = user(ADA);
    body["active"] = json!(false);
    let again = scene.provider.act(USERS, body).await;
    assert_eq!(
        (again.text("/id"), &again.body["active"]),
        (id, &json!(false))
    );
    assert_eq!(scene.member(ADA).await, Value::Null);
}

#[tokio::test]
async fn a_member_whom_a_person_invited_is_found_by_their_address() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let grace = "grace@example.com";
    let named = json!({"userName": "grace", "emails": [{"value": grace}]});
    for (address, body) in [(ADA, user(ADA)), (grace, named)] {
        let invite = json!({"email": address, "role": "viewer"});
        owner.create("/v1/members/invite", invite).await;
        let found = provider.post(USERS, body.clone()).await;
        let expected = json!({
            "userName": body["userName"], "name": {"formatted": address},
            "emails": [{"value": address, "primary": true}],
        });
        found.expect(200, shown(expected));
        assert_eq!(scene.member(address).await["role"], "viewer");
        let entry = trail::newest(app, owner).await;
        assert_eq!(entry["action"], "scim.user_updated");
    }
}

#[tokio::test]
async fn somebody_with_an_account_becomes_a_member_with_it() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let elsewhere = app.signup("elsewhere").await;
    let found = provider.post(USERS, user(&elsewhere.email)).await;
    let expected = json!({
        "userName": elsewhere.email, "emails": [{"value": elsewhere.email, "primary": true}],
    });
    found.expect(201, shown(expected));
    assert_eq!(found.text("/id"), elsewhere.id);
    assert_eq!(scene.member(&elsewhere.email).await["role"], "developer");
    let entry = trail::newest(app, owner).await;
    assert_eq!(entry["action"], "scim.user_provisioned");
    assert_eq!(entry["before_state"], Value::Null);
}

#[tokio::test]
async fn an_account_elsewhere_is_answered_like_none() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let elsewhere = app.signup("elsewhere").await;
    let nobody = "owner@nowhere.test";
    let mut answers = Vec::new();
    for address in [nobody, &elsewhere.email] {
        let made = provider.post(USERS, json!({"userName": address})).await;
        made.expect(201, shown(json!({"userName": address})));
        let read = provider.get(&path(&made.text("/id"))).await;
        let shown = [read.body.clone(), scene.member(address).await];
        let shown = json!(shown).to_string().replace(address, "ADDRESS");
        let ids = [&read.body["id"], &scene.member(address).await["id"]];
        let shown = ids
            .iter()
            .fold(shown, |shown, id| shown.replace(id.as_str().unwrap(), "ID"));
        answers.push(shown);
    }
    assert_eq!(answers[0], answers[1]);

    // What the provider says is what the organization calls them, until they sign in to it.
    let named = json!({"userName": elsewhere.email, "name": {"formatted": "Vicky"}});
    provider.act(USERS, named).await;
    assert_eq!(scene.member(&elsewhere.email).await["name"], "Vicky");
    User::login(&app.anonymous(), &elsewhere.email, &owner.org_id).await;
    assert_eq!(scene.member(&elsewhere.email).await["name"], "Owner");
}

#[tokio::test]
async fn two_users_do_not_share_an_account() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let one = json!({"userName": "one", "emails": [{"value": ADA}]});
    provider.create(USERS, one).await;
    let other = json!({"userName": "other", "emails": [{"value": ADA}]});
    let refused = provider.post(USERS, other).await;
    let words = "emails has the address of another user";
    refused.expect_scim_error(409, "uniqueness", words);
}

#[tokio::test]
async fn a_removed_user_comes_back_with_the_same_account() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    for body in [user(ADA), json!({"userName": "grace"})] {
        let made = provider.create(USERS, body.clone()).await;
        let id = made.text("/id");
        provider.remove(&path(&id)).await;
        let before = owner.get("/v1/members").await.body["total"].clone();
        let back = provider.post(USERS, body).await;
        back.expect(200, made.body.clone());
        let after = owner.get("/v1/members").await.body["total"].clone();
        assert_eq!(after.as_i64(), before.as_i64().map(|total| total + 1));
        provider.remove(&path(&id)).await;
    }
}

#[tokio::test]
async fn a_removed_user_comes_back_with_the_default_role() {
    let scene = Scene::set().await;
    let (_, owner, provider) = scene.parts();
    let id = provider.provision(ADA).await;
    let member = scene.member(ADA).await;
    let member = format!("/v1/members/{}", member["id"].as_str().unwrap());
    let answer = owner.put(&member, json!({"role": "owner"})).await;
    answer.expect_status(204);
    provider.set_active(&id, false).await.expect_status(200);
    provider.remove(&path(&id)).await;
    provider.act(USERS, user(ADA)).await;
    assert_eq!(scene.member(ADA).await["role"], "developer");
}

#[tokio::test]
async fn a_name_that_somebody_else_gets_after_a_removal_gets_another_account() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let named = |address: &str| json!({"userName": "ada", "emails": [{"value": address}]});
    let first = provider
        .post(USERS, named("ada.b@x.test"))
        .await
        .text("/id");
    provider.remove(&path(&first)).await;
    let second = provider.create(USERS, named("ada.k@x.test")).await;
    assert_ne!(second.text("/id"), first);
    // The same person, once more.
    provider.remove(&path(&second.text("/id"))).await;
    let back = provider.act(USERS, named("ADA.K@x.test")).await;
    assert_eq!(back.text("/id"), second.text("/id"));
}
