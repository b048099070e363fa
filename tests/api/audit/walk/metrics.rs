//! What SDKs asked: counters and impressions.

use harness::User;
use serde_json::Value;

use super::{States, Step, Walk};

impl Walk {
    pub(super) async fn metrics(&mut self, owner: &User) {
        for (endpoint, action) in [
            (
                "POST /v1/metrics/evaluations/reset",
                "metrics.counters_reset",
            ),
            (
                "POST /v1/metrics/impressions/flush",
                "metrics.impressions_flushed",
            ),
        ] {
            let (_, path) = endpoint.split_once(' ').expect("method and path");
            self.step(Step {
                endpoint,
                path: path.to_owned(),
                by: Some(owner),
                body: Value::Null,
                status: 200,
                refused: None,
                writes: &[action],
                states: States::Any,
            })
            .await;
        }
    }
}
