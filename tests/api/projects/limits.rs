//! How many projects an organization may have.

use harness::{App, statuses};
use serde_json::json;

use super::downgrade;

#[tokio::test]
async fn the_free_plan_has_one_project() {
    let (app, owner) = App::with_owner().await;
    downgrade(&app, &owner).await;
    let limit = "plan limit reached: projects";
    let refused = owner.post("/v1/projects", json!({"name": "Second"})).await;
    refused.expect_error(402, limit);
    // Input is checked first, conflicts last.
    let refused = owner.post("/v1/projects", json!({})).await;
    refused.expect_error(400, "name is required");
    let refused = owner.post("/v1/projects", json!({"name": "Default"})).await;
    refused.expect_error(402, limit);

    let project = owner.default_project().await;
    owner.remove(&format!("/v1/projects/{}", project.id)).await;
    owner
        .create("/v1/projects", json!({"name": "Another first"}))
        .await;
}

#[tokio::test]
async fn the_last_project_is_given_once() {
    let (app, owner) = App::with_owner().await;
    let elsewhere = app.another_replica().await;
    downgrade(&app, &owner).await;
    let project = owner.default_project().await;
    owner.remove(&format!("/v1/projects/{}", project.id)).await;
    let there = owner.at(&elsewhere);
    let (one, other) = tokio::join!(
        owner.post("/v1/projects", json!({"name": "One"})),
        there.post("/v1/projects", json!({"name": "Other"})),
    );
    assert_eq!(statuses([&one, &other]), [201, 402]);
}

#[tokio::test]
async fn an_organization_has_at_most_1000_projects() {
    let (app, owner) = App::with_owner().await;
    app.execute(
        "INSERT INTO projects (id, org_id, name, slug, created_at, updated_at)
         SELECT gen_random_uuid(), $1::uuid, 'p', 'p' || n, now(), now() FROM generate_series(1, 999) AS n",
        &[&owner.org_id],
    )
    .await;
    let refused = owner
        .post("/v1/projects", json!({"name": "One more"}))
        .await;
    refused.expect_error(400, "an organization has at most 1000 projects");
}
