//! What environment permissions forbid: changes of flag states by developers, in part or as a whole.

use harness::user::DefaultProject;
use harness::{App, Response, User};
use serde_json::{Value, json};

use crate::members::path_of;

pub(super) const DENIED: &str = "insufficient permissions for this environment";

/// A developer, and a flag with a state in `staging`.
pub(super) struct Setup {
    pub(super) app: App,
    pub(super) owner: User,
    pub(super) developer: User,
    pub(super) project: DefaultProject,
    pub(super) flag: String,
    pub(super) permissions: String,
}

impl Setup {
    async fn new() -> Self {
        let (app, owner) = App::with_owner().await;
        let developer = app.member(&owner, "developer").await;
        let project = owner.default_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "f", "name": "F"});
        owner.create(&flags, flag).await;
        let permissions = format!("{}/permissions", path_of(&developer.member_id().await));
        let setup = Self {
            flag: format!("{flags}/f"),
            app,
            owner,
            developer,
            project,
            permissions,
        };
        let staging = setup.state(&setup.project.staging);
        let enabled = json!({"enabled": true, "default_value": true});
        setup.owner.change(&staging, enabled).await;
        setup
    }

    /// With what the developer may do in `dev`.
    pub(super) async fn with(can_toggle: bool, can_edit_rules: bool) -> Self {
        let setup = Self::new().await;
        setup.permit(can_toggle, can_edit_rules).await;
        setup
    }

    pub(super) async fn permit(&self, can_toggle: bool, can_edit_rules: bool) {
        let row = json!({
            "env_id": self.project.dev, "can_toggle": can_toggle, "can_edit_rules": can_edit_rules,
        });
        let body = json!({"permissions": [row]});
        self.owner.change(&self.permissions, body).await;
    }

    pub(super) fn state(&self, env_id: &str) -> String {
        format!("{}/environments/{env_id}", self.flag)
    }

    pub(super) async fn put(&self, body: Value) -> Response {
        let dev = self.state(&self.project.dev);
        self.developer.put(&dev, body).await
    }

    pub(super) async fn kill(&self) -> Response {
        let body = json!({"env_id": self.project.dev});
        self.developer
            .post(&format!("{}/kill", self.flag), body)
            .await
    }

    async fn promote(&self, source: &str, target: &str) -> Response {
        let body = json!({"source_env_id": source, "target_env_id": target});
        let path = format!("{}/promote", self.flag);
        self.developer.post(&path, body).await
    }

    async fn promote_into_dev(&self) -> Response {
        self.promote(&self.project.staging, &self.project.dev).await
    }

    pub(super) async fn expect_untouched(&self) {
        let dev = self.owner.get(&self.state(&self.project.dev)).await;
        dev.expect(200, json!({"enabled": false}));
    }
}

/// One change of each field that `can_toggle` guards.
fn toggles() -> [Value; 3] {
    [
        json!({"enabled": true}),
        json!({"scheduled_enable_at": "2027-01-01T00:00:00Z"}),
        json!({"scheduled_disable_at": null}),
    ]
}

/// One change of each field that `can_edit_rules` guards.
fn edits() -> [Value; 4] {
    [
        json!({"rules": []}),
        json!({"percentage_rollout": 5000}),
        json!({"variants": []}),
        json!({"default_value": null}),
    ]
}

#[tokio::test]
async fn without_a_row_everything_is_allowed() {
    let setup = Setup::new().await;
    for body in toggles().into_iter().chain(edits()) {
        setup.put(body).await.expect_status(200);
    }
    setup.kill().await.expect_status(200);
    setup.promote_into_dev().await.expect_status(200);
}

#[tokio::test]
async fn who_may_not_toggle_changes_rules_only() {
    let setup = Setup::with(false, true).await;
    for body in toggles() {
        setup.put(body).await.expect_error(403, DENIED);
    }
    setup.kill().await.expect_error(403, DENIED);
    setup.promote_into_dev().await.expect_error(403, DENIED);
    setup.expect_untouched().await;
    for body in edits() {
        setup.put(body).await.expect_status(200);
    }
}

#[tokio::test]
async fn who_may_not_edit_rules_toggles_only() {
    let setup = Setup::with(true, false).await;
    for body in edits() {
        setup.put(body).await.expect_error(403, DENIED);
    }
    setup.promote_into_dev().await.expect_error(403, DENIED);
    setup.expect_untouched().await;
    for body in toggles() {
        setup.put(body).await.expect_status(200);
    }
    setup.kill().await.expect_status(200);
}

#[tokio::test]
async fn a_mixed_request_is_refused_as_a_whole() {
    for (can_toggle, can_edit_rules) in [(true, false), (false, true), (false, false)] {
        let setup = Setup::with(can_toggle, can_edit_rules).await;
        let refused = setup
            .put(json!({"enabled": true, "percentage_rollout": 5000}))
            .await;
        refused.expect_error(403, DENIED);
        setup.expect_untouched().await;
    }
    let setup = Setup::with(true, true).await;
    let mixed = json!({"enabled": true, "percentage_rollout": 5000});
    setup.put(mixed).await.expect_status(200);
    setup.promote_into_dev().await.expect_status(200);
}

#[tokio::test]
async fn a_denied_change_draws_no_version_and_leaves_no_entry() {
    let setup = Setup::with(false, false).await;
    let length = crate::trail::length(&setup.app, &setup.owner).await;
    let staging = setup.state(&setup.project.staging);
    let version = async |rollout: u64| {
        let rollout = json!({"percentage_rollout": rollout});
        let stored = setup.owner.put(&staging, rollout).await;
        stored.header("x-snapshot-version").parse::<u64>().unwrap()
    };
    let before = version(1).await;
    let refused = setup.put(json!({"enabled": true})).await;
    refused.expect_error(403, DENIED);
    setup.kill().await.expect_error(403, DENIED);
    setup.promote_into_dev().await.expect_error(403, DENIED);
    assert_eq!(version(2).await, before + 1);
    let entries = crate::trail::length(&setup.app, &setup.owner).await;
    assert_eq!(entries, length + 2);
}

#[tokio::test]
async fn rows_hold_one_environment() {
    let setup = Setup::with(false, false).await;
    let DefaultProject {
        staging,
        production,
        ..
    } = &setup.project;
    setup
        .developer
        .change(&setup.state(staging), json!({"enabled": false}))
        .await;
    setup.promote(staging, production).await.expect_status(200);
}

#[tokio::test]
async fn rows_do_not_guard_the_source_of_a_promotion() {
    let setup = Setup::with(false, false).await;
    let DefaultProject { dev, staging, .. } = &setup.project;
    let state = setup.state(dev);
    setup.owner.change(&state, json!({"enabled": true})).await;
    setup.promote(dev, staging).await.expect_status(200);
}

#[tokio::test]
async fn rows_hold_developers_alone() {
    let setup = Setup::with(false, false).await;
    let member = setup.permissions.replace("/permissions", "");
    for role in ["admin", "owner"] {
        let body = json!({"role": role});
        setup.owner.put(&member, body).await.expect_status(204);
        setup.put(json!({"enabled": true})).await.expect_status(200);
        setup.kill().await.expect_status(200);
        setup.promote_into_dev().await.expect_status(200);
    }
    // They are kept, and count again.
    let body = json!({"role": "developer"});
    setup.owner.put(&member, body).await.expect_status(204);
    setup.kill().await.expect_error(403, DENIED);
}

#[tokio::test]
async fn what_is_missing_or_malformed_comes_before_the_permission() {
    let setup = Setup::with(false, false).await;
    let DefaultProject {
        dev, production, ..
    } = &setup.project;
    let refused = setup.put(json!({"percentage_rollout": 10_001})).await;
    refused.expect_error(
        400,
        "percentage_rollout must be an integer in basis points, 0 to 10000",
    );
    setup.put(json!({"enabled": 1})).await.expect_status(400);
    setup
        .promote(production, dev)
        .await
        .expect_error(404, "the flag has no state in the source environment");
    setup
        .promote(dev, dev)
        .await
        .expect_error(400, "source_env_id and target_env_id must differ");
}
