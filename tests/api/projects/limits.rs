//! How many projects an organization may have.

use harness::App;
use serde_json::json;

use super::downgrade;

#[tokio::test]
async fn the_free_plan_has_one_project() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    downgrade(&app, &owner).await;
    let limit = "plan limit reached: projects";
    owner
        .post("/v1/projects", json!({"name": "Second"}))
        .await
        .expect_error(402, limit);
    // Input is checked first, conflicts last.
    owner
        .post("/v1/projects", json!({}))
        .await
        .expect_error(400, "name is required");
    owner
        .post("/v1/projects", json!({"name": "Default"}))
        .await
        .expect_error(402, limit);

    let project = owner.default_project().await;
    owner
        .delete(&format!("/v1/projects/{}", project.id))
        .await
        .expect_status(204);
    owner
        .post("/v1/projects", json!({"name": "Another first"}))
        .await
        .expect_status(201);
}

#[tokio::test]
async fn the_last_project_is_given_once() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let elsewhere = app.another_replica().await;
    downgrade(&app, &owner).await;
    let project = owner.default_project().await;
    owner
        .delete(&format!("/v1/projects/{}", project.id))
        .await
        .expect_status(204);
    let there = owner.at(&elsewhere);
    let (one, other) = tokio::join!(
        owner.post("/v1/projects", json!({"name": "One"})),
        there.post("/v1/projects", json!({"name": "Other"})),
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 402]);
}

#[tokio::test]
async fn an_organization_has_at_most_1000_projects() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    sqlx::query(
        "INSERT INTO projects (id, org_id, name, slug, created_at, updated_at)
         SELECT gen_random_uuid(), $1::uuid, 'p', 'p' || n, now(), now() FROM generate_series(1, 999) AS n",
    )
    .bind(&owner.org_id)
    .execute(app.pool())
    .await
    .unwrap();
    let refused = owner
        .post("/v1/projects", json!({"name": "One more"}))
        .await;
    refused.expect_error(400, "an organization has at most 1000 projects");
}
