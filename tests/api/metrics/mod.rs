//! Usage, from what SDKs ask to what the organization is told.

mod evaluations;
mod filters;
mod impressions;
mod reports;
mod series;
mod unknown;

use harness::{App, Caller, User, eventually};
use serde_json::{Value, json};

const EVALUATIONS: &str = "/v1/metrics/evaluations";
const RESET: &str = "/v1/metrics/evaluations/reset";
const IMPRESSIONS: &str = "/v1/metrics/impressions";
const FLUSH: &str = "/v1/metrics/impressions/flush";

/// On a machine that is busy with other tests an edge may need longer than the default to report.
const PATIENT: (&str, &str) = ("USAGE_FLUSH_WAIT", "10s");

/// An organization with a flag that is off, and an SDK in `dev`.
struct Scene {
    owner: User,
    project: String,
    dev: String,
    staging: String,
    sdk: Caller,
}

impl Scene {
    async fn of(app: &App, name: &str) -> Self {
        let owner = app.signup(name).await;
        let project = owner.default_project().await;
        let flag = json!({"key": "checkout", "name": "Checkout", "flag_type": "boolean"});
        let flags = format!("/v1/projects/{}/flags", project.id);
        owner.post(&flags, flag).await.expect_status(201);
        let key = owner.api_key(&project.dev).await;
        Self {
            sdk: app.anonymous().with_key(&key),
            owner,
            project: project.id,
            dev: project.dev,
            staging: project.staging,
        }
    }

    async fn evaluate(&self, flag_key: &str) {
        evaluate(&self.sdk, flag_key).await;
    }

    async fn bulk(&self, flag_keys: &[String]) {
        let body = json!({"flag_keys": flag_keys, "context": {"key": "user-1"}});
        let answer = self.sdk.post("/v1/evaluate/bulk", body).await;
        answer.expect_status(200);
    }

    /// Counters as `[flag_key, env_id, reason, count]`.
    async fn counters(&self) -> Value {
        let answer = self.owner.get(EVALUATIONS).await;
        answer.expect_status(200);
        let counters = answer.body["counters"].as_array().unwrap().iter();
        counters
            .map(|counter| {
                json!([
                    counter["flag_key"],
                    counter["env_id"],
                    counter["reason"],
                    counter["count"]
                ])
            })
            .collect()
    }
}

async fn evaluate(sdk: &Caller, flag_key: &str) {
    let body = json!({"flag_key": flag_key, "context": {"key": "user-1"}});
    sdk.post("/v1/evaluate", body).await.expect_status(200);
}
