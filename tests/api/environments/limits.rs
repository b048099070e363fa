//! How many environments a project may have.

use harness::{App, statuses};
use serde_json::json;

use super::collection;
use crate::projects::downgrade;

#[tokio::test]
async fn the_free_plan_has_two_environments_in_a_project() {
    let (app, owner, project) = App::with_project().await;
    let environments = collection(&owner).await;
    downgrade(&app, &owner).await;
    let limit = "plan limit reached: environments";
    let refused = owner.post(&environments, json!({"name": "Fourth"})).await;
    refused.expect_error(402, limit);
    let refused = owner.post(&environments, json!({"name": "Dev"})).await;
    refused.expect_error(402, limit);

    // What exists beyond the limit stays usable, and makes no room.
    owner
        .remove(&format!("{environments}/{}", project.dev))
        .await;
    let refused = owner.post(&environments, json!({"name": "Third"})).await;
    refused.expect_error(402, limit);
    owner
        .remove(&format!("{environments}/{}", project.staging))
        .await;
    owner.create(&environments, json!({"name": "Third"})).await;
}

#[tokio::test]
async fn the_last_environment_is_given_once() {
    let (app, owner) = App::with_owner().await;
    let elsewhere = app.another_replica().await;
    let project = owner.default_project().await;
    let environments = collection(&owner).await;
    downgrade(&app, &owner).await;
    for env_id in [&project.dev, &project.staging] {
        owner.remove(&format!("{environments}/{env_id}")).await;
    }
    let there = owner.at(&elsewhere);
    let (one, other) = tokio::join!(
        owner.post(&environments, json!({"name": "One"})),
        there.post(&environments, json!({"name": "Other"})),
    );
    assert_eq!(statuses([&one, &other]), [201, 402]);
}

#[tokio::test]
async fn a_project_has_at_most_200_environments() {
    let (app, owner, project) = App::with_project().await;
    app.execute(
        "INSERT INTO environments (id, org_id, project_id, name, slug, color, version, created_at, updated_at)
         SELECT gen_random_uuid(), $1::uuid, $2::uuid, 'e', 'e' || n, '#000000', 1, now(), now()
         FROM generate_series(1, 197) AS n",
        &[&owner.org_id, &project.id],
    )
    .await;
    let refused = owner
        .post(&collection(&owner).await, json!({"name": "One more"}))
        .await;
    refused.expect_error(400, "a project has at most 200 environments");
}
