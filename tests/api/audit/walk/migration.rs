//! Imports. What one writes once it has begun has tests of its own.

use harness::source::CREDENTIAL;
use harness::{Source, User};
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk};

impl Walk {
    pub(super) async fn migration(&mut self, owner: &User) {
        let source = Source::start(&["production"]);
        self.secrets.insert(CREDENTIAL.to_owned());
        let step = |endpoint, path: &str, body, writes| Step {
            endpoint,
            path: path.to_owned(),
            by: Some(owner),
            body,
            status: 200,
            refused: Some(Refused::Body(json!({"provider": 1}), 400)),
            writes,
            states: States::Any,
        };
        let mut providers = step(
            "POST /v1/migration/providers",
            "/v1/migration/providers",
            Value::Null,
            &[],
        );
        providers.refused = None;
        self.step(providers).await;

        let target = owner.default_project().await.id;
        let body = source.body(&target);
        self.step(step(
            "POST /v1/migration/connect",
            "/v1/migration/connect",
            body.clone(),
            &[],
        ))
        .await;
        self.step(step(
            "POST /v1/migration/analyze",
            "/v1/migration/analyze",
            body.clone(),
            &[],
        ))
        .await;
        let mut identities = body.clone();
        identities["provider"] = json!("provider_c");
        identities["env_id"] = json!(7);
        self.step(step(
            "POST /v1/migration/identities",
            "/v1/migration/identities",
            identities,
            &[],
        ))
        .await;

        // The job that begins waits for the source while the entries of this step are looked at.
        source.hold_flags();
        let (started, _) = self
            .step(step(
                "POST /v1/migration/execute",
                "/v1/migration/execute",
                body.clone(),
                &["migration.started"],
            ))
            .await;
        source.release();
        harness::migration::ended(owner, started.text("/migration_id")).await;

        source.hold_flags();
        let started = owner.post("/v1/migration/execute", body).await;
        let path = format!("/v1/migration/{}", started.text("/migration_id"));
        let mut ends = step(
            "DELETE /v1/migration/{id}",
            &path,
            Value::Null,
            &["migration.failed"],
        );
        ends.status = 204;
        ends.refused = None;
        self.step(ends).await;
    }
}
