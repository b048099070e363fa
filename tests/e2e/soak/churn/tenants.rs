//! Organizations that sign up, use what there is, and are deleted by their owners.

use std::sync::Arc;
use std::time::Duration;

use harness::User;
use harness::user::PASSWORD;
use reqwest::Method;
use serde_json::json;

use super::Kind;
use crate::soak::world::{Node, World, until_answered};

pub struct Tenants {
    nodes: Arc<Vec<Node>>,
    owner: User,
}

impl Tenants {
    pub fn new(world: &World) -> Self {
        Self {
            nodes: Arc::clone(&world.nodes),
            owner: world.owner.clone(),
        }
    }
}

impl Kind for Tenants {
    const NAME: &str = "tenants";
    const PAUSE: Duration = Duration::from_millis(500);

    async fn turn(&mut self, number: u64) {
        let name = format!("tenant-{number}");
        let tenant = User::register(&self.owner.without_credentials(), &name).await;
        let project = tenant.default_project().await;
        let state = json!({"enabled": true, "default_value": true});
        let flag = json!({"key": "on", "name": "On", "states": {"dev": state}});
        let content = format!("/v1/projects/{}/content", project.id);
        tenant.act(&content, json!({"flags": [flag]})).await;
        let key = tenant.api_key(&project.dev).await;
        for node in self.nodes.iter() {
            let sdk = node.sdk.with_key(&key);
            until_answered(&sdk, "on", |answer| answer.body["value"] == true).await;
        }
        leave(&tenant, &name).await;
        for node in self.nodes.iter() {
            let sdk = node.sdk.with_key(&key);
            until_answered(&sdk, "on", |answer| answer.status == 401).await;
        }
    }
}

/// Deletes the organization of this name.
pub async fn leave(owner: &User, name: &str) {
    let body = json!({"name": name, "password": PASSWORD});
    let request = owner.request(Method::DELETE, "/v1/organization");
    let deleted = owner.send(request.json(&body)).await;
    deleted.expect_status(202);
}
