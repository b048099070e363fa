//! Mail to people who did not ask for it.

use reqwest::Method;
use serde_json::json;

use crate::attacker::Attacker;
use crate::measure::Abuse;

/// Invitations, most of them to one address.
pub struct Invitations;

impl Abuse for Invitations {
    const NAME: &str = "invitations";

    async fn prepare(_: &Attacker) -> Self {
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        attacker
            .flood(8, |number| {
                let email = match number % 2 {
                    0 => format!("victim+{number}@victims.test"),
                    _ => "victim@victims.test".to_owned(),
                };
                let body = json!({"email": email, "role": "viewer"});
                attacker
                    .managed(Method::POST, "/v1/members/invite")
                    .json(&body)
            })
            .await;
    }
}
