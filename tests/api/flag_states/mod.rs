//! The state of a flag in an environment: show and update. Kill and promote are in files of their own.

mod bucketing;
mod concurrency;
mod input;
mod kill;
mod promote;
mod protected;
mod schedule;
mod warnings;

use std::time::Duration;

use harness::user::DefaultProject;
use harness::{App, Response, User};
use serde_json::{Value, json};

use crate::trail;

/// A flag `f` of the default project, and the paths that tests use.
struct Setup {
    app: App,
    owner: User,
    project: DefaultProject,
    /// Path of the flag.
    flag: String,
    /// Id of the flag.
    flag_id: String,
}

impl Setup {
    async fn with(flag_type: &str) -> Self {
        let (app, owner, project) = App::with_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let created = owner
            .create(
                &flags,
                json!({"key": "f", "name": "F", "flag_type": flag_type}),
            )
            .await;
        Self {
            flag: format!("{flags}/f"),
            flag_id: created.text("/id"),
            app,
            owner,
            project,
        }
    }

    /// Path of the flag's state.
    fn state(&self, env_id: &str) -> String {
        format!("{}/environments/{env_id}", self.flag)
    }

    fn dev(&self) -> String {
        self.state(&self.project.dev)
    }

    async fn put(&self, body: Value) -> Response {
        self.owner.put(&self.dev(), body).await
    }

    /// The audit entry of a change of this flag's state in `dev`.
    fn entry(&self, action: &str, before: &Value, after: &Value) -> Value {
        json!({
            "action": action, "actor_type": "user", "actor_id": self.owner.id, "resource_type": "flag",
            "resource_id": self.flag_id, "project_id": self.project.id, "before_state": before,
            "after_state": after, "metadata": {"env_id": self.project.dev},
        })
    }
}

/// A state of which nothing but the toggle was ever set.
fn plain(enabled: bool) -> Value {
    json!({
        "id": "[uuid]", "enabled": enabled, "default_value": null, "rules": [], "percentage_rollout": null,
        "variants": [], "scheduled_enable_at": null, "scheduled_disable_at": null, "updated_at": "[time]",
    })
}

fn version(answer: &Response) -> u64 {
    answer.header("x-snapshot-version").parse().unwrap()
}

/// The warning about variants of a flag that is not `ab`.
fn of_variants() -> Value {
    json!({"place": "variants", "message": "only flags of type ab use variants"})
}

#[tokio::test]
async fn a_state_that_was_never_stored_is_disabled_and_nothing_else() {
    let setup = Setup::with("boolean").await;
    let answer = setup.owner.get(&setup.dev()).await;
    answer.expect(200, json!({"enabled": false}));
}

#[tokio::test]
async fn an_update_creates_the_state_with_every_field() {
    let setup = Setup::with("boolean").await;
    let stored = setup.put(json!({"enabled": true})).await;
    stored.expect(200, plain(true));
    assert!(version(&stored) > 0);
    let answer = setup.owner.get(&setup.dev()).await;
    answer.expect(200, stored.body.clone());

    let staging = setup.state(&setup.project.staging);
    let answer = setup.owner.get(&staging).await;
    answer.expect(200, json!({"enabled": false}));
    let answer = setup.owner.put(&staging, json!({})).await;
    answer.expect(200, plain(false));
}

#[tokio::test]
async fn every_field_is_kept_as_it_was_written() {
    let setup = Setup::with("json").await;
    let rule = json!({
        "id": "beta", "priority": 7, "description": "Testers", "conditions": [
            {"attribute": "plan", "operator": "in", "values": ["pro", "enterprise"]},
            {"attribute": "age", "operator": "exists", "values": []},
        ],
        "segment_keys": ["unknown"], "percentage": 2_500, "value": {"a": 1.50, "b": [1, 2.0]}, "match_type": "any",
    });
    let stored = setup
        .put(json!({
            "enabled": true, "default_value": [1, 2.5, 3.0], "rules": [rule], "percentage_rollout": 10_000,
            "variants": [{"key": "a", "value": 1, "weight": 4_000}, {"key": "b", "value": null, "weight": 6_000}],
            "scheduled_enable_at": "2026-06-01T10:00:00+02:00", "scheduled_disable_at": "2030-01-01T00:00:00.25Z",
        }))
        .await;
    let unknown =
        json!({"place": "rules[0].segment_keys", "message": "no segment has the key unknown"});
    let warnings = json!([of_variants(), unknown]);
    let stored = stored.without_warnings(&warnings);
    stored.expect(
        200,
        json!({
            "id": "[uuid]", "enabled": true, "default_value": [1, 2.5, 3.0], "rules": [rule],
            "percentage_rollout": 10_000,
            "variants": [{"key": "a", "value": 1, "weight": 4_000}, {"key": "b", "value": null, "weight": 6_000}],
            "scheduled_enable_at": "2026-06-01T08:00:00Z", "scheduled_disable_at": "2030-01-01T00:00:00.25Z",
            "updated_at": "[time]",
        }),
    );
    let answer = setup.owner.get(&setup.dev()).await;
    answer.expect(200, stored.body.clone());

    // What is read can be written back and does not change.
    let answer = setup.put(stored.body.clone()).await;
    let answer = answer.without_warnings(&warnings);
    answer.expect(200, stored.body.clone());
}

#[tokio::test]
async fn missing_parts_of_a_rule_are_written_down() {
    let setup = Setup::with("boolean").await;
    let condition = json!({"attribute": "email", "operator": "neq"});
    let stored = setup
        .put(json!({"rules": [{"conditions": [condition]}, {"id": "last"}]}))
        .await;
    let shown = |id: &str, priority: u32, conditions: Value| {
        json!({"id": id, "priority": priority, "description": "", "conditions": conditions, "segment_keys": [],
               "percentage": 10_000, "match_type": "all"})
    };
    let condition = json!({"attribute": "email", "operator": "neq", "values": []});
    let mut expected = plain(false);
    expected["rules"] = json!([
        shown("[uuid]", 0, json!([condition])),
        shown("last", 1, json!([]))
    ]);
    stored.expect(200, expected);
}

#[tokio::test]
async fn an_update_changes_the_given_fields_alone() {
    let setup = Setup::with("boolean").await;
    let mut expected = setup.put(json!({})).await.body;
    setup.app.clock.advance(Duration::from_secs(5));
    expected["updated_at"] = json!("2026-05-04T12:00:05Z");
    for (field, value) in [
        ("enabled", json!(true)),
        ("default_value", json!(true)),
        ("percentage_rollout", json!(0)),
        (
            "variants",
            json!([{"key": "a", "value": true, "weight": 10_000}]),
        ),
        ("scheduled_enable_at", json!("2026-06-01T00:00:00Z")),
        ("scheduled_disable_at", json!("2026-07-01T00:00:00Z")),
        ("default_value", json!(null)),
        ("percentage_rollout", json!(null)),
        ("variants", json!([])),
        ("scheduled_enable_at", json!(null)),
    ] {
        expected[field] = value.clone();
        let mut answer = setup.put(json!({field: value})).await;
        if field == "variants" && value != json!([]) {
            answer = answer.without_warnings(&json!([of_variants()]));
        }
        answer.expect(200, expected.clone());
    }
    expected["scheduled_disable_at"] = Value::Null;
    let answer = setup.put(json!({"scheduled_disable_at": ""})).await;
    answer.expect(200, expected);
}

#[tokio::test]
async fn what_is_not_of_the_project_is_404() {
    let setup = Setup::with("boolean").await;
    let stranger = setup.app.signup("globex").await;
    let other = setup
        .owner
        .post("/v1/projects", json!({"name": "Other"}))
        .await
        .text("/id");
    let elsewhere = format!("/v1/projects/{other}/environments");
    let foreign_env = setup
        .owner
        .post(&elsewhere, json!({"name": "Dev"}))
        .await
        .text("/id");
    let flag = "flag not found";
    let env = "environment not found";
    for (user, path, message) in [
        (&stranger, setup.dev(), flag),
        (&setup.owner, setup.dev().replace("/f/", "/g/"), flag),
        (
            &setup.owner,
            setup.dev().replace(&setup.project.id, &other),
            flag,
        ),
        (&setup.owner, setup.state(&foreign_env), env),
        (
            &setup.owner,
            setup.state("01890000-0000-7000-8000-000000000000"),
            env,
        ),
        (&setup.owner, setup.state("nowhere"), env),
    ] {
        user.get(&path).await.expect_error(404, message);
        user.put(&path, json!({"enabled": true}))
            .await
            .expect_error(404, message);
    }
}

#[tokio::test]
async fn every_update_is_in_the_audit_trail() {
    let setup = Setup::with("boolean").await;
    let first = setup.put(json!({"enabled": true})).await.body;
    let entry = setup.entry("flag.state_updated", &Value::Null, &first);
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);
    let second = setup.put(json!({"percentage_rollout": 500})).await.body;
    let entry = setup.entry("flag.state_updated", &first, &second);
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);
}
