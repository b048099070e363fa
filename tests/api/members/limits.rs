//! How many members an organization may have.

use std::time::Duration;

use harness::{App, statuses};
use serde_json::json;

use super::{ADDRESS, invite, invited, listed};
use crate::projects::downgrade;

const NO_SEAT: &str = "plan limit reached: seats";

#[tokio::test]
async fn the_free_plan_has_three_seats_stubs_included() {
    let (app, owner) = App::with_owner().await;
    downgrade(&app, &owner).await;
    invited(&owner, "a@example.com", "viewer").await;
    let last = invited(&owner, "b@example.com", "viewer").await;
    invite(&owner, ADDRESS, "viewer")
        .await
        .expect_error(402, NO_SEAT);
    assert_eq!(listed(&owner, ADDRESS).await, json!(null));

    // Input and roles are checked first; who is a member needs no seat.
    invite(&owner, "ada", "viewer")
        .await
        .expect_error(400, "invalid email");
    invite(&owner, "a@example.com", "viewer")
        .await
        .expect_error(409, "user is already a member");

    owner.remove(&last).await;
    invite(&owner, ADDRESS, "viewer").await.expect_status(201);
}

#[tokio::test]
async fn a_refused_invitation_leaves_no_account() {
    let (app, owner) = App::with_owner().await;
    downgrade(&app, &owner).await;
    invited(&owner, "a@example.com", "viewer").await;
    invited(&owner, "b@example.com", "viewer").await;
    invite(&owner, ADDRESS, "viewer")
        .await
        .expect_error(402, NO_SEAT);
    // Register refuses an address that has one.
    let body = json!({"email": ADDRESS, "password": "Correct-horse-1", "name": "Ada", "org_name": "Engines"});
    app.anonymous().create("/v1/auth/register", body).await;
}

#[tokio::test]
async fn what_exists_beyond_the_seats_stays_usable() {
    let (app, owner) = App::with_owner().await;
    let developer = app.member(&owner, "developer").await;
    for email in ["a@example.com", "b@example.com", "c@example.com"] {
        invited(&owner, email, "viewer").await;
    }
    downgrade(&app, &owner).await;
    developer.get("/v1/members").await.expect_status(200);
    let path = super::path_of(&developer.member_id().await);
    let answer = owner.put(&path, json!({"role": "admin"})).await;
    answer.expect_status(204);
    owner.remove(&path).await;
    invite(&owner, ADDRESS, "viewer")
        .await
        .expect_error(402, NO_SEAT);
}

#[tokio::test]
async fn a_trial_that_ended_has_the_limits_of_free() {
    let (app, owner) = App::with_owner_and(&[("TOKEN_TTL_MINUTES", "40000")]).await;
    invited(&owner, "a@example.com", "viewer").await;
    invited(&owner, "b@example.com", "viewer").await;
    let environments = format!(
        "/v1/projects/{}/environments",
        owner.default_project().await.id
    );
    app.clock.advance(Duration::from_secs(14 * 24 * 60 * 60));
    invite(&owner, ADDRESS, "viewer")
        .await
        .expect_error(402, NO_SEAT);
    let refused = owner.post("/v1/projects", json!({"name": "Second"})).await;
    refused.expect_error(402, "plan limit reached: projects");
    let refused = owner.post(&environments, json!({"name": "Fourth"})).await;
    refused.expect_error(402, "plan limit reached: environments");
}

#[tokio::test]
async fn the_last_seat_is_given_once() {
    let (app, owner) = App::with_owner().await;
    let elsewhere = app.another_replica().await;
    downgrade(&app, &owner).await;
    invited(&owner, "a@example.com", "viewer").await;
    let body = json!({"email": "c@example.com"});
    let there = owner.at(&elsewhere);
    let (one, other) = tokio::join!(
        invite(&owner, "b@example.com", "viewer"),
        there.post("/v1/members/invite", body),
    );
    assert_eq!(statuses([&one, &other]), [201, 402]);
}

#[tokio::test]
async fn an_organization_has_at_most_10000_members() {
    let (app, owner) = App::with_owner().await;
    app.execute(
        "WITH stubs AS (
             INSERT INTO users (id, email, name, created_at, updated_at)
             SELECT gen_random_uuid(), n || '@many.test', 'n', now(), now() FROM generate_series(1, 9999) AS n
             RETURNING id
         )
         INSERT INTO members (id, org_id, user_id, role, created_at)
         SELECT gen_random_uuid(), $1::uuid, id, 'viewer', now() FROM stubs",
        &[&owner.org_id],
    )
    .await;
    invite(&owner, ADDRESS, "viewer")
        .await
        .expect_error(400, "an organization has at most 10000 members");
    invite(&owner, "7@many.test", "viewer")
        .await
        .expect_error(409, "user is already a member");
}
