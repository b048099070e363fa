//! POST of somebody new.

use std::time::Duration;

use harness::Mail;
use harness::scim::{USER, USERS, user};
use reqwest::Method;
use serde_json::{Value, json};

use super::{ADA, Scene, path, shown, sign_up};
use crate::trail;

#[tokio::test]
async fn a_new_user_is_a_member_at_once() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let body = json!({
        "schemas": [USER],
        "userName": "Ada",
        "externalId": "00u1",
        "name": {"givenName": "Ada", "familyName": "Lovelace"},
        "emails": [{"value": "Ada@Example.com", "type": "work", "primary": true}],
        "displayName": "ignored",
        "password": "ignored-too",
        "groups": [],
    });
    let made = provider.send_scim(Method::POST, USERS, &body).await;
    let id = made.text("/id");
    let expected = json!({
        "id": id,
        "userName": "Ada",
        "externalId": "00u1",
        "name": {"formatted": "Ada Lovelace", "givenName": "Ada", "familyName": "Lovelace"},
        "emails": [{"value": "Ada@Example.com", "type": "work", "primary": true}],
    });
    made.expect(201, shown(expected.clone()));
    assert_eq!(made.header("content-type"), "application/scim+json");
    let location = made.text("/meta/location");
    assert!(location.ends_with(&path(&id)), "{location}");
    assert_eq!(made.header("location"), location);
    let answer = provider.get(&path(&id)).await;
    answer.expect(200, made.body.clone());

    let member = scene.member(ADA).await;
    assert_eq!(
        member,
        json!({"id": member["id"], "org_id": owner.org_id, "role": "developer", "email": ADA, "name": "Ada Lovelace"})
    );
    let mut after = expected;
    after["active"] = json!(true);
    assert_eq!(
        trail::newest(app, owner).await,
        json!({
            "action": "scim.user_provisioned", "actor_type": "scim", "actor_id": provider.token_id,
            "resource_type": "scim", "resource_id": id, "project_id": null, "before_state": null,
            "after_state": after, "metadata": {"token_made_by": owner.id},
        })
    );
}

#[tokio::test]
async fn nobody_is_mailed_and_the_account_is_claimed_at_sign_up() {
    let scene = Scene::set().await;
    let (app, owner, provider) = scene.parts();
    let mails = |all: Vec<Mail>| all.len();
    let before = mails(app.mails().await);
    let mut body = user(ADA);
    body["name"] = json!({"formatted": "Countess Lovelace"});
    provider.create(USERS, body).await;
    assert_eq!(mails(app.mails().await), before);

    sign_up(app, ADA).await;
    let member = scene.member(ADA).await;
    assert_eq!(member["name"], "Ada");
    let joined = trail::of_action(app, owner, "member.joined").await;
    assert_eq!(joined[0]["before_state"]["name"], "Countess Lovelace");
    assert_eq!(joined[0]["after_state"], member);
}

#[tokio::test]
async fn without_a_user_name_the_first_address_stands_for_it() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let emails = json!([{"value": "a@x.test"}, {"value": "b@x.test", "primary": true}]);
    let made = provider.post(USERS, json!({"emails": emails})).await;
    let emails =
        json!([{"value": "a@x.test", "primary": false}, {"value": "b@x.test", "primary": true}]);
    made.expect(
        201,
        shown(json!({"userName": "a@x.test", "emails": emails})),
    );
    for body in [
        json!({}),
        json!({"userName": "", "emails": []}),
        json!({"userName": null, "name": {"formatted": "Ada"}}),
    ] {
        let refused = provider.post(USERS, body).await;
        refused.expect_scim_error(400, "invalidValue", "userName is required");
    }
}

#[tokio::test]
async fn the_account_has_the_primary_address_else_the_first_else_the_user_name() {
    let scene = Scene::set().await;
    for (name, emails, expected) in [
        (
            "one",
            json!([{"value": "1a@x.test", "primary": false}, {"value": "1b@x.test", "primary": true}]),
            "1b@x.test",
        ),
        (
            "two",
            json!([{"value": "2a@x.test", "primary": false}, {"value": "2b@x.test", "primary": false}]),
            "2a@x.test",
        ),
        ("3@X.test", json!([]), "3@x.test"),
    ] {
        let body = json!({"userName": name, "emails": emails});
        scene.provider.create(USERS, body).await;
        assert_eq!(scene.member(expected).await["name"], expected);
    }
}

#[tokio::test]
async fn somebody_without_an_address_is_a_member_without_one() {
    let Scene {
        app,
        owner,
        provider,
    } = Scene::set().await;
    let made = provider.post(USERS, json!({"userName": "ada"})).await;
    made.expect(201, shown(json!({"userName": "ada"})));
    let members = owner.get("/v1/members").await;
    let member = json!({"id": "[uuid]", "org_id": owner.org_id, "role": "developer", "email": null, "name": "ada"});
    let of_owner = members.body["data"][0].clone();
    members.expect(
        200,
        json!({"data": [of_owner, member], "total": 2, "limit": 50, "offset": 0, "has_more": false}),
    );
    let login = json!({"email": "ada", "password": "Correct-horse-1"});
    let refused = app.anonymous().post("/v1/auth/login", login).await;
    refused.expect_error(400, "invalid email");
}

#[tokio::test]
async fn a_user_who_is_created_inactive_is_no_member_until_they_are_active() {
    let scene = Scene::set().await;
    let mut body = user(ADA);
    body["active"] = json!("False");
    let made = scene.provider.create(USERS, body).await;
    assert_eq!(made.body["active"], false);
    assert_eq!(scene.member(ADA).await, Value::Null);
    let id = made.text("/id");
    scene
        .provider
        .set_active(&id, true)
        .await
        .expect_status(200);
    assert_eq!(scene.member(ADA).await["role"], "developer");
}

#[tokio::test]
async fn new_members_have_the_role_that_is_set() {
    let scene = Scene::set_with(&[("SCIM_DEFAULT_ROLE", "viewer")]).await;
    scene.provider.provision(ADA).await;
    assert_eq!(scene.member(ADA).await["role"], "viewer");
}

#[tokio::test]
async fn values_that_break_a_rule_are_400() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let long = "x".repeat(256);
    let many: Vec<_> = (0..21)
        .map(|n| json!({"value": format!("{n}@x.test")}))
        .collect();
    let two =
        json!([{"value": "a@x.test", "primary": true}, {"value": "b@x.test", "primary": "true"}]);
    for (field, value, words) in [
        ("userName", json!(7), "userName must be a text"),
        (
            "userName",
            json!(long),
            "userName must have at most 255 characters",
        ),
        (
            "userName",
            json!("a\nb"),
            "userName must not contain control characters",
        ),
        (
            "externalId",
            json!(long),
            "externalId must have at most 255 characters",
        ),
        ("name", json!("Ada"), "name must be an object"),
        (
            "name",
            json!({"givenName": ["Ada"]}),
            "name.givenName must be a text",
        ),
        (
            "emails",
            json!("a@x.test"),
            "each of emails must be an object",
        ),
        (
            "emails",
            json!([{"value": "nobody"}]),
            "emails.value must be an e-mail address",
        ),
        (
            "emails",
            json!([{"type": "work"}]),
            "emails.value must be an e-mail address",
        ),
        (
            "emails",
            json!([{"value": "a@x.test", "type": "x".repeat(65)}]),
            "emails.type must have at most 64 characters",
        ),
        ("emails", json!(many), "a user has at most 20 emails"),
        ("emails", two, "only one of emails may be primary"),
        ("active", json!("perhaps"), "active must be true or false"),
    ] {
        let mut body = user(ADA);
        body[field] = value;
        let refused = provider.post(USERS, body).await;
        refused.expect_scim_error(400, "invalidValue", words);
    }
    let body =
        json!({"schemas": ["urn:ietf:params:scim:schemas:core:2.0:Group"], "userName": "ada"});
    let words = format!("schemas must contain {USER}");
    let refused = provider.post(USERS, body).await;
    refused.expect_scim_error(400, "invalidSyntax", &words);
}

#[tokio::test]
async fn an_organization_has_at_most_20000_users_removed_ones_included() {
    let Scene {
        app,
        owner,
        provider,
    } = Scene::set().await;
    let id = provider.provision(ADA).await;
    app.execute(
        "WITH made AS (
             INSERT INTO users (id, name, created_at, updated_at)
             SELECT gen_random_uuid(), 'n', now(), now() FROM generate_series(1, 19999) RETURNING id
         )
         INSERT INTO scim_users
             (org_id, user_id, user_name, emails, folded_user_name, folded_emails, made_here, removed_at, created_at, updated_at)
         SELECT $1::uuid, id, id::text, '[]', id::text, '{}', true, now(), now(), now() FROM made",
        &[&owner.org_id],
    )
    .await;
    let refused = provider.post(USERS, user("bob@example.com")).await;
    let words = "an organization has at most 20000 SCIM users, those that were removed included";
    refused.expect_scim_error(400, "", words);
    // Those who are there can still be changed.
    provider.set_active(&id, false).await.expect_status(200);
    provider.act(USERS, user(ADA)).await;
}

#[tokio::test]
async fn an_organization_has_at_most_10000_members() {
    let Scene {
        app,
        owner,
        provider,
    } = Scene::set().await;
    let id = provider.provision(ADA).await;
    provider.set_active(&id, false).await.expect_status(200);
    app.execute(
        "WITH made AS (
             INSERT INTO users (id, name, created_at, updated_at)
             SELECT gen_random_uuid(), 'n', now(), now() FROM generate_series(1, 9999) RETURNING id
         )
         INSERT INTO members (id, org_id, user_id, role, created_at)
         SELECT gen_random_uuid(), $1::uuid, id, 'viewer', now() FROM made",
        &[&owner.org_id],
    )
    .await;
    app.clock.advance(Duration::from_secs(1));
    let words = "an organization has at most 10000 members";
    for refused in [
        provider.post(USERS, user("bob@example.com")).await,
        provider.set_active(&id, true).await,
    ] {
        refused.expect_scim_error(400, "", words);
    }
    let mut inactive = user("bob@example.com");
    inactive["active"] = json!(false);
    provider.create(USERS, inactive).await;
}
