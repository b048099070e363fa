//! How many environments a project may have.

use harness::App;
use serde_json::json;

use super::collection;
use crate::projects::downgrade;

#[tokio::test]
async fn the_free_plan_has_two_environments_in_a_project() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let environments = collection(&owner).await;
    downgrade(&app, &owner).await;
    let limit = "plan limit reached: environments";
    owner
        .post(&environments, json!({"name": "Fourth"}))
        .await
        .expect_error(402, limit);
    owner
        .post(&environments, json!({"name": "Dev"}))
        .await
        .expect_error(402, limit);

    // What exists beyond the limit stays usable, and makes no room.
    owner
        .delete(&format!("{environments}/{}", project.dev))
        .await
        .expect_status(204);
    owner
        .post(&environments, json!({"name": "Third"}))
        .await
        .expect_error(402, limit);
    owner
        .delete(&format!("{environments}/{}", project.staging))
        .await
        .expect_status(204);
    owner
        .post(&environments, json!({"name": "Third"}))
        .await
        .expect_status(201);
}

#[tokio::test]
async fn the_last_environment_is_given_once() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let elsewhere = app.another_replica().await;
    let project = owner.default_project().await;
    let environments = collection(&owner).await;
    downgrade(&app, &owner).await;
    for env_id in [&project.dev, &project.staging] {
        owner
            .delete(&format!("{environments}/{env_id}"))
            .await
            .expect_status(204);
    }
    let there = owner.at(&elsewhere);
    let (one, other) = tokio::join!(
        owner.post(&environments, json!({"name": "One"})),
        there.post(&environments, json!({"name": "Other"})),
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 402]);
}

#[tokio::test]
async fn a_project_has_at_most_200_environments() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    sqlx::query(
        "INSERT INTO environments (id, org_id, project_id, name, slug, color, version, created_at, updated_at)
         SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'e', 'e' || n, '#000000', 1, now(), now()
         FROM generate_series(1, 197) AS n",
    )
    .bind(&owner.org_id)
    .bind(&project.id)
    .execute(app.pool())
    .await
    .unwrap();
    let refused = owner
        .post(&collection(&owner).await, json!({"name": "One more"}))
        .await;
    refused.expect_error(400, "a project has at most 200 environments");
}
