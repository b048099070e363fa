//! Edges, which an operator among the members enrolls and revokes.

use harness::User;
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk};

impl Walk {
    pub(super) async fn edges(&mut self, owner: &User) {
        owner.prove_address(self.app.pool()).await;
        // Made with the first certificate, in a transaction of its own.
        self.leaves = Some("link_authority");
        // In a region that the stranger does not see.
        let body = json!({"name": "fra-9", "region": "eu"});
        let (made, entries) = self
            .step(Step {
                endpoint: "POST /v1/edges",
                path: "/v1/edges".to_owned(),
                by: Some(owner),
                body,
                status: 201,
                refused: Some(Refused::Body(json!({"name": ""}), 400)),
                writes: &["edge.enrolled"],
                states: States::Any,
            })
            .await;
        let shown = json!({"name": "fra-9", "region": "eu", "expires_at": made.body["expires_at"]});
        assert_eq!(entries[0].after, shown);
        assert_eq!(entries[0].resource_id.as_deref(), Some("fra-9"));
        let (_, entries) = self
            .step(Step {
                endpoint: "DELETE /v1/edges/{edgeName}",
                path: "/v1/edges/fra-9".to_owned(),
                by: Some(owner),
                body: Value::Null,
                status: 204,
                refused: None,
                writes: &["edge.revoked"],
                states: States::Any,
            })
            .await;
        assert_eq!(entries[0].before, shown);
    }
}
