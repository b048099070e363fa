//! Flags and segments; projects with environments of their own; imports into them.

use std::sync::Arc;
use std::time::Duration;

use harness::{Source, User, migration};
use serde_json::{Value, json};

use super::Kind;
use crate::soak::world::{Node, World, until_answered};

pub struct Definitions {
    nodes: Arc<Vec<Node>>,
    owner: User,
    project: String,
    env: String,
}

impl Definitions {
    pub fn new(world: &World) -> Self {
        Self {
            nodes: Arc::clone(&world.nodes),
            owner: world.owner.clone(),
            project: format!("/v1/projects/{}", world.project.id),
            env: world.project.dev.clone(),
        }
    }
}

impl Kind for Definitions {
    const NAME: &str = "flags and segments";
    const PAUSE: Duration = Duration::from_millis(100);

    async fn turn(&mut self, number: u64) {
        let Self {
            owner,
            project,
            env,
            ..
        } = self;
        let key = format!("passing-{number}");
        let rules = json!([{"attribute": "n", "operator": "eq", "values": ["1"]}]);
        let segment = json!({"key": key, "name": key, "rules": rules});
        owner.create(&format!("{project}/segments"), segment).await;
        let flag = json!({"key": key, "name": key, "default_value": false});
        owner.create(&format!("{project}/flags"), flag).await;
        let [flag, segment] = ["flags", "segments"].map(|kind| format!("{project}/{kind}/{key}"));
        let rules = json!([{"segment_keys": [key], "value": true}]);
        let state = json!({"enabled": true, "default_value": false, "rules": rules});
        owner
            .change(&format!("{flag}/environments/{env}"), state)
            .await;
        let sdk = &self.nodes[number as usize % self.nodes.len()].sdk;
        until_answered(sdk, &key, |answer| answer.body["value"] == true).await;
        owner.change(&segment, json!({"rules": []})).await;
        let killed = json!({"env_id": env});
        owner.act(&format!("{flag}/kill"), killed).await;
        let archived = owner.post(&format!("{flag}/archive"), Value::Null).await;
        archived.expect_status(204);
        owner.remove(&flag).await;
        owner.remove(&segment).await;
        until_answered(sdk, &key, |answer| answer.body["reason"] == "NOT_FOUND").await;
    }
}

pub struct Projects {
    nodes: Arc<Vec<Node>>,
    owner: User,
}

impl Projects {
    pub fn new(world: &World) -> Self {
        Self {
            nodes: Arc::clone(&world.nodes),
            owner: world.owner.clone(),
        }
    }
}

/// The path of a new project, and its new environment.
async fn project(owner: &User, slug: &str) -> (String, String) {
    let body = json!({"name": slug, "slug": slug});
    let id = owner.create("/v1/projects", body).await.text("/id");
    let project = format!("/v1/projects/{id}");
    let body = json!({"name": "Development", "slug": "dev"});
    let environments = format!("{project}/environments");
    let env = owner.create(&environments, body).await.text("/id");
    (project, env)
}

impl Kind for Projects {
    const NAME: &str = "projects and environments";
    const PAUSE: Duration = Duration::from_millis(300);

    async fn turn(&mut self, number: u64) {
        let (project, env) = project(&self.owner, &format!("passing-{number}")).await;
        let state = json!({"enabled": true, "default_value": true});
        let flag = json!({"key": "on", "name": "On", "states": {"dev": state}});
        let content = json!({"flags": [flag]});
        self.owner.act(&format!("{project}/content"), content).await;
        let key = self.owner.api_key(&env).await;
        let node = &self.nodes[number as usize % self.nodes.len()];
        let sdk = node.sdk.with_key(&key);
        until_answered(&sdk, "on", |answer| answer.body["value"] == true).await;
        let environment = format!("{project}/environments/{env}");
        if number.is_multiple_of(2) {
            self.owner.remove(&environment).await;
        }
        self.owner.remove(&project).await;
        until_answered(&sdk, "on", |answer| answer.status == 401).await;
    }
}

pub struct Imports {
    owner: User,
    source: Source,
}

impl Imports {
    pub fn new(world: &World) -> Self {
        let source = Source::start(&["dev"]);
        for key in ["one", "other"] {
            source.flag(key, json!({}));
            source.segment("dev", key, &["user-1"]);
        }
        Self {
            owner: world.owner.clone(),
            source,
        }
    }
}

impl Kind for Imports {
    const NAME: &str = "imports";
    const PAUSE: Duration = Duration::from_millis(500);

    async fn turn(&mut self, number: u64) {
        let (project, _) = project(&self.owner, &format!("imported-{number}")).await;
        let id = project.trim_start_matches("/v1/projects/");
        let done = migration::import(&self.owner, &self.source.body(id)).await;
        assert_eq!(done.status["status"], "completed", "{:#}", done.status);
        self.owner.remove(&project).await;
    }
}
