//! Approval requests.

use harness::User;
use serde_json::json;

use super::{Refused, States, Step, Walk};

impl Walk {
    /// One request about a flag's state is approved, another rejected.
    pub(super) async fn approvals(&mut self, owner: &User, flag: &str, env: &str) {
        let requestor = self.app.member(owner, "developer").await;
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
}
