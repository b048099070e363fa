//! Approval requests.

use harness::User;
use serde_json::json;

use super::{Refused, States, Step, Walk};

impl Walk {
    /// One request about a flag's state is approved, another rejected.
    pub(super) async fn approvals(&mut self, owner: &User, flag: &str, env: &str) {
        let requestor = self.app.member(owner, "developer").await;
        self.first_of_two(owner, &requestor, env).await;
        self.commented_and_withdrawn(owner, &requestor, env).await;
        let flag_id = owner.get(flag).await.text("/id");
        let state = format!("{flag}/environments/{env}");
        for (action, tells) in [
            ("approve", "flag.approved_change_applied"),
            ("reject", "approval.rejected"),
        ] {
            let body = json!({"flag_id": flag_id, "env_id": env, "change_type": "enable"});
            let id = self
                .creates(&requestor, "POST /v1/approvals", body, "approval.created")
                .await;
            let path = format!("/v1/approvals/{id}");
            let shown = if action == "approve" { &state } else { &path };
            self.step(Step {
                endpoint: "POST /v1/approvals/{approvalID}/review",
                path: format!("{path}/review"),
                by: Some(owner),
                body: json!({"action": action, "note": "seen"}),
                status: 200,
                refused: Some(Refused::Body(json!({}), 400)),
                writes: &[tells],
                states: States::Of(shown.clone()),
            })
            .await;
        }
    }

    /// An approval that is not the last one.
    async fn first_of_two(&mut self, owner: &User, requestor: &User, env: &str) {
        let body = json!({"flag_key": "a-flag", "env_id": env, "change_type": "enable"});
        let id = self
            .creates(requestor, "POST /v1/approvals", body, "approval.created")
            .await;
        let path = format!("/v1/approvals/{id}");
        self.require_approvals(env, 2).await;
        self.step(Step {
            endpoint: "POST /v1/approvals/{approvalID}/review",
            path: format!("{path}/review"),
            by: Some(owner),
            body: json!({"action": "approve", "note": "seen"}),
            status: 200,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &["approval.approved"],
            states: States::Of(path),
        })
        .await;
        self.require_approvals(env, 1).await;
    }

    /// A request that is commented on, and withdrawn.
    async fn commented_and_withdrawn(&mut self, owner: &User, requestor: &User, env: &str) {
        let body = json!({"flag_key": "a-flag", "env_id": env, "change_type": "enable"});
        let id = self
            .creates(requestor, "POST /v1/approvals", body, "approval.created")
            .await;
        let path = format!("/v1/approvals/{id}");
        self.step(Step {
            endpoint: "POST /v1/approvals/{approvalID}/comments",
            path: format!("{path}/comments"),
            by: Some(owner),
            body: json!({"text": "Why?"}),
            status: 201,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &["approval.commented"],
            states: States::Created,
        })
        .await;
        self.step(Step {
            endpoint: "POST /v1/approvals/{approvalID}/withdraw",
            path: format!("{path}/withdraw"),
            by: Some(requestor),
            body: json!(null),
            status: 200,
            refused: None,
            writes: &["approval.withdrawn"],
            states: States::Of(path),
        })
        .await;
    }

    async fn require_approvals(&self, env: &str, number: i32) {
        sqlx::query("UPDATE environments SET required_approvals = $1 WHERE id = $2::uuid")
            .bind(number)
            .bind(env)
            .execute(self.app.pool())
            .await
            .expect("a number");
    }
}
