//! Repositories that were scanned for references to flags.

use harness::User;
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk};

impl Walk {
    pub(super) async fn references(&mut self, owner: &User) {
        let endpoint = "PUT /v1/projects/{projectID}/references";
        let reference = json!({"key": "a-flag", "path": "a.rs", "line": 1});
        let (scanned, entries) = self
            .step(Step {
                endpoint,
                path: self.path(endpoint),
                by: Some(owner),
                body: json!({"repository": "acme/shop", "references": [reference]}),
                status: 200,
                refused: Some(Refused::Body(json!({"repository": "acme/shop"}), 400)),
                writes: &["repository.scanned"],
                states: States::Any,
            })
            .await;
        let mut shown = scanned.body.clone();
        shown.as_object_mut().unwrap().remove("unknown_keys");
        assert_eq!(
            (&entries[0].before, &entries[0].after),
            (&Value::Null, &shown)
        );
        self.ids.insert("repositoryID", scanned.text("/id"));
        let endpoint = "DELETE /v1/projects/{projectID}/references/{repositoryID}";
        let (_, entries) = self
            .step(Step {
                endpoint,
                path: self.path(endpoint),
                by: Some(owner),
                body: Value::Null,
                status: 204,
                refused: None,
                writes: &["repository.forgotten"],
                states: States::Any,
            })
            .await;
        assert_eq!(
            (&entries[0].before, &entries[0].after),
            (&shown, &Value::Null)
        );
    }
}
