//! SDKs of ever new users: what they evaluate, are shown, and ask for that is not there.

use std::sync::Arc;
use std::time::Duration;

use harness::{Caller, User};
use reqwest::Method;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::Kind;
use crate::soak::world::{Node, World};

/// Counters are cleared after so many turns.
const CLEARED: u64 = 100;

pub struct Readers {
    nodes: Arc<Vec<Node>>,
    owner: User,
    env: String,
}

impl Readers {
    pub fn new(world: &World) -> Self {
        Self {
            nodes: Arc::clone(&world.nodes),
            owner: world.owner.clone(),
            env: world.project.dev.clone(),
        }
    }
}

impl Kind for Readers {
    const NAME: &str = "readers";
    const PAUSE: Duration = Duration::from_millis(50);

    async fn turn(&mut self, number: u64) {
        for node in self.nodes.iter() {
            use_all(&node.sdk, number).await;
        }
        let series = self.owner.request(Method::GET, "/v1/metrics/series");
        let from = OffsetDateTime::now_utc() - Duration::from_secs(600);
        let from = from.format(&Rfc3339).expect("a time");
        let series = series.query(&[("env_id", &*self.env), ("step", "1m"), ("from", &from)]);
        self.owner.send(series).await.expect_status(200);
        if number % CLEARED == CLEARED - 1 {
            let clear = "/v1/metrics/evaluations/reset";
            self.owner.act(clear, Value::Null).await;
        }
    }
}

async fn use_all(sdk: &Caller, number: u64) {
    let user = format!("user-{number}");
    let missing = format!("missing-{number}");
    let keys = [&*missing, "standing"];
    let context = json!({"key": user, "attributes": {"n": number}});
    let question = json!({"flag_keys": keys, "context": context});
    sdk.act("/v1/evaluate/bulk", question).await;
    let shown = json!({"flag_key": "standing", "variant_key": missing, "user_key": user});
    sdk.post("/v1/track", shown).await.expect_status(204);
    for path in ["/v1/client/dev/flags?key=user-1", "/v1/sdk/snapshot"] {
        sdk.get(path).await.expect_status(200);
    }
}
