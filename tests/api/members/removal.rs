//! Removing a member.

use harness::{App, User};
use serde_json::{Value, json};

use super::{ADDRESS, entry, invite, invited, listed, path_of};
use crate::trail;

const SIGNED_OUT: &str = "invalid or expired token";

#[tokio::test]
async fn a_removed_member_is_signed_out_at_once_on_every_replica() {
    let app = App::start().await;
    let replica = app.another_replica().await;
    let owner = app.signup("acme").await;
    let member = app.member(&owner, "admin").await;
    let before = listed(&owner, &member.email).await;
    member
        .at(&replica)
        .get("/v1/members")
        .await
        .expect_status(200);

    let path = path_of(before["id"].as_str().unwrap());
    owner.delete(&path).await.expect(204, Value::Null);
    for caller in [member.at(&replica), member.at(&app.url)] {
        let answer = caller.get("/v1/members").await;
        answer.expect_error(401, SIGNED_OUT);
    }
    let body = json!({"refresh_token": member.refresh_token});
    let answer = app.anonymous().post("/v1/auth/refresh", body).await;
    answer.expect_error(401, SIGNED_OUT);
    assert_eq!(listed(&owner, &member.email).await, Value::Null);
    assert_eq!(
        trail::newest(&app, &owner).await,
        entry(
            &owner,
            "member.removed",
            &before["id"],
            &before,
            &Value::Null
        )
    );
    let refused = owner.delete(&path).await;
    refused.expect_error(404, "member not found");
}

#[tokio::test]
async fn who_is_invited_again_signs_in_anew() {
    let (app, owner) = App::with_owner().await;
    let member = app.member(&owner, "viewer").await;
    let path = path_of(&member.member_id().await);
    owner.remove(&path).await;
    invite(&owner, &member.email, "admin")
        .await
        .expect_status(201);

    let answer = member.get("/v1/members").await;
    answer.expect_error(401, SIGNED_OUT);
    let again = User::login(&app.anonymous(), &member.email, &owner.org_id).await;
    assert_eq!(listed(&again, &member.email).await["role"], "admin");
}

#[tokio::test]
async fn sessions_in_other_organizations_go_on() {
    let (app, owner) = App::with_owner().await;
    let guest = app.signup("globex").await;
    let path = invited(&owner, &guest.email, "admin").await;
    let here = User::login(&app.anonymous(), &guest.email, &owner.org_id).await;
    owner.remove(&path).await;
    here.get("/v1/members").await.expect_error(401, SIGNED_OUT);
    guest.get("/v1/members").await.expect_status(200);
    let body = json!({"refresh_token": guest.refresh_token});
    app.anonymous().act("/v1/auth/refresh", body).await;
}

#[tokio::test]
async fn removing_oneself_is_400_also_for_the_last_owner() {
    let (app, owner) = App::with_owner().await;
    let admin = app.member(&owner, "admin").await;
    for user in [&owner, &admin] {
        let path = path_of(&user.member_id().await);
        user.delete(&path)
            .await
            .expect_error(400, "members cannot remove themselves");
    }
}

#[tokio::test]
async fn only_an_owner_removes_owners() {
    let (app, owner) = App::with_owner().await;
    let admin = app.member(&owner, "admin").await;
    let second = invited(&owner, ADDRESS, "owner").await;
    let refused = admin.delete(&second).await;
    refused.expect_error(403, "insufficient permissions");
    owner.remove(&second).await;

    let viewer = invited(&owner, ADDRESS, "viewer").await;
    admin.remove(&viewer).await;
}
