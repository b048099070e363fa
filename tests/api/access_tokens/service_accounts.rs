//! Service accounts: members that no person signs in as.

use std::time::Duration;

use harness::{App, Caller, User};
use serde_json::{Value, json};

use super::REFUSED;

const ACCOUNTS: &str = "/v1/service-accounts";

async fn account(by: &User, name: &str, role: &str) -> String {
    let made = by
        .create(ACCOUNTS, json!({"name": name, "role": role}))
        .await;
    made.text("/id")
}

async fn token(app: &App, by: &User, account: &str) -> (String, Caller) {
    let made = by
        .create(
            &format!("{ACCOUNTS}/{account}/tokens"),
            json!({"name": "t"}),
        )
        .await;
    let caller = app.anonymous().with_token(&made.text("/token"));
    (made.text("/id"), caller)
}

#[tokio::test]
async fn an_account_is_made_shown_renamed_and_deleted_with_its_tokens() {
    let (app, owner) = App::with_owner().await;
    let made = owner
        .create(ACCOUNTS, json!({"name": "ci", "role": "developer"}))
        .await;
    let shown = json!({
        "id": "[uuid]", "name": "ci", "role": "developer", "custom_role_id": null, "created_at": "[time]",
        "user_id": "[uuid]",
    });
    made.expect(201, shown);
    let path = format!("{ACCOUNTS}/{}", made.text("/id"));
    owner.get(&path).await.expect(200, made.body.clone());
    let listed =
        json!({"data": [made.body], "total": 1, "limit": 50, "offset": 0, "has_more": false});
    owner.get(ACCOUNTS).await.expect(200, listed);
    let mut renamed = made.body.clone();
    renamed["name"] = json!("deploy");
    owner
        .patch(&path, json!({"name": "deploy"}))
        .await
        .expect(200, renamed);
    let (_, ci) = token(&app, &owner, &made.text("/id")).await;
    let me = ci.get("/v1/me").await;
    assert_eq!(me.text("/user/name"), "deploy");
    assert_eq!(me.text("/user/email"), "");
    owner.delete(&path).await.expect(204, Value::Null);
    ci.get("/v1/me").await.expect_error(401, REFUSED);
    owner
        .get(&path)
        .await
        .expect_error(404, "service account not found");
    let left: i64 = app
        .value(
            "SELECT COUNT(*) FROM users WHERE id = $1::uuid",
            &[&made.text("/user_id")],
        )
        .await;
    assert_eq!(left, 0);
}

#[tokio::test]
async fn a_role_and_permissions_hold_for_an_account_as_for_any_member() {
    let (app, owner, project) = App::with_project().await;
    let id = account(&owner, "ci", "developer").await;
    let (_, ci) = token(&app, &owner, &id).await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "checkout", "name": "Checkout", "flag_type": "boolean"});
    ci.create(&flags, flag.clone()).await;
    let held = json!({"permissions": [{"env_id": project.dev, "can_toggle": false, "can_edit_rules": false}]});
    owner
        .change(&format!("/v1/members/{id}/permissions"), held)
        .await;
    let state = format!("{flags}/checkout/environments/{}", project.dev);
    let refused = ci.put(&state, json!({"enabled": true})).await;
    refused.expect_error(403, "insufficient permissions for this environment");
    let demoted = owner
        .put(&format!("/v1/members/{id}"), json!({"role": "viewer"}))
        .await;
    demoted.expect_status(204);
    let refused = ci.post(&flags, flag).await;
    refused.expect_error(403, "insufficient permissions");
}

#[tokio::test]
async fn accounts_take_no_seat_and_are_not_among_the_people() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    for n in 0..5 {
        account(&owner, &format!("ci-{n}"), "owner").await;
    }
    assert_eq!(owner.get("/v1/billing/usage").await.body["seats_used"], 1);
    assert_eq!(owner.get("/v1/members").await.body["total"], 1);
    assert_eq!(owner.get("/v1/team").await.body["total"], 1);
    assert_eq!(owner.get("/v1/team?q=ci").await.body["total"], 0);
    let provider = app.identity_provider(&owner).await;
    let users = provider.get("/v1/scim/Users").await;
    assert_eq!(users.body["totalResults"], 1);
    // None of these owners can sign in.
    let me = format!("/v1/members/{}", owner.member_id().await);
    let demoted = owner.put(&me, json!({"role": "admin"})).await;
    demoted.expect_error(409, "an organization needs an owner");
}

#[tokio::test]
async fn an_account_does_not_review_what_persons_ask_for() {
    let (app, owner, project) = App::with_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "checkout", "name": "Checkout", "flag_type": "boolean"});
    owner.create(&flags, flag).await;
    let asked = json!({"flag_key": "checkout", "env_id": project.dev, "change_type": "enable"});
    let asked = owner.create("/v1/approvals", asked).await.text("/id");
    let id = account(&owner, "ci", "admin").await;
    let (_, ci) = token(&app, &owner, &id).await;
    let review = ci
        .post(
            &format!("/v1/approvals/{asked}/review"),
            json!({"action": "approve"}),
        )
        .await;
    review.expect_error(403, "insufficient permissions");
}

#[tokio::test]
async fn an_admin_makes_no_owner_and_no_token_of_one() {
    let (app, owner) = App::with_owner().await;
    let admin = app.member(&owner, "admin").await;
    let refused = admin
        .post(ACCOUNTS, json!({"name": "ci", "role": "owner"}))
        .await;
    refused.expect_error(403, "insufficient permissions");
    let id = account(&owner, "ci", "owner").await;
    let path = format!("{ACCOUNTS}/{id}");
    for refused in [
        admin
            .post(&format!("{path}/tokens"), json!({"name": "t"}))
            .await,
        admin.patch(&path, json!({"name": "mine"})).await,
        admin.delete(&path).await,
    ] {
        refused.expect_error(403, "insufficient permissions");
    }
    let fields = admin.post(ACCOUNTS, json!({})).await;
    fields.expect_error(400, "name and role are required");
    let role = json!({"name": "ci", "role": "viewer", "custom_role_id": "nothing"});
    admin
        .post(ACCOUNTS, role)
        .await
        .expect_error(404, "role not found");
}

#[tokio::test]
async fn a_rotated_token_goes_on_for_the_overlap() {
    let (app, owner) = App::with_owner().await;
    let id = account(&owner, "ci", "developer").await;
    let (token_id, old) = token(&app, &owner, &id).await;
    let path = format!("{ACCOUNTS}/{id}/tokens/{token_id}/rotate");
    let refused = owner.post(&path, json!({"overlap_hours": 169})).await;
    refused.expect_error(400, "overlap_hours must be an integer from 0 to 168");
    app.clock.advance(Duration::from_secs(600));
    let rotated = owner.create(&path, json!({"overlap_hours": 1})).await;
    let new = app.anonymous().with_token(&rotated.text("/token"));
    assert_eq!(rotated.text("/expires_at"), "2026-08-02T12:10:00Z");
    app.clock.advance(Duration::from_secs(3_599));
    for caller in [&old, &new] {
        caller.get("/v1/me").await.expect_status(200);
    }
    app.clock.advance(Duration::from_secs(1));
    old.get("/v1/me").await.expect_error(401, REFUSED);
    new.get("/v1/me").await.expect_status(200);
    let owner = owner.sign_in_again().await;
    let again = owner.post(&path, json!({})).await;
    again.expect_error(404, "access token not found");
    let revoked = format!("{ACCOUNTS}/{id}/tokens/{}", rotated.text("/id"));
    owner.delete(&revoked).await.expect(204, Value::Null);
    new.get("/v1/me").await.expect_error(401, REFUSED);
}

#[tokio::test]
async fn an_organization_has_at_most_100_accounts() {
    let (app, owner) = App::with_owner().await;
    account(&owner, "first", "viewer").await;
    app.execute(
        "WITH made AS (
             INSERT INTO users (id, name, created_at, updated_at)
             SELECT gen_random_uuid(), 'more', now(), now() FROM generate_series(1, 99)
             RETURNING id
         )
         INSERT INTO members (id, org_id, user_id, role, created_at, is_service)
         SELECT gen_random_uuid(), $1::uuid, id, 'viewer', now(), true FROM made",
        &[&owner.org_id],
    )
    .await;
    let refused = owner
        .post(ACCOUNTS, json!({"name": "more", "role": "viewer"}))
        .await;
    refused.expect_error(400, "an organization has at most 100 service accounts");
}
