//! Members who are invited and leave, sessions that begin and end, service accounts and their tokens.

use std::time::Duration;

use harness::User;
use serde_json::{Value, json};
use sqlx::PgPool;

use super::Kind;
use crate::soak::world::World;

pub struct Members {
    owner: User,
    pool: PgPool,
}

impl Members {
    pub fn new(world: &World) -> Self {
        Self {
            owner: world.owner.clone(),
            pool: world.pool.clone(),
        }
    }
}

impl Kind for Members {
    const NAME: &str = "members";
    const PAUSE: Duration = Duration::from_millis(500);

    async fn turn(&mut self, _number: u64) {
        let member = self.owner.member(&self.pool, "viewer").await;
        let id = self.owner.member_id_of(&member.email).await;
        let path = format!("/v1/members/{id}");
        let promoted = self.owner.put(&path, json!({"role": "developer"})).await;
        promoted.expect_status(204);
        let again = member.sign_in_again().await;
        again.get("/v1/projects").await.expect_status(200);
        self.owner.remove(&path).await;
        again.get("/v1/projects").await.expect_status(401);
    }
}

pub struct Accounts {
    owner: User,
}

impl Accounts {
    pub fn new(world: &World) -> Self {
        Self {
            owner: world.owner.clone(),
        }
    }
}

impl Kind for Accounts {
    const NAME: &str = "sessions and service accounts";
    const PAUSE: Duration = Duration::from_millis(500);

    async fn turn(&mut self, _number: u64) {
        let session = self.owner.sign_in_again().await;
        let refresh = json!({"refresh_token": session.refresh_token});
        let refreshed = session.act("/v1/auth/refresh", refresh).await;
        let token = refreshed.body.pointer("/access_token");
        let token = token.or(refreshed.body.pointer("/tokens/access_token"));
        let token = token.and_then(Value::as_str).expect("a token");
        let session = session.with_token(token);
        session.act("/v1/auth/logout", Value::Null).await;
        session.get("/v1/projects").await.expect_status(401);

        let body = json!({"name": "passing", "role": "viewer"});
        let account = self.owner.create("/v1/service-accounts", body).await;
        let path = format!("/v1/service-accounts/{}", account.text("/id"));
        let tokens = format!("{path}/tokens");
        let body = json!({"name": "passing", "read_only": true});
        let token = self.owner.create(&tokens, body).await.text("/token");
        let service = session.with_token(&token);
        service.get("/v1/projects").await.expect_status(200);
        self.owner.remove(&path).await;
        service.get("/v1/projects").await.expect_status(401);
    }
}
