//! Fields of bodies and parameters of queries that nothing reads: refused, or named in the answer.

mod named;
mod refused;

use harness::user::DefaultProject;
use harness::{App, Response, User};
use serde_json::{Value, json};

/// A flag `f` of the default project.
struct Setup {
    app: App,
    owner: User,
    project: DefaultProject,
    /// Path of the project.
    path: String,
    /// Id of the flag.
    flag_id: String,
}

impl Setup {
    async fn new() -> Self {
        let (app, owner, project) = App::with_project().await;
        let path = format!("/v1/projects/{}", project.id);
        let flag = json!({"key": "f", "name": "F"});
        let created = owner.create(&format!("{path}/flags"), flag).await;
        Self {
            flag_id: created.text("/id"),
            app,
            owner,
            project,
            path,
        }
    }

    /// Path of the flag's state in `dev`.
    fn state(&self) -> String {
        format!("{}/flags/f/environments/{}", self.path, self.project.dev)
    }

    /// A request for approval of a change of the flag's state.
    fn asking(&self, payload: &Value) -> Value {
        json!({
            "flag_id": self.flag_id, "env_id": self.project.dev, "change_type": "update_state", "payload": payload,
        })
    }

    /// A question about the flag, with a draft of its state.
    fn question(&self, draft: &Value) -> Value {
        json!({
            "project_id": self.project.id, "env_id": self.project.dev, "flag_key": "f",
            "context": {"key": "user-1"}, "state": draft,
        })
    }
}

/// What an answer says that was not read.
fn ignored(answer: &Response) -> Option<&str> {
    let named = answer.headers.get("x-ignored-fields")?;
    Some(named.to_str().expect("visible ASCII"))
}
