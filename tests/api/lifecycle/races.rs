//! Logins that arrive while the organization is being deleted, and deletions that arrive while somebody signs in.

use harness::user::PASSWORD;
use harness::{App, Response, User};
use serde_json::json;
use sqlx::{Postgres, Transaction};
use tokio::task::JoinHandle;

use super::{
    LONG_TOKENS, begin_purge, deletion, exists, is_deleted, lifecycle, login, refresh, soft_delete,
    until_due, with_free_owner,
};
use crate::trail;

/// Holds what a statement about this id locks.
async fn hold(app: &App, statement: &'static str, id: &str) -> Transaction<'static, Postgres> {
    let mut holder = app.pool().begin().await.unwrap();
    let locked = sqlx::query(statement).bind(id);
    locked.execute(&mut *holder).await.unwrap();
    holder
}

const HOLD_ORG: &str = "SELECT FROM organizations WHERE id = $1::uuid FOR NO KEY UPDATE";
/// As a login does that has not committed yet.
const SIGN_IN: &str = "UPDATE org_activity
    SET last_login_at = last_login_at + interval '80 days', deletion_warned_at = NULL, purge_warned_at = NULL
    WHERE org_id = $1::uuid";

fn retiring(app: &App) -> JoinHandle<()> {
    let life = lifecycle(app);
    tokio::spawn(async move { life.retire_inactive().await.unwrap() })
}

/// The deletion of an organization, which waits for the end of what a statement locks.
async fn waiting_deletion(
    app: &App,
    statement: &'static str,
    owner: &User,
) -> (Transaction<'static, Postgres>, JoinHandle<()>) {
    let holder = hold(app, statement, &owner.org_id).await;
    let job = retiring(app);
    app.until_waiting_for_locks(1).await;
    (holder, job)
}

/// A permanent deletion whose last statement about an account waits, with the account locked.
async fn waiting_purge(
    app: &App,
    owner: &User,
) -> (Transaction<'static, Postgres>, JoinHandle<()>) {
    let of_members = "SELECT FROM members WHERE user_id = $1::uuid FOR UPDATE";
    let holder = hold(app, of_members, &owner.id).await;
    let life = lifecycle(app);
    let job = tokio::spawn(async move { life.purge_organizations().await.unwrap() });
    app.until_waiting_for_locks(1).await;
    (holder, job)
}

fn signing_in(app: &App, owner: &User) -> JoinHandle<Response> {
    let anonymous = app.anonymous();
    let body = json!({"email": owner.email, "password": PASSWORD});
    tokio::spawn(async move { anonymous.post("/v1/auth/login", body).await })
}

fn refreshing(app: &App, owner: &User) -> JoinHandle<Response> {
    let anonymous = app.anonymous();
    let body = json!({"refresh_token": owner.refresh_token});
    tokio::spawn(async move { anonymous.post("/v1/auth/refresh", body).await })
}

#[tokio::test]
async fn a_login_that_waits_for_the_deletion_restores_the_organization() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    until_due(&app).await;
    let (holder, job) = waiting_deletion(&app, HOLD_ORG, &owner).await;
    let signing_in = signing_in(&app, &owner);
    app.until_waiting_for_locks(2).await;
    holder.commit().await.unwrap();
    job.await.unwrap();
    signing_in.await.unwrap().expect_status(200);
    assert!(!is_deleted(&app, &owner).await);
    for action in ["organization.soft_deleted", "organization.restored"] {
        let told = trail::of_action(&app, &owner, action).await;
        assert_eq!(told.len(), 1, "{action}");
    }
}

#[tokio::test]
async fn a_refresh_that_waits_for_the_deletion_restores_the_organization() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    until_due(&app).await;
    let (holder, job) = waiting_deletion(&app, HOLD_ORG, &owner).await;
    let refreshing = refreshing(&app, &owner);
    app.until_waiting_for_locks(2).await;
    holder.commit().await.unwrap();
    job.await.unwrap();
    refreshing.await.unwrap().expect_status(200);
    assert!(!is_deleted(&app, &owner).await);
}

#[tokio::test]
async fn a_deletion_that_waits_for_a_login_does_not_happen() {
    let (app, owner) = with_free_owner(&[]).await;
    until_due(&app).await;
    let (holder, job) = waiting_deletion(&app, SIGN_IN, &owner).await;
    holder.commit().await.unwrap();
    job.await.unwrap();
    assert!(!is_deleted(&app, &owner).await);
}

#[tokio::test]
async fn a_login_that_waits_for_the_permanent_deletion_is_401() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    soft_delete(&app).await;
    until_due(&app).await;
    let (holder, job) = waiting_deletion(&app, HOLD_ORG, &owner).await;
    let (signing_in, refreshing) = (signing_in(&app, &owner), refreshing(&app, &owner));
    app.until_waiting_for_locks(3).await;
    holder.commit().await.unwrap();
    job.await.unwrap();
    let answer = signing_in.await.unwrap();
    answer.expect_error(401, "invalid credentials");
    let answer = refreshing.await.unwrap();
    answer.expect_error(401, "invalid or expired token");
    assert!(deletion(&app, &owner).await.1.is_some());
}

#[tokio::test]
async fn a_permanent_deletion_that_waits_for_a_restoring_login_does_not_begin() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    soft_delete(&app).await;
    until_due(&app).await;
    // The login holds the activity, and waits for the organization that it restores.
    let holder = hold(&app, HOLD_ORG, &owner.org_id).await;
    let signing_in = signing_in(&app, &owner);
    app.until_waiting_for_locks(1).await;
    let job = retiring(&app);
    app.until_waiting_for_locks(2).await;
    holder.commit().await.unwrap();
    signing_in.await.unwrap().expect_status(200);
    job.await.unwrap();
    assert_eq!(deletion(&app, &owner).await, (None, None));
}

#[tokio::test]
async fn a_login_that_waits_for_the_deletion_of_its_account_is_401() {
    let (app, owner) = with_free_owner(&[]).await;
    soft_delete(&app).await;
    begin_purge(&app).await;
    let (holder, job) = waiting_purge(&app, &owner).await;
    let signing_in = signing_in(&app, &owner);
    app.until_waiting_for_locks(2).await;
    holder.commit().await.unwrap();
    job.await.unwrap();
    let answer = signing_in.await.unwrap();
    answer.expect_error(401, "invalid credentials");
    assert!(!exists(&app, &owner).await);
}

#[tokio::test]
async fn who_is_invited_elsewhere_while_their_account_is_deleted_has_a_new_one() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    soft_delete(&app).await;
    begin_purge(&app).await;
    let other = app.signup("globex").await;
    let (holder, job) = waiting_purge(&app, &owner).await;
    let body = json!({"email": owner.email, "role": "viewer"});
    let inviting = {
        let other = other.clone();
        tokio::spawn(async move { other.post("/v1/members/invite", body).await })
    };
    app.until_waiting_for_locks(2).await;
    holder.commit().await.unwrap();
    job.await.unwrap();
    inviting.await.unwrap().expect_status(201);
    let listed = other.member_id_of(&owner.email).await;
    assert!(!listed.is_empty());
    assert!(!exists(&app, &owner).await);
}

#[tokio::test]
async fn logins_and_all_jobs_at_once_leave_an_organization_that_can_be_entered() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    for _ in 0..5 {
        soft_delete(&app).await;
        until_due(&app).await;
        let (one, other) = (lifecycle(&app), lifecycle(&app));
        let (first, second, signed_in, refreshed) = tokio::join!(
            one.retire_inactive(),
            other.retire_inactive(),
            login(&app, &owner.email),
            refresh(&app, &owner),
        );
        first.unwrap();
        second.unwrap();
        if deletion(&app, &owner).await.1.is_some() {
            // The deletion came first, and so it stays.
            signed_in.expect_error(401, "invalid credentials");
            refreshed.expect_error(401, "invalid or expired token");
            return;
        }
        signed_in.expect_status(200);
        let owner = owner.sign_in_again().await;
        owner.get("/v1/projects").await.expect_status(200);
    }
}
