//! What an invited person finds: an account to claim at sign-up, several organizations, a choice at login.

use harness::user::PASSWORD;
use harness::{App, Response, User};
use serde_json::{Value, json};

use super::{ADDRESS, entry, invite, invited, listed, path_of};
use crate::trail;

/// Signs up with the code that is mailed.
async fn sign_up(app: &App, email: &str) -> Response {
    let anonymous = app.anonymous();
    let body = json!({"email": email, "password": PASSWORD, "name": "Ada", "org_name": "Engines"});
    anonymous.act("/v1/auth/initiate-signup", body).await;
    let otp = app.mail_to(email).await.code().to_owned();
    let body = json!({"email": email, "otp": otp});
    anonymous.post("/v1/auth/complete-signup", body).await
}

async fn login(app: &App, email: &str, org_id: Option<&str>) -> Response {
    let mut body = json!({"email": email, "password": PASSWORD});
    if let Some(org_id) = org_id {
        body["org_id"] = json!(org_id);
    }
    app.anonymous().post("/v1/auth/login", body).await
}

/// Where the tokens of an answer lead: the organization of the members that they list.
async fn org_of(app: &App, answer: &Response) -> String {
    let caller = app
        .anonymous()
        .with_token(&answer.text("/tokens/access_token"));
    caller.get("/v1/members").await.text("/data/0/org_id")
}

#[tokio::test]
async fn an_invited_stub_cannot_sign_in() {
    let (app, owner) = App::with_owner().await;
    invited(&owner, ADDRESS, "viewer").await;
    for org_id in [None, Some(owner.org_id.as_str())] {
        login(&app, ADDRESS, org_id)
            .await
            .expect_error(401, "invalid credentials");
    }
}

#[tokio::test]
async fn an_invited_stub_is_claimed_at_sign_up() {
    let (app, owner) = App::with_owner().await;
    let stub = invite(&owner, ADDRESS, "developer").await.body;

    let answer = sign_up(&app, ADDRESS).await;
    answer.expect_status(201);
    assert_ne!(answer.text("/organization/id"), owner.org_id);
    let mut member = stub.clone();
    member["name"] = json!("Ada");
    assert_eq!(listed(&owner, ADDRESS).await, member);

    let joined = User::login(&app.anonymous(), ADDRESS, &owner.org_id).await;
    let flags = format!("/v1/projects/{}/flags", owner.default_project().await.id);
    let flag = json!({"key": "f", "name": "F"});
    joined.create(&flags, flag).await;
    assert_eq!(
        trail::of_action(&app, &owner, "member.joined").await,
        [entry(&joined, "member.joined", &stub["id"], &stub, &member)]
    );
}

#[tokio::test]
async fn a_stub_of_two_organizations_joins_both() {
    let app = App::start().await;
    let owners = [app.signup("acme").await, app.signup("globex").await];
    for owner in &owners {
        invited(owner, ADDRESS, "viewer").await;
        assert!(app.mail_to(ADDRESS).await.link().contains("/signup?"));
    }
    sign_up(&app, ADDRESS).await.expect_status(201);
    for owner in &owners {
        let joined = trail::of_action(&app, owner, "member.joined").await;
        assert_eq!(joined.len(), 1);
        let answer = login(&app, ADDRESS, Some(&owner.org_id)).await;
        answer.expect_status(200);
        assert_eq!(org_of(&app, &answer).await, owner.org_id);
    }
}

#[tokio::test]
async fn a_stub_that_was_removed_again_is_claimed_without_a_membership() {
    let (app, owner) = App::with_owner().await;
    let path = invited(&owner, ADDRESS, "viewer").await;
    owner.remove(&path).await;
    sign_up(&app, ADDRESS).await.expect_status(201);
    login(&app, ADDRESS, Some(&owner.org_id))
        .await
        .expect_error(403, "not a member of the organization");
    assert_eq!(
        trail::of_action(&app, &owner, "member.joined").await,
        [Value::Null; 0]
    );
}

#[tokio::test]
async fn login_chooses_the_organization_that_is_asked_for_else_the_last_used() {
    let (app, owner) = App::with_owner().await;
    let guest = app.signup("globex").await;
    invited(&owner, &guest.email, "viewer").await;

    let answer = login(&app, &guest.email, None).await;
    assert_eq!(org_of(&app, &answer).await, guest.org_id);
    app.clock.advance(std::time::Duration::from_secs(1));
    let answer = login(&app, &guest.email, Some(&owner.org_id)).await;
    assert_eq!(org_of(&app, &answer).await, owner.org_id);
    let answer = login(&app, &guest.email, None).await;
    assert_eq!(org_of(&app, &answer).await, owner.org_id);
}

#[tokio::test]
async fn login_to_an_organization_without_membership_is_403() {
    let (app, owner) = App::with_owner().await;
    let stranger = app.signup("globex").await;
    login(&app, &stranger.email, Some(&owner.org_id))
        .await
        .expect_error(403, "not a member of the organization");
}

#[tokio::test]
async fn roles_differ_from_organization_to_organization() {
    let (app, owner) = App::with_owner().await;
    let guest = app.signup("globex").await;
    let there = listed(&guest, &guest.email).await["id"].clone();
    invited(&owner, &guest.email, "viewer").await;
    let as_viewer = User::login(&app.anonymous(), &guest.email, &owner.org_id).await;
    let project = json!({"name": "Shop"});
    let refused = as_viewer.post("/v1/projects", project.clone()).await;
    refused.expect_error(403, "insufficient permissions");
    guest.create("/v1/projects", project).await;
    // The other membership of the same user belongs to another organization.
    let refused = as_viewer
        .get(&format!("{}/permissions", path_of(there.as_str().unwrap())))
        .await;
    refused.expect_error(404, "member not found");
}

#[tokio::test]
async fn the_name_of_an_account_is_its_holders_until_they_join() {
    let app = App::start().await;
    let [owner, stranger] = [app.signup("acme").await, app.signup("globex").await];
    let name = json!({"name": "Victor Private"});
    stranger.patch("/v1/me", name).await.expect_status(200);
    invited(&owner, &stranger.email, "viewer").await;

    assert_eq!(
        listed(&owner, &stranger.email).await["name"],
        stranger.email
    );
    let newest = owner.get("/v1/audit?limit=1").await;
    assert_eq!(newest.body["data"][0]["resource_name"], stranger.email);
    let searched = owner.get("/v1/audit?q=private").await;
    assert_eq!(searched.body["total"], 0, "{searched:?}");
    let found = owner.get("/v1/search?q=private").await;
    assert_eq!(found.body["total"], 0, "{found:?}");
    let found = owner.get(&format!("/v1/search?q={}", stranger.email)).await;
    assert_eq!(found.body["data"][0]["name"], stranger.email);
}
