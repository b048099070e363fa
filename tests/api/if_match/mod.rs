//! `ETag` and `If-Match`: of everything that two people may change at the same time.

mod races;
mod refusals;

use harness::user::DefaultProject;
use harness::{App, Response, User};
use reqwest::Method;
use serde_json::{Value, json};

const CHANGED: &str = "changed meanwhile";

/// Webhooks of tests lead to this machine.
const LOOPBACK: (&str, &str) = ("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8");

/// An organization with one of each thing that carries a tag.
struct Scene {
    app: App,
    owner: User,
    project: DefaultProject,
    things: Vec<Thing>,
}

struct Thing {
    path: String,
    /// The tag with which it was made.
    tag: String,
    /// What changes it, differently each time.
    patch: fn(usize) -> Value,
    /// Whether it can be deleted by itself.
    is_deletable: bool,
}

fn name(number: usize) -> Value {
    json!({"name": format!("Name {number}")})
}

impl Scene {
    async fn set() -> Self {
        let app = App::start_with(&[LOOPBACK]).await;
        let owner = app.proven("acme").await;
        app.set_plan(&owner, "enterprise").await;
        let project = owner.default_project().await;
        let root = format!("/v1/projects/{}", project.id);
        let mut things = Vec::new();
        let mut made = async |collection: &str, body: Value, id: &str, patch| {
            let made = owner.create(collection, body).await;
            things.push(Thing {
                path: format!("{collection}/{}", made.text(id)),
                tag: made.header("etag").to_owned(),
                patch,
                is_deletable: true,
            });
        };
        let flags = format!("{root}/flags");
        made(&flags, json!({"key": "f", "name": "F"}), "/key", name).await;
        let segment = json!({"key": "s", "name": "S", "rules": []});
        made(&format!("{root}/segments"), segment, "/key", name).await;
        let env = json!({"name": "Load"});
        made(&format!("{root}/environments"), env, "/id", name).await;
        let webhook = json!({"name": "W", "url": "http://127.0.0.1:9/hook"});
        made("/v1/webhooks", webhook, "/id", name).await;
        let role = json!({"name": "R", "permissions": ["flags.read"]});
        made(
            "/v1/roles",
            role,
            "/id",
            |number| json!({"name": format!("Name {number}"), "permissions": ["flags.read"]}),
        )
        .await;
        things.push(Thing {
            path: format!("{flags}/f/environments/{}", project.dev),
            tag: "\"0\"".to_owned(),
            patch: |number| json!({"percentage_rollout": 1_000 + number}),
            is_deletable: false,
        });
        Self {
            app,
            owner,
            project,
            things,
        }
    }

    async fn tag(&self, path: &str) -> String {
        self.owner.get(path).await.header("etag").to_owned()
    }
}

/// A PUT of somebody who has seen what has this tag.
async fn put(user: &User, path: &str, tag: &str, body: &Value) -> Response {
    let request = user.request(Method::PUT, path).header("if-match", tag);
    user.send(request.json(body)).await
}

async fn delete(user: &User, path: &str, tag: &str) -> Response {
    let request = user.request(Method::DELETE, path).header("if-match", tag);
    user.send(request).await
}

#[tokio::test]
async fn what_is_shown_and_written_carries_the_tag_that_every_change_moves() {
    let scene = Scene::set().await;
    for thing in &scene.things {
        let Thing { path, tag, .. } = thing;
        assert_eq!(scene.tag(path).await, *tag, "{path}");
        let mut tags = vec![tag.clone()];
        for number in 1..4 {
            let written = scene.owner.change(path, (thing.patch)(number)).await;
            let tag = written.header("etag").to_owned();
            assert_eq!(scene.tag(path).await, tag, "{path}");
            assert!(!tags.contains(&tag), "{path}: {tag} of {tags:?}");
            tags.push(tag);
        }
    }
}

#[tokio::test]
async fn whoever_has_seen_what_is_there_may_change_and_delete_it() {
    let scene = Scene::set().await;
    // The flag goes last, and its state with it.
    for thing in scene.things.iter().rev() {
        let Thing { path, tag, .. } = thing;
        let written = put(&scene.owner, path, tag, &(thing.patch)(1)).await;
        written.expect_status(200);
        let list = format!("\"4711\", {}", written.header("etag"));
        let written = put(&scene.owner, path, &list, &(thing.patch)(2)).await;
        written.expect_status(200);
        let written = put(&scene.owner, path, "*", &(thing.patch)(3)).await;
        written.expect_status(200);
        if thing.is_deletable {
            let deleted = delete(&scene.owner, path, written.header("etag")).await;
            deleted.expect(204, Value::Null);
            assert!(!deleted.headers.contains_key("etag"), "nothing is left");
        }
    }
}

#[tokio::test]
async fn changed_meanwhile_is_412_with_the_tag_of_now() {
    let scene = Scene::set().await;
    for thing in &scene.things {
        let Thing { path, tag, .. } = thing;
        let written = scene.owner.put(path, (thing.patch)(1)).await;
        let now = written.header("etag");
        for seen in [tag, "\"4711\", \"x\"", &format!("W/{now}")] {
            let refused = put(&scene.owner, path, seen, &(thing.patch)(2)).await;
            refused.expect_error(412, CHANGED);
            assert_eq!(refused.header("etag"), now, "{path}");
            if thing.is_deletable {
                let refused = delete(&scene.owner, path, seen).await;
                refused.expect_error(412, CHANGED);
                assert_eq!(refused.header("etag"), now, "{path}");
            }
        }
        let shown = scene.owner.get(path).await;
        shown.expect(200, written.body.clone());
        assert_eq!(shown.header("etag"), now);
    }
}

#[tokio::test]
async fn a_state_that_was_never_stored_has_the_tag_0() {
    let scene = Scene::set().await;
    let state = format!(
        "/v1/projects/{}/flags/f/environments/{}",
        scene.project.id, scene.project.staging
    );
    assert_eq!(scene.tag(&state).await, "\"0\"");
    let body = json!({"enabled": true});
    let refused = put(&scene.owner, &state, "\"1\"", &body).await;
    refused.expect_error(412, CHANGED);
    assert_eq!(refused.header("etag"), "\"0\"");
    let written = put(&scene.owner, &state, "\"0\"", &body).await;
    written.expect_status(200);
    let again = put(&scene.owner, &state, "\"0\"", &body).await;
    again.expect_error(412, CHANGED);
    assert_eq!(again.header("etag"), written.header("etag"));
}

#[tokio::test]
async fn a_state_moves_neither_the_tag_of_its_flag_nor_that_of_its_environment() {
    let scene = Scene::set().await;
    let root = format!("/v1/projects/{}", scene.project.id);
    let (flag, env) = (
        format!("{root}/flags/f"),
        format!("{root}/environments/{}", scene.project.dev),
    );
    let before = (scene.tag(&flag).await, scene.tag(&env).await);
    let state = format!("{flag}/environments/{}", scene.project.dev);
    let enabled = json!({"enabled": true});
    scene.owner.change(&state, enabled).await;
    assert_eq!((scene.tag(&flag).await, scene.tag(&env).await), before);
}

#[tokio::test]
async fn whatever_changes_a_state_moves_its_tag() {
    let scene = Scene::set().await;
    let flag = format!("/v1/projects/{}/flags/f", scene.project.id);
    let (dev, staging) = (&scene.project.dev, &scene.project.staging);
    let enabled = json!({"enabled": true});
    let put = scene
        .owner
        .put(&format!("{flag}/environments/{dev}"), enabled)
        .await;
    let promotion = json!({"source_env_id": dev, "target_env_id": staging});
    let promote = format!("{flag}/promote");
    let promoted = scene.owner.post(&promote, promotion).await;
    let state = format!("{flag}/environments/{staging}");
    assert_eq!(scene.tag(&state).await, promoted.header("etag"));
    assert_ne!(promoted.header("etag"), put.header("etag"));
    let kill = json!({"env_id": staging});
    let killed = scene.owner.post(&format!("{flag}/kill"), kill).await;
    assert_eq!(scene.tag(&state).await, killed.header("etag"));
    assert_ne!(killed.header("etag"), promoted.header("etag"));
}

#[tokio::test]
async fn a_built_in_role_has_the_tag_0() {
    let scene = Scene::set().await;
    let role = "/v1/roles/00000000-0000-7000-8000-000000000003";
    assert_eq!(scene.tag(role).await, "\"0\"");
}
