//! Approval requests: asked for by a developer, decided about by somebody else.

mod comments;
mod diff;
mod effect;
mod gone;
mod keys;
mod list;
mod mail;
mod races;
mod request;
mod review;
mod several;
mod withdrawal;

use harness::user::DefaultProject;
use harness::{App, Response, User};
use serde_json::{Value, json};

/// A flag `f` of the default project, a developer who asks and an owner who decides.
struct Setup {
    app: App,
    owner: User,
    developer: User,
    project: DefaultProject,
    /// Path of the flag.
    flag: String,
    /// Id of the flag.
    flag_id: String,
}

impl Setup {
    async fn new() -> Self {
        let (app, owner) = App::with_owner().await;
        let developer = app.member(&owner, "developer").await;
        let project = owner.default_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "f", "name": "F", "flag_type": "boolean"});
        let created = owner.create(&flags, flag).await;
        Self {
            flag: format!("{flags}/f"),
            flag_id: created.text("/id"),
            app,
            owner,
            developer,
            project,
        }
    }

    /// The body of a request about the flag in `dev`.
    fn asking(&self, change_type: &str, payload: &Value) -> Value {
        json!({"flag_id": self.flag_id, "env_id": self.project.dev, "change_type": change_type, "payload": payload})
    }

    /// Has the developer ask, and tells the path of the request.
    async fn ask(&self, change_type: &str, payload: Value) -> String {
        let asked = self.asking(change_type, &payload);
        let asked = self.developer.create("/v1/approvals", asked).await;
        format!("/v1/approvals/{}", asked.text("/id"))
    }

    /// What the developer's pending request looks like.
    fn pending(&self, change_type: &str, payload: &Value) -> Value {
        json!({
            "id": "[uuid]", "project_id": self.project.id, "project_slug": "default", "flag_id": self.flag_id,
            "flag_key": "f", "env_id": self.project.dev, "env_slug": "dev", "change_type": change_type,
            "status": "pending", "payload": payload, "note": "", "requestor_id": self.developer.id,
            "requestor_name": "developer", "reviewer_id": null, "reviewer_name": null, "review_note": null,
            "reviewed_at": null, "required_approvals": 1, "approvals": [], "created_at": "[time]", "updated_at": "[time]",
        })
    }

    /// The flag's state in `dev`.
    async fn state(&self) -> Value {
        let path = format!("{}/environments/{}", self.flag, self.project.dev);
        self.owner.get(&path).await.expect_status(200).body.clone()
    }
}

async fn decide(user: &User, approval: &str, action: &str) -> Response {
    let path = format!("{approval}/review");
    user.post(&path, json!({"action": action})).await
}

async fn approve(user: &User, approval: &str) -> Response {
    decide(user, approval, "approve").await
}

async fn reject(user: &User, approval: &str) -> Response {
    decide(user, approval, "reject").await
}

/// Asserts that a refused review changed nothing.
async fn expect_pending(user: &User, approval: &str) {
    let shown = user.get(approval).await;
    assert_eq!(shown.body["status"], "pending", "{:#}", shown.body);
    assert_eq!(shown.body["reviewer_id"], Value::Null);
}

async fn expect_nothing_stored(setup: &Setup) {
    let list = setup.owner.get("/v1/approvals").await;
    assert_eq!(list.body["total"], 0);
}
