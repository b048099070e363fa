//! Who decides how an environment is guarded.

use harness::user::DefaultProject;
use harness::{App, User};
use serde_json::{Value, json};

use crate::trail;

/// The path of an environment.
fn path(project: &DefaultProject, env_id: &str) -> String {
    format!("/v1/projects/{}/environments/{env_id}", project.id)
}

async fn protect(owner: &User, path: &str) {
    owner.change(path, json!({"protected": true})).await;
}

#[tokio::test]
async fn owners_and_admins_say_how_an_environment_is_guarded() {
    let (app, owner, project) = App::with_project().await;
    let admin = app.member(&owner, "admin").await;
    let path = path(&project, &project.production);
    let before = owner.get(&path).await.body;
    let mut expected = before.clone();
    expected["protected"] = json!(true);
    expected["required_approvals"] = json!(2);
    let body = json!({"protected": true, "required_approvals": 2});
    let changed = admin.put(&path, body).await;
    changed.expect(200, expected.clone());
    assert!(!changed.headers.contains_key("x-snapshot-version"));
    owner.get(&path).await.expect(200, expected.clone());
    let entry = trail::newest(&app, &owner).await;
    assert_eq!(entry["action"], "environment.updated");
    assert_eq!(entry["before_state"], before);
    assert_eq!(entry["after_state"], expected);
    let overview = owner
        .get(&format!("/v1/projects/{}/overview", project.id))
        .await;
    assert_eq!(overview.body["environments"][2]["protected"], true);

    expected["name"] = json!("Live");
    let renamed = owner.put(&path, json!({"name": "Live"})).await;
    renamed.expect(200, expected.clone());
    expected["protected"] = json!(false);
    let lowered = owner.put(&path, json!({"protected": false})).await;
    lowered.expect(200, expected);

    let environments = format!("/v1/projects/{}/environments", project.id);
    let body = json!({"name": "Live 2", "protected": true, "required_approvals": 5});
    let created = admin.post(&environments, body).await;
    created.expect(
        201,
        json!({"id": "[uuid]", "name": "Live 2", "slug": "live-2", "color": "#6B7280", "protected": true,
               "required_approvals": 5, "created_at": "[time]"}),
    );
}

#[tokio::test]
async fn a_number_of_approvals_beyond_1_to_5_and_null_are_400() {
    let (_app, owner, project) = App::with_project().await;
    let path = path(&project, &project.production);
    for (body, message) in [
        (
            json!({"required_approvals": 0}),
            "required_approvals must be from 1 to 5",
        ),
        (
            json!({"required_approvals": 6}),
            "required_approvals must be from 1 to 5",
        ),
        (
            json!({"required_approvals": null}),
            "required_approvals must not be null",
        ),
        (json!({"protected": null}), "protected must not be null"),
    ] {
        owner.put(&path, body).await.expect_error(400, message);
    }
    for body in [
        json!({"protected": "yes"}),
        json!({"required_approvals": 1.5}),
    ] {
        owner.put(&path, body).await.expect_status(400);
    }
    assert_eq!(owner.get(&path).await.body["protected"], false);
}

#[tokio::test]
async fn a_developer_who_says_how_an_environment_is_guarded_is_403() {
    let (app, owner, project) = App::with_project().await;
    let developer = app.member(&owner, "developer").await;
    let path = path(&project, &project.production);
    let environments = format!("/v1/projects/{}/environments", project.id);
    for field in [
        json!({"protected": true}),
        json!({"protected": false}),
        json!({"required_approvals": 1}),
    ] {
        let mut body = json!({"name": "New"});
        body.as_object_mut()
            .unwrap()
            .extend(field.as_object().unwrap().clone());
        let refused = developer.put(&path, body.clone()).await;
        refused.expect_error(403, "insufficient permissions");
        let refused = developer.post(&environments, body).await;
        refused.expect_error(403, "insufficient permissions");
    }
    assert_eq!(owner.get(&path).await.body["name"], "Production");
    let renamed = developer.put(&path, json!({"name": "Live"})).await;
    renamed.expect_status(200);
    developer
        .create(&environments, json!({"name": "New"}))
        .await;
}

#[tokio::test]
async fn a_custom_role_needs_the_key_to_review() {
    let (app, owner, project) = App::with_project().await;
    app.set_plan(&owner, "enterprise").await;
    let admin = app.member(&owner, "admin").await;
    let path = path(&project, &project.production);
    let body = json!({"protected": true});
    app.hold_to(&owner, &admin, &["environments.create", "approvals.create"])
        .await;
    let refused = admin.put(&path, body.clone()).await;
    refused.expect_error(403, "insufficient permissions");
    app.hold_to(&owner, &admin, &["environments.create", "approvals.review"])
        .await;
    admin.change(&path, body).await;
}

#[tokio::test]
async fn whoever_may_not_lift_the_protection_does_not_move_the_slug() {
    let (app, owner, project) = App::with_project().await;
    let developer = app.member(&owner, "developer").await;
    let path = path(&project, &project.production);
    protect(&owner, &path).await;
    let refused = developer.put(&path, json!({"slug": "old"})).await;
    refused.expect_error(403, "insufficient permissions");
    let same = json!({"slug": "production", "name": "Live"});
    developer.change(&path, same).await;
    owner.change(&path, json!({"slug": "live"})).await;
}

#[tokio::test]
async fn a_protected_environment_is_not_deleted_nor_its_project() {
    let (_app, owner, project) = App::with_project().await;
    let env = path(&project, &project.production);
    protect(&owner, &env).await;
    let affected = json!([{"id": project.production, "slug": "production", "protected": true}]);
    let refused = owner.delete(&env).await;
    refused.expect(
        403,
        json!({
            "error": "environment_protected",
            "message": "the environment is protected; set protected to false first",
            "environments": affected,
        }),
    );
    let of_project = format!("/v1/projects/{}", project.id);
    let refused = owner.delete(&of_project).await;
    refused.expect(
        403,
        json!({
            "error": "environment_protected",
            "message": "the project has protected environments; set protected to false there first",
            "environments": affected,
        }),
    );
    owner.change(&env, json!({"protected": false})).await;
    owner.remove(&env).await;
    owner.remove(&of_project).await;
}

#[tokio::test]
async fn an_admin_who_is_demoted_while_they_wait_does_not_lift_the_protection() {
    let (app, owner, project) = App::with_project().await;
    let admin = app.member(&owner, "admin").await;
    let path = path(&project, &project.production);
    protect(&owner, &path).await;
    let mut holder = app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1::uuid FOR UPDATE")
        .bind(&project.id)
        .execute(&mut *holder)
        .await
        .unwrap();
    let waiting = {
        let (admin, path) = (admin.clone(), path.clone());
        tokio::spawn(async move { admin.put(&path, json!({"protected": false})).await })
    };
    app.until_waiting_for_locks(1).await;
    let member = format!("/v1/members/{}", owner.member_id_of(&admin.email).await);
    let demoted = owner.put(&member, json!({"role": "developer"})).await;
    demoted.expect(204, Value::Null);
    holder.commit().await.unwrap();
    let refused = waiting.await.unwrap();
    refused.expect_error(403, "insufficient permissions");
    assert_eq!(owner.get(&path).await.body["protected"], true);
}
