//! Passwords that are hashed, and what follows a failed login.

use bytes::Bytes;
use reqwest::{Method, RequestBuilder};
use serde_json::json;

use crate::attacker::{Attacker, Prepared};
use crate::measure::Abuse;

/// A login from one of ten addresses.
fn login(attacker: &Attacker, body: &Bytes) -> RequestBuilder {
    let request = attacker.anonymous(Method::POST, "/v1/auth/login");
    request
        .header("x-forwarded-for", attacker.address(10))
        .prepared(body)
}

/// The longest passwords, from ten addresses at full rate.
pub struct LongPasswords {
    password: String,
}

impl Abuse for LongPasswords {
    const NAME: &str = "passwords";

    async fn prepare(_: &Attacker) -> Self {
        Self {
            password: "p".repeat(1_000_000),
        }
    }

    async fn attack(&self, attacker: &Attacker) {
        attacker
            .flood(60, |number| {
                // Different accounts, since failures lock one; put together by hand, since the attacker has to be quick.
                let password = &self.password;
                let body = format!(
                    r#"{{"email": "user-{number}@elsewhere.test", "password": "{password}"}}"#
                );
                login(attacker, &body.into())
            })
            .await;
    }
}

/// Logins that fail, each of which is noted, and resets of passwords, each of which mails.
pub struct FailedLogins;

impl Abuse for FailedLogins {
    const NAME: &str = "failed-logins";

    async fn prepare(_: &Attacker) -> Self {
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        attacker
            .flood(60, |number| {
                let email = format!("user-{number}@elsewhere.test");
                if number % 2 == 0 {
                    let body = json!({"email": email, "password": "Wrong-horse-1"});
                    return login(attacker, &Attacker::body(&body));
                }
                let request = attacker.anonymous(Method::POST, "/v1/auth/forgot-password");
                let request = request.header("x-forwarded-for", attacker.address(10));
                request.json(&json!({"email": attacker.owner.email}))
            })
            .await;
    }
}
