//! Flag states of a protected environment: kills aside, they change by approved requests alone.

use std::time::Duration;

use harness::user::DefaultProject;
use harness::{App, Response, User};
use serde_json::{Value, json};

struct Setup {
    app: App,
    owner: User,
    project: DefaultProject,
    /// Path of the flag `f`.
    flag: String,
}

impl Setup {
    /// A flag that is on in `dev` and `production`, which is protected.
    async fn new() -> Self {
        let setup = Self::unprotected().await;
        setup.protect().await;
        setup
    }

    async fn unprotected() -> Self {
        let (app, owner, project) = App::with_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        owner.create(&flags, json!({"key": "f", "name": "F"})).await;
        let setup = Self {
            flag: format!("{flags}/f"),
            app,
            owner,
            project,
        };
        for env_id in [&setup.project.dev, &setup.project.production] {
            let state = setup.state(env_id);
            setup.owner.change(&state, json!({"enabled": true})).await;
        }
        setup
    }

    fn environment(&self) -> String {
        let DefaultProject { id, production, .. } = &self.project;
        format!("/v1/projects/{id}/environments/{production}")
    }

    async fn protect(&self) {
        self.owner
            .change(&self.environment(), json!({"protected": true}))
            .await;
    }

    fn state(&self, env_id: &str) -> String {
        format!("{}/environments/{env_id}", self.flag)
    }

    async fn production(&self) -> Value {
        self.owner
            .get(&self.state(&self.project.production))
            .await
            .body
    }

    /// What a change to these fields is answered.
    fn refusal(&self, payload: &Value) -> Value {
        json!({
            "error": "approval_required",
            "message": "the environment production is protected: flags change there by approved requests alone, except for \
                        kills; request the change, and let another member approve it",
            "approval": {
                "method": "POST", "path": "/v1/approvals",
                "body": {
                    "flag_key": "f", "env_id": self.project.production, "change_type": "update_state", "payload": payload,
                },
            },
            "environments": [{"id": self.project.production, "slug": "production", "protected": true}],
        })
    }

    async fn approve(&self, body: &Value) -> Response {
        let developer = self.app.member(&self.owner, "developer").await;
        let asked = developer.create("/v1/approvals", body.clone()).await;
        let review = format!("/v1/approvals/{}/review", asked.text("/id"));
        self.owner.post(&review, json!({"action": "approve"})).await
    }
}

#[tokio::test]
async fn a_change_in_a_protected_environment_is_403_whoever_makes_it() {
    let setup = Setup::new().await;
    let developer = setup.app.member(&setup.owner, "developer").await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let path = setup.state(&setup.project.production);
    let before = setup.production().await;
    for payload in [
        json!({"enabled": false}),
        json!({"default_value": true, "percentage_rollout": 5000}),
        json!({"scheduled_disable_at": "2027-01-01T00:00:00Z"}),
    ] {
        for member in [&setup.owner, &admin, &developer] {
            let refused = member.put(&path, payload.clone()).await;
            refused.expect(403, setup.refusal(&payload));
        }
    }
    assert_eq!(setup.production().await, before);
    let elsewhere = setup.state(&setup.project.dev);
    developer
        .change(&elsewhere, json!({"enabled": false}))
        .await;
}

#[tokio::test]
async fn promoting_into_a_protected_environment_and_rolling_back_there_are_403() {
    let setup = Setup::unprotected().await;
    let (dev, production) = (&setup.project.dev, &setup.project.production);
    let path = setup.state(production);
    setup
        .owner
        .change(&path, json!({"default_value": true}))
        .await;
    setup.protect().await;
    let before = setup.production().await;
    let body = json!({"source_env_id": dev, "target_env_id": production});
    let promote = format!("{}/promote", setup.flag);
    let refused = setup.owner.post(&promote, body).await;
    refused.expect(403, setup.refusal(&json!({"default_value": null})));
    let body = json!({"env_id": production, "version": 3});
    let refused = setup
        .owner
        .post(&format!("{}/rollback", setup.flag), body)
        .await;
    refused.expect(403, setup.refusal(&json!({"default_value": null})));
    assert_eq!(setup.production().await, before);
    let body = json!({"source_env_id": production, "target_env_id": dev});
    setup.owner.post(&promote, body).await.expect_status(200);
}

#[tokio::test]
async fn the_refusal_says_what_to_request() {
    let setup = Setup::new().await;
    let path = setup.state(&setup.project.production);
    let wanted =
        json!({"enabled": false, "rules": [{"id": "r", "percentage": 5000, "value": true}]});
    let refused = setup.owner.put(&path, wanted).await;
    refused.expect_status(403);
    let approved = setup.approve(&refused.body["approval"]["body"]).await;
    assert_eq!(approved.expect_status(200).body["status"], "applied");
    let state = setup.production().await;
    assert_eq!(state["enabled"], false);
    assert_eq!(state["rules"][0]["percentage"], 5000);
}

#[tokio::test]
async fn a_large_change_is_refused_without_a_payload() {
    let setup = Setup::new().await;
    let path = setup.state(&setup.project.production);
    let values: Vec<_> = (0..2_000)
        .map(|number| format!("user-{number:06}"))
        .collect();
    let condition = json!({"attribute": "key", "operator": "in", "values": values});
    let rules = json!({"rules": [{"conditions": [condition], "value": true}]});
    let refused = setup.owner.put(&path, rules).await;
    let mut expected = setup.refusal(&Value::Null);
    let body = expected["approval"]["body"].as_object_mut().unwrap();
    body.remove("payload");
    refused.expect(403, expected);
}

#[tokio::test]
async fn a_kill_in_a_protected_environment_works() {
    let setup = Setup::new().await;
    let developer = setup.app.member(&setup.owner, "developer").await;
    let body = json!({"env_id": setup.project.production});
    let killed = developer.post(&format!("{}/kill", setup.flag), body).await;
    assert_eq!(killed.expect_status(200).body["enabled"], false);
}

#[tokio::test]
async fn due_times_that_were_set_before_the_protection_fire() {
    let setup = Setup::unprotected().await;
    let path = setup.state(&setup.project.production);
    let body = json!({"scheduled_disable_at": "2026-05-04T12:20:00Z"});
    setup.owner.change(&path, body).await;
    setup.protect().await;
    setup.app.clock.advance(Duration::from_secs(20 * 60));
    harness::eventually("the flag is off", async || {
        (setup.production().await["enabled"] == false).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_missing_environment_permission_is_reported_before_the_protection() {
    let setup = Setup::new().await;
    let developer = setup.app.member(&setup.owner, "developer").await;
    let row =
        json!({"env_id": setup.project.production, "can_toggle": false, "can_edit_rules": false});
    let permissions = format!("/v1/members/{}/permissions", developer.member_id().await);
    setup
        .owner
        .change(&permissions, json!({"permissions": [row]}))
        .await;
    let path = setup.state(&setup.project.production);
    let refused = developer.put(&path, json!({"enabled": false})).await;
    refused.expect_error(403, "insufficient permissions for this environment");
}

#[tokio::test]
async fn a_change_that_waits_while_the_environment_is_protected_is_refused() {
    let setup = Setup::unprotected().await;
    let before = setup.production().await;
    let mut holder = setup.app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1::uuid FOR UPDATE")
        .bind(&setup.project.id)
        .execute(&mut *holder)
        .await
        .unwrap();
    let protecting = {
        let (owner, path) = (setup.owner.clone(), setup.environment());
        tokio::spawn(async move { owner.put(&path, json!({"protected": true})).await })
    };
    setup.app.until_waiting_for_locks(1).await;
    let changing = {
        let (owner, path) = (
            setup.owner.at(&setup.app.another_replica().await),
            setup.state(&setup.project.production),
        );
        tokio::spawn(async move { owner.put(&path, json!({"enabled": false})).await })
    };
    setup.app.until_waiting_for_locks(2).await;
    holder.rollback().await.unwrap();
    protecting.await.unwrap().expect_status(200);
    let refused = changing.await.unwrap();
    refused.expect(403, setup.refusal(&json!({"enabled": false})));
    assert_eq!(setup.production().await, before);
}
