//! Usage, from what SDKs ask to what the organization is told.

mod evaluations;
mod filters;
mod impressions;
mod large;
mod reports;
mod series;
mod stale;
mod sums;
mod unknown;

use harness::{App, Caller, Response, User, eventually};
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
    async fn start() -> (App, Self) {
        let app = App::start_with(&[PATIENT]).await;
        let scene = Self::of(&app, "acme").await;
        (app, scene)
    }

    async fn of(app: &App, name: &str) -> Self {
        let owner = app.signup(name).await;
        let project = owner.default_project().await;
        let flag = json!({"key": "checkout", "name": "Checkout", "flag_type": "boolean"});
        let flags = format!("/v1/projects/{}/flags", project.id);
        owner.create(&flags, flag).await;
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
        self.sdk.act("/v1/evaluate/bulk", body).await;
    }

    /// The audit entry of what was done with all counters or impressions.
    fn entry(&self, action: &str, metadata: Value) -> Value {
        json!({
            "action": action, "actor_type": "user", "actor_id": self.owner.id, "resource_type": "metrics",
            "resource_id": self.owner.org_id, "project_id": null, "before_state": null, "after_state": null,
            "metadata": metadata,
        })
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
    sdk.act("/v1/evaluate", body).await;
}

/// The path of the part of a list that follows this one.
fn next_part(part: &Response) -> Option<String> {
    let link = part.headers.get("link")?.to_str().unwrap();
    let (next, _) = link.split_once('>').unwrap();
    Some(next.trim_start_matches('<').to_owned())
}
