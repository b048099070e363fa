//! API keys that are made, used everywhere, and revoked; and keys that never were.

use std::sync::Arc;
use std::time::Duration;

use harness::User;

use super::Kind;
use crate::soak::world::{Node, World, until_answered};

pub struct Keys {
    nodes: Arc<Vec<Node>>,
    owner: User,
    env: String,
}

impl Keys {
    pub fn new(world: &World) -> Self {
        Self {
            nodes: Arc::clone(&world.nodes),
            owner: world.owner.clone(),
            env: world.project.dev.clone(),
        }
    }
}

impl Kind for Keys {
    const NAME: &str = "keys";
    const PAUSE: Duration = Duration::from_millis(100);

    async fn turn(&mut self, number: u64) {
        let keys = format!("/v1/environments/{}/api-keys", self.env);
        let body = serde_json::json!({"name": "passing", "type": "server"});
        let made = self.owner.create(&keys, body).await;
        let key = made.text("/key");
        for node in self.nodes.iter() {
            let sdk = node.sdk.with_key(&key);
            until_answered(&sdk, "standing", |answer| answer.status == 200).await;
        }
        let id = made.text("/id");
        self.owner.remove(&format!("/v1/api-keys/{id}")).await;
        let unknown = format!("{}{number:08}", &key[..key.len() - 8]);
        for node in self.nodes.iter() {
            for key in [&key, &unknown] {
                let sdk = node.sdk.with_key(key);
                until_answered(&sdk, "standing", |answer| answer.status == 401).await;
            }
        }
    }
}
