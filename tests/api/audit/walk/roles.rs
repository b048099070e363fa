//! Custom roles, on Enterprise.

use harness::User;
use serde_json::json;

use super::Walk;

impl Walk {
    pub(super) async fn roles(&mut self, owner: &User) {
        for org in [owner, &self.stranger] {
            self.app.set_plan(org, "enterprise").await;
        }
        let body = json!({"name": "On call", "permissions": ["flags.kill"]});
        let role = self
            .creates(owner, "POST /v1/roles", body, "role.created")
            .await;
        self.ids.insert("roleID", role);
        let body = json!({"name": "On duty", "permissions": []});
        let endpoint = "PUT /v1/roles/{roleID}";
        self.changes(owner, endpoint, body, "role.updated").await;
        let endpoint = "DELETE /v1/roles/{roleID}";
        self.deletes(owner, endpoint, "role.deleted").await;
    }
}
