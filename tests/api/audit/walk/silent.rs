//! Writing endpoints that tell nothing.

use harness::User;
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk};

impl Walk {
    pub(super) async fn silent(&mut self, owner: &User) {
        let step = |by, endpoint, path: &str, body, status, refused: Value| Step {
            endpoint,
            path: path.to_owned(),
            by,
            body,
            status,
            refused: Some(Refused::Body(refused, 400)),
            writes: &[],
            states: States::Any,
        };
        let (done, refused) = (
            json!({"tour_completed": true}),
            json!({"tour_completed": 1}),
        );
        self.step(step(
            Some(owner),
            "PATCH /v1/onboarding",
            "/v1/onboarding",
            done,
            200,
            refused,
        ))
        .await;
        let body =
            json!({"contact_name": "Ada", "email": "ada@example.test", "company": "Engines"});
        self.step(step(
            None,
            "POST /v1/sales/inquiry",
            "/v1/sales/inquiry",
            body,
            201,
            json!({}),
        ))
        .await;
    }
}
