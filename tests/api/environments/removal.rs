//! What environments leave behind when they are deleted.

use std::time::Duration;

use harness::{App, eventually};
use serde_json::json;
use sqlx::AssertSqlSafe;

async fn states(app: &App) -> i64 {
    app.value("SELECT COUNT(*) FROM flag_states", &[]).await
}

/// Deletes the `dev` environment, or the whole project, while somebody holds its states.
async fn delete_while_states_are_held(path: impl Fn(&str, &str) -> String, left: i64) {
    let (app, owner, project) = App::with_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    for key in ["a", "b"] {
        let flag = json!({"key": key, "name": key});
        owner.create(&flags, flag).await;
        for env_id in [&project.dev, &project.staging] {
            let state = format!("{flags}/{key}/environments/{env_id}");
            let body = json!({"enabled": true});
            owner.change(&state, body).await;
        }
    }
    let mut held = app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM flag_states FOR UPDATE")
        .execute(&mut *held)
        .await
        .unwrap();

    let path = path(&project.id, &project.dev);
    owner.remove(&path).await;
    assert_eq!(states(&app).await, 4, "they are left to the job");
    owner.create("/v1/projects", json!({"name": "Other"})).await;
    held.rollback().await.unwrap();
    eventually("the job deletes them", async || {
        (states(&app).await == left).then_some(())
    })
    .await;
}

#[tokio::test]
async fn deleting_an_environment_does_not_wait_for_its_states_which_go_later() {
    let path = |project: &str, dev: &str| format!("/v1/projects/{project}/environments/{dev}");
    delete_while_states_are_held(path, 2).await;
}

#[tokio::test]
async fn deleting_a_project_does_not_wait_for_its_states_which_go_later() {
    let path = |project: &str, _: &str| format!("/v1/projects/{project}");
    delete_while_states_are_held(path, 0).await;
}

async fn execute(app: &App, statement: &str) {
    sqlx::query(AssertSqlSafe(statement.to_owned()))
        .execute(app.pool())
        .await
        .unwrap();
}

#[tokio::test]
async fn states_go_though_tombstones_were_pruned_first() {
    let (app, owner, project) = App::with_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    for key in ["a", "b"] {
        let flag = json!({"key": key, "name": key});
        owner.create(&flags, flag).await;
        let state = format!("{flags}/{key}/environments/{}", project.dev);
        let body = json!({"enabled": true});
        owner.change(&state, body).await;
    }
    // Nothing deletes states until this is gone.
    for statement in [
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END $$",
        "CREATE TRIGGER refuse BEFORE DELETE ON flag_states FOR EACH STATEMENT EXECUTE FUNCTION refuse()",
    ] {
        execute(&app, statement).await;
    }
    let dev = format!("/v1/projects/{}/environments/{}", project.id, project.dev);
    owner.remove(&dev).await;
    // An environment that had no states goes as soon as it is old enough.
    let staging = format!(
        "/v1/projects/{}/environments/{}",
        project.id, project.staging
    );
    owner.remove(&staging).await;
    app.clock.advance(Duration::from_secs(8 * 24 * 60 * 60));
    app.depose_the_leader().await;
    eventually("old tombstones are pruned", async || {
        let left: Vec<String> = sqlx::query_scalar("SELECT env_id::text FROM removed_environments")
            .fetch_all(app.pool())
            .await
            .unwrap();
        (!left.contains(&project.staging)).then_some(())
    })
    .await;
    assert_eq!(states(&app).await, 2);

    execute(&app, "DROP TRIGGER refuse ON flag_states").await;
    app.depose_the_leader().await;
    eventually("the states are deleted", async || {
        (states(&app).await == 0).then_some(())
    })
    .await;
}
