//! An edge that holds only what it is asked with, and no more than it has room for.

use harness::{Caller, Edge, User, eventually};
use serde_json::{Value, json};

use crate::scene::Scene;

const FLAGS: usize = 20;
/// Two environments of so many flags fit, three do not.
const ROOM: &str = "20000";

/// An organization of its own, with flags that are on.
struct Tenant {
    owner: User,
    project: String,
    env: String,
    sdk: Caller,
}

impl Tenant {
    async fn make(scene: &Scene, edge: &Edge, name: &str) -> Self {
        let owner = scene.stack.signup(name).await;
        let project = owner.default_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        for number in 0..FLAGS {
            let key = format!("flag-{number}");
            let flag =
                json!({"key": key, "name": key, "flag_type": "string", "default_value": name});
            owner.create(&flags, flag).await;
        }
        let sdk = edge.with_key(&owner.api_key(&project.dev).await);
        Self {
            owner,
            project: project.id,
            env: project.dev,
            sdk,
        }
    }

    async fn value(&self) -> Value {
        let question = json!({"flag_key": "flag-0", "context": {"key": "user-1"}});
        let answer = self.sdk.act("/v1/evaluate", question).await;
        answer.body["value"].clone()
    }

    async fn serve(&self, value: &str) {
        let path = format!(
            "/v1/projects/{}/flags/flag-0/environments/{}",
            self.project, self.env
        );
        let state = json!({"enabled": true, "default_value": value});
        self.owner.change(&path, state).await;
    }
}

#[tokio::test]
async fn an_edge_drops_what_it_has_no_room_for_and_fetches_it_again() {
    let mut scene = Scene::start().await;
    let settings = [("EDGE_SUBSCRIBE", "on-demand"), ("EDGE_MEMORY_LIMIT", ROOM)];
    let edge = scene.stack.edge_with(&settings).await;
    let mut tenants = Vec::new();
    for name in ["one", "two", "three"] {
        tenants.push(Tenant::make(&scene, &edge, name).await);
    }
    for tenant in &tenants {
        tenant.value().await;
    }
    has_room_again(&edge).await;

    // Whichever was dropped: all of them are served, and follow changes.
    for round in ["a", "b"] {
        for tenant in &tenants {
            tenant.value().await;
            tenant.serve(round).await;
            eventually("the change is served", async || {
                (tenant.value().await == round).then_some(())
            })
            .await;
        }
    }
    has_room_again(&edge).await;
}

async fn has_room_again(edge: &Edge) {
    eventually("the edge holds two environments", async || {
        let ready = edge.admin().get("/ready").await;
        (ready.body["environments"] == 2).then_some(())
    })
    .await;
}
