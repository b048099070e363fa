//! The second factor.

use std::time::Duration;

use harness::{Authenticator, User};
use serde_json::json;

use super::{Refused, States, Step, Walk};

impl Walk {
    pub(super) async fn mfa(&mut self, owner: &User) {
        self.app.prove(&owner.email).await;
        let started = ["mfa.enrolment_started"];
        let (enrolled, _) = self
            .bodiless(owner, "POST /v1/auth/mfa/enable", 200, &started)
            .await;
        let phone = Authenticator::new(&enrolled.text("/secret"));
        for (endpoint, action) in [
            ("POST /v1/auth/mfa/verify", "mfa.enabled"),
            ("POST /v1/auth/mfa/disable", "mfa.disabled"),
        ] {
            // A code is good once.
            self.app.clock.advance(Duration::from_secs(30));
            self.step(Step {
                endpoint,
                path: endpoint.trim_start_matches("POST ").to_owned(),
                by: Some(owner),
                body: json!({"code": phone.code(self.app.clock.now())}),
                status: 200,
                refused: Some(Refused::Body(json!({}), 400)),
                writes: &[action],
                states: States::Of("/v1/auth/mfa/status".to_owned()),
            })
            .await;
        }
    }
}
