//! Environment permissions as they are read and written. What they forbid is in `enforced`.

mod enforced;
mod races;

use harness::user::DefaultProject;
use harness::{App, User};
use serde_json::{Value, json};

use super::{ADDRESS, entry, invite, path_of};
use crate::trail;

/// An invited developer, and the path of their permissions.
struct Setup {
    app: App,
    owner: User,
    project: DefaultProject,
    member_id: String,
    path: String,
}

impl Setup {
    async fn new() -> Self {
        let (app, owner, project) = App::with_project().await;
        let member_id = invite(&owner, ADDRESS, "developer").await.text("/id");
        Self {
            path: format!("{}/permissions", path_of(&member_id)),
            app,
            owner,
            project,
            member_id,
        }
    }

    fn shown(&self, env_id: &str, can_toggle: bool, can_edit_rules: bool) -> Value {
        json!({
            "id": "[uuid]", "member_id": self.member_id, "env_id": env_id, "can_toggle": can_toggle,
            "can_edit_rules": can_edit_rules,
        })
    }

    async fn expect_rows(&self, rows: &[Value]) {
        self.owner.get(&self.path).await.expect(200, json!(rows));
    }

    async fn expect_refused(&self, body: Value, status: u16, message: &str) {
        let answer = self.owner.put(&self.path, body).await;
        answer.expect_error(status, message);
    }
}

fn row(env_id: &str, can_toggle: bool, can_edit_rules: bool) -> Value {
    json!({"env_id": env_id, "can_toggle": can_toggle, "can_edit_rules": can_edit_rules})
}

fn body(rows: &[Value]) -> Value {
    json!({"permissions": rows})
}

#[tokio::test]
async fn a_member_begins_without_rows() {
    let setup = Setup::new().await;
    setup.expect_rows(&[]).await;
}

#[tokio::test]
async fn rows_are_added_and_replaced_by_environment_and_the_others_stay() {
    let setup = Setup::new().await;
    let DefaultProject { dev, staging, .. } = &setup.project;
    let first = setup
        .owner
        .put(
            &setup.path,
            body(&[row(dev, true, false), row(staging, false, false)]),
        )
        .await;
    first.expect(
        200,
        json!([
            setup.shown(dev, true, false),
            setup.shown(staging, false, false)
        ]),
    );

    let spelled = staging.to_uppercase();
    let second = setup
        .owner
        .put(&setup.path, body(&[row(&spelled, true, true)]))
        .await;
    let mut expected = first.body.clone();
    expected[1]["can_toggle"] = json!(true);
    expected[1]["can_edit_rules"] = json!(true);
    second.expect(200, expected.clone());
    let nothing = setup.owner.put(&setup.path, body(&[])).await;
    nothing.expect(200, expected.clone());
    setup.owner.get(&setup.path).await.expect(200, expected);
}

#[tokio::test]
async fn a_change_is_in_the_trail_with_all_rows_before_and_after() {
    let setup = Setup::new().await;
    let rows = body(&[row(&setup.project.dev, false, true)]);
    let after = setup.owner.put(&setup.path, rows).await.body;
    let id = json!(setup.member_id);
    assert_eq!(
        trail::newest(&setup.app, &setup.owner).await,
        entry(
            &setup.owner,
            "member.permissions_updated",
            &id,
            &json!([]),
            &after
        )
    );
}

#[tokio::test]
async fn an_unknown_environment_is_404_and_nothing_is_applied() {
    let setup = Setup::new().await;
    let foreign = setup.app.signup("globex").await.default_project().await.dev;
    let unknown = "01890000-0000-7000-8000-000000000000";
    for env_id in [&foreign, unknown, "dev"] {
        let rows = body(&[
            row(&setup.project.dev, false, false),
            row(env_id, true, true),
        ]);
        setup
            .expect_refused(rows, 404, "environment not found")
            .await;
    }
    setup.expect_rows(&[]).await;
}

#[tokio::test]
async fn an_environment_named_twice_is_400() {
    let setup = Setup::new().await;
    let dev = &setup.project.dev;
    for other in [dev.clone(), dev.to_uppercase()] {
        let rows = body(&[row(dev, true, true), row(&other, false, false)]);
        setup
            .expect_refused(rows, 400, "an environment is named twice")
            .await;
    }
    setup.expect_rows(&[]).await;
}

#[tokio::test]
async fn rows_that_lack_something_are_400() {
    let setup = Setup::new().await;
    let dev = &setup.project.dev;
    let whole = row(dev, true, true);
    for field in ["env_id", "can_toggle", "can_edit_rules"] {
        let mut lacking = whole.clone();
        lacking.as_object_mut().unwrap().remove(field);
        let message = format!("{field} is required");
        setup.expect_refused(body(&[lacking]), 400, &message).await;
        let mut null = whole.clone();
        null[field] = Value::Null;
        setup.expect_refused(body(&[null]), 400, &message).await;
        let mut number = whole.clone();
        number[field] = json!(1);
        let answer = setup.owner.put(&setup.path, body(&[number])).await;
        answer.expect_status(400);
    }
    setup
        .expect_refused(body(&[row("", true, true)]), 400, "env_id is required")
        .await;
    setup
        .expect_refused(json!({}), 400, "permissions is required")
        .await;
    setup.expect_rows(&[]).await;
}

#[tokio::test]
async fn every_role_reads_permissions_and_managers_write_them() {
    let setup = Setup::new().await;
    let rows = body(&[row(&setup.project.dev, true, false)]);
    for role in ["developer", "viewer"] {
        let member = setup.app.member(&setup.owner, role).await;
        member.get(&setup.path).await.expect(200, json!([]));
        let answer = member.put(&setup.path, rows.clone()).await;
        answer.expect_error(403, "insufficient permissions");
    }
    let admin = setup.app.member(&setup.owner, "admin").await;
    let answer = admin.put(&setup.path, rows).await;
    answer.expect(200, json!([setup.shown(&setup.project.dev, true, false)]));
}

#[tokio::test]
async fn rows_vanish_with_their_environment() {
    let setup = Setup::new().await;
    let DefaultProject {
        id, dev, staging, ..
    } = &setup.project;
    let rows = body(&[row(dev, false, false), row(staging, false, true)]);
    setup.owner.change(&setup.path, rows).await;
    let env = format!("/v1/projects/{id}/environments/{dev}");
    setup.owner.remove(&env).await;
    setup
        .expect_rows(&[setup.shown(staging, false, true)])
        .await;
}

#[tokio::test]
async fn rows_vanish_with_their_member() {
    let setup = Setup::new().await;
    let rows = body(&[row(&setup.project.dev, false, false)]);
    setup.owner.change(&setup.path, rows).await;
    let member = path_of(&setup.member_id);
    setup.owner.remove(&member).await;
    let answer = setup.owner.get(&setup.path).await;
    answer.expect_error(404, "member not found");

    let again = invite(&setup.owner, ADDRESS, "developer").await;
    let path = format!("{}/permissions", path_of(&again.text("/id")));
    setup.owner.get(&path).await.expect(200, json!([]));
}

#[tokio::test]
async fn rows_written_at_the_same_time_all_stay() {
    let setup = Setup::new().await;
    let there = setup.owner.at(&setup.app.another_replica().await);
    let DefaultProject { dev, staging, .. } = &setup.project;
    for can_toggle in [true, false] {
        let (one, other) = tokio::join!(
            setup.owner.put(
                &setup.path,
                body(&[row(dev, can_toggle, true), row(staging, true, true)])
            ),
            there.put(
                &setup.path,
                body(&[row(staging, true, true), row(dev, can_toggle, true)])
            ),
        );
        one.expect_status(200);
        other.expect_status(200);
        let rows = setup.owner.get(&setup.path).await;
        assert_eq!(rows.body.as_array().unwrap().len(), 2);
    }
}
