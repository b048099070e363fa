//! Passwords that are hashed, and what follows a failed login.

use bytes::Bytes;
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use sqlx::query;
use uuid::Uuid;

use crate::{
    attacker::{Attacker, Prepared},
    measure::Abuse,
};

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

const ACCOUNTS: usize = 500;

/// Logins that fail, each of which is noted, and resets of passwords, each of which mails.
pub struct FailedLogins;

impl Abuse for FailedLogins {
    const NAME: &str = "failed-logins";

    /// Accounts that there are, since others have nothing to note; as many as are locked one after the other.
    async fn prepare(attacker: &Attacker) -> Self {
        let made = query(
            "WITH made AS (
                 INSERT INTO users (id, email, name, password_hash, email_verified, created_at, updated_at)
                 SELECT gen_random_uuid(), 'user-' || n || '@elsewhere.test', 'U', password_hash, true, now(), now()
                 FROM users, generate_series(0, $2 - 1) AS n
                 WHERE email = $1
                 RETURNING id
             )
             INSERT INTO members (id, org_id, user_id, role, created_at)
             SELECT gen_random_uuid(), $3, id, 'viewer', now() FROM made",
        )
        .bind(&attacker.owner.email)
        .bind(i32::try_from(ACCOUNTS).expect("a few hundred"))
        .bind(Uuid::try_parse(&attacker.owner.org_id).expect("an id"))
        .execute(&mut attacker.database().await)
        .await;
        made.expect("the tables of accounts");
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        attacker
            .flood(60, |number| {
                let email = format!("user-{}@elsewhere.test", number / 2 % ACCOUNTS);
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
