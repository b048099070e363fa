//! The history of flags: what makes a version, and what is shown of it.

mod answers;
mod kept;
mod refusals;
mod rollback;

use harness::user::DefaultProject;
use harness::{App, Response, User};
use serde_json::{Value, json};

/// A flag `f` of the default project, which has no state yet.
struct Scene {
    app: App,
    owner: User,
    project: DefaultProject,
    /// Path of the flag.
    flag: String,
}

impl Scene {
    async fn set() -> Self {
        Self::set_with(&[]).await
    }

    async fn set_with(settings: &[(&str, &str)]) -> Self {
        let (app, owner) = App::with_owner_and(settings).await;
        let project = owner.default_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "f", "name": "F", "tags": ["t"]});
        owner.create(&flags, flag).await;
        Self {
            flag: format!("{flags}/f"),
            app,
            owner,
            project,
        }
    }

    fn state(&self, env_id: &str) -> String {
        format!("{}/environments/{env_id}", self.flag)
    }

    fn dev(&self) -> String {
        self.state(&self.project.dev)
    }

    async fn put(&self, body: Value) -> Value {
        let answer = self.owner.put(&self.dev(), body).await;
        answer.expect_status(200).body.clone()
    }

    async fn history(&self, query: &str) -> Vec<Value> {
        let path = format!("{}/history?limit=100{query}", self.flag);
        let answer = self.owner.get(&path).await;
        answer.expect_status(200);
        answer.body["data"].as_array().unwrap().clone()
    }

    /// Version, action and fields of each version, the newest first.
    async fn told(&self, query: &str) -> Vec<(i64, String, Value)> {
        let told = self.history(query).await.into_iter().map(|item| {
            (
                item["version"].as_i64().unwrap(),
                item["action"].as_str().unwrap().to_owned(),
                item["changed"].clone(),
            )
        });
        told.collect()
    }

    async fn look(&self, version: i64, env_id: &str) -> Response {
        let path = format!("{}/history/{version}?env_id={env_id}", self.flag);
        self.owner.get(&path).await
    }

    /// What there was in `dev` at a version.
    async fn at(&self, version: i64) -> Value {
        let answer = self.look(version, &self.project.dev).await;
        answer.expect_status(200).body.clone()
    }

    async fn roll_back(&self, version: i64) -> Response {
        let body = json!({"env_id": self.project.dev, "version": version});
        self.owner
            .post(&format!("{}/rollback", self.flag), body)
            .await
    }
}

fn told(version: i64, action: &str, changed: Value) -> (i64, String, Value) {
    (version, action.to_owned(), changed)
}

#[tokio::test]
async fn every_change_makes_a_version_that_says_who_made_it_and_what_changed() {
    let scene = Scene::set().await;
    let Scene { owner, project, .. } = &scene;
    let (dev, staging) = (&project.dev, &project.staging);
    let renamed = json!({"name": "G", "tags": []});
    owner.change(&scene.flag, renamed).await;
    scene
        .put(json!({"enabled": true, "percentage_rollout": 10}))
        .await;
    let promotion = json!({"source_env_id": dev, "target_env_id": staging});
    owner
        .act(&format!("{}/promote", scene.flag), promotion)
        .await;
    owner
        .act(&format!("{}/kill", scene.flag), json!({"env_id": dev}))
        .await;
    scene.roll_back(3).await.expect_status(200);

    let item = |version: i64, action: &str, env_id: Value, changed: Value| {
        json!({
            "version": version, "at": "[time]", "actor": {"id": owner.id, "type": "user", "name": "Owner"},
            "action": action, "env_id": env_id, "changed": changed, "approval_id": null,
        })
    };
    let items = [
        item(6, "flag.rolled_back", json!(dev), json!(["enabled"])),
        item(5, "flag.killed", json!(dev), json!(["enabled"])),
        item(
            4,
            "flag.promoted",
            json!(staging),
            json!(["enabled", "percentage_rollout"]),
        ),
        item(
            3,
            "flag.state_updated",
            json!(dev),
            json!(["enabled", "percentage_rollout"]),
        ),
        item(2, "flag.updated", Value::Null, json!(["name", "tags"])),
        item(1, "flag.created", Value::Null, json!([])),
    ];
    let page = |items: &[Value], total: i64, limit: i64, offset: i64, has_more: bool| json!({"data": items, "total": total, "limit": limit, "offset": offset, "has_more": has_more});
    let path = format!("{}/history", scene.flag);
    let all = owner.get(&path).await;
    all.expect(200, page(&items, 6, 50, 0, false));
    let part = owner.get(&format!("{path}?limit=2&offset=1")).await;
    part.expect(200, page(&items[1..3], 6, 2, 1, true));
    // The flag's own fields are shown under each environment, states of others are not.
    let [rolled_back, killed, _, put, updated, created] = items;
    let of_dev = owner.get(&format!("{path}?env_id={dev}")).await;
    let items = [rolled_back, killed, put, updated, created];
    of_dev.expect(200, page(&items, 5, 50, 0, false));
}

#[tokio::test]
async fn a_change_that_changes_nothing_makes_no_version() {
    let scene = Scene::set().await;
    scene.put(json!({})).await;
    scene.put(json!({"enabled": false, "rules": []})).await;
    let same = json!({"name": "F", "description": ""});
    scene.owner.change(&scene.flag, same).await;
    let kill = json!({"env_id": scene.project.dev});
    scene.owner.act(&format!("{}/kill", scene.flag), kill).await;
    assert_eq!(scene.told("").await, [told(1, "flag.created", json!([]))]);
    scene.put(json!({"enabled": true})).await;
    scene.put(json!({"enabled": true})).await;
    assert_eq!(
        scene.told("").await[0],
        told(2, "flag.state_updated", json!(["enabled"])),
        "a state that changes nothing is no version, also as what was there before"
    );
}

#[tokio::test]
async fn a_version_is_the_flag_and_its_state_as_they_were() {
    let scene = Scene::set().await;
    let first = scene.owner.get(&scene.flag).await.body;
    let rules = json!([{"id": "r", "conditions": [{"attribute": "a", "operator": "regex", "values": ["^x$"]}],
                        "value": true, "percentage": 700}]);
    let state = scene
        .put(json!({"rules": rules, "default_value": true, "scheduled_enable_at": "2027-01-01T00:00:00.5Z"}))
        .await;
    let renamed = scene
        .owner
        .put(&scene.flag, json!({"name": "G"}))
        .await
        .body;
    let enabled = scene.put(json!({"enabled": true})).await;
    let shown = |version: i64, flag: &Value, state: &Value| json!({"version": version, "flag": flag, "state": state});
    assert_eq!(scene.at(1).await, shown(1, &first, &Value::Null));
    assert_eq!(scene.at(2).await, shown(2, &first, &state));
    assert_eq!(scene.at(3).await, shown(3, &renamed, &state));
    assert_eq!(scene.at(4).await, shown(4, &renamed, &enabled));
    let staging = scene.look(3, &scene.project.staging).await;
    staging.expect(200, shown(3, &renamed, &Value::Null));
}

#[tokio::test]
async fn what_is_approved_and_what_is_due_is_in_the_history() {
    let scene = Scene::set().await;
    let developer = scene.app.member(&scene.owner, "developer").await;
    let asked = json!({"flag_key": "f", "env_id": scene.project.dev, "change_type": "enable"});
    let asked = developer.create("/v1/approvals", asked).await;
    let review = format!("/v1/approvals/{}/review", asked.text("/id"));
    let approve = json!({"action": "approve"});
    scene.owner.act(&review, approve).await;
    let newest = scene.history("").await.remove(0);
    assert_eq!(newest["action"], "flag.approved_change_applied");
    assert_eq!(newest["approval_id"], asked.body["id"]);
    assert_eq!(newest["actor"]["id"], json!(scene.owner.id));

    scene
        .put(json!({"scheduled_disable_at": "2026-05-04T12:00:30Z"}))
        .await;
    scene.app.clock.advance(std::time::Duration::from_secs(60));
    let fired = harness::eventually("the schedule has fired", async || {
        let newest = scene.history("").await.remove(0);
        (newest["action"] == "flag.scheduled_toggle").then_some(newest)
    });
    let fired = fired.await;
    assert_eq!(
        fired["actor"],
        json!({"id": null, "type": "system", "name": null})
    );
    assert_eq!(fired["changed"], json!(["enabled", "scheduled_disable_at"]));
}
