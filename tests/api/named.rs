//! Projects and environments named by slug, flags and segments by key or id, wherever an id is accepted.

use harness::user::DefaultProject;
use harness::{App, Response, User};
use serde_json::{Value, json};

/// The flag `f` and the segment `s` of a project `shop`, which has the environments of a new account.
struct Scene {
    app: App,
    owner: User,
    project: DefaultProject,
    flag_id: String,
    segment_id: String,
}

impl Scene {
    async fn set() -> Self {
        let (app, owner, project) = App::with_project().await;
        let root = format!("/v1/projects/{}", project.id);
        owner.change(&root, json!({"slug": "shop"})).await;
        let flag = json!({"key": "f", "name": "F"});
        let flag = owner.create(&format!("{root}/flags"), flag).await;
        let segment = json!({"key": "s", "name": "S", "rules": []});
        let segment = owner.create(&format!("{root}/segments"), segment).await;
        let scene = Self {
            app,
            project,
            flag_id: flag.text("/id"),
            segment_id: segment.text("/id"),
            owner,
        };
        let state = format!("{root}/flags/f/environments/{}", scene.project.dev);
        scene.owner.change(&state, json!({"enabled": true})).await;
        scene
    }

    /// A path or a body in which all things are named by their ids.
    fn by_ids(&self, text: &str) -> String {
        let named = [
            ("shop", &self.project.id),
            ("dev", &self.project.dev),
            ("staging", &self.project.staging),
        ];
        named.iter().fold(text.to_owned(), |text, (slug, id)| {
            text.replace(&format!("<{slug}>"), id)
        })
    }

    async fn state(&self, env: &str) -> Response {
        let path = format!("/v1/projects/shop/flags/f/environments/{env}");
        self.owner.get(&path).await
    }
}

/// The same with slugs.
fn by_slugs(text: &str) -> String {
    text.replace(['<', '>'], "")
}

#[tokio::test]
async fn a_path_may_have_slugs_for_ids() {
    let scene = Scene::set().await;
    for path in [
        "/v1/projects/<shop>",
        "/v1/projects/<shop>/environments",
        "/v1/projects/<shop>/environments/<dev>",
        "/v1/projects/<shop>/environments/<dev>/api-keys",
        "/v1/projects/<shop>/flags",
        "/v1/projects/<shop>/flags/f",
        "/v1/projects/<shop>/flags/f/environments/<dev>",
        "/v1/projects/<shop>/flags/f/environments/<staging>",
        "/v1/projects/<shop>/flags/f/history?env_id=<dev>",
        "/v1/projects/<shop>/flags/f/history/2?env_id=<dev>",
        "/v1/projects/<shop>/flags/f/dependants",
        "/v1/projects/<shop>/overview?env_id=<dev>&state=on",
        "/v1/projects/<shop>/segments",
        "/v1/projects/<shop>/segments/s",
        "/v1/projects/<shop>/segments/s/usage",
        "/v1/search?q=f&project_id=<shop>",
    ] {
        let expected = scene.owner.get(&scene.by_ids(path)).await;
        expected.expect_status(200);
        let shown = scene.owner.get(&by_slugs(path)).await;
        shown.expect(200, expected.body.clone());
        assert_eq!(
            shown.headers.get("etag"),
            expected.headers.get("etag"),
            "{path}"
        );
    }
}

#[tokio::test]
async fn everything_can_be_written_by_slugs_alone() {
    let scene = Scene::set().await;
    let owner = &scene.owner;
    let root = "/v1/projects/shop";
    owner.change(root, json!({"name": "Shop"})).await;
    let qa = json!({"name": "QA"});
    owner.create(&format!("{root}/environments"), qa).await;
    let renamed = format!("{root}/environments/qa");
    owner.change(&renamed, json!({"color": "#000001"})).await;
    let key = json!({"name": "a key"});
    owner.create(&format!("{renamed}/api-keys"), key).await;
    let flag = json!({"key": "g", "name": "G"});
    owner.create(&format!("{root}/flags"), flag).await;
    let flag = format!("{root}/flags/g");
    owner.change(&flag, json!({"name": "H"})).await;
    let state = format!("{flag}/environments/qa");
    owner.change(&state, json!({"percentage_rollout": 1})).await;
    for action in ["archive", "restore"] {
        let path = format!("{flag}/{action}");
        owner.post(&path, Value::Null).await.expect_status(204);
    }
    let segment = json!({"key": "t", "name": "T", "rules": []});
    owner.create(&format!("{root}/segments"), segment).await;
    let segment = format!("{root}/segments/t");
    owner.change(&segment, json!({"name": "U"})).await;
    for path in [&segment, &flag, &renamed, &root.to_owned()] {
        owner.remove(path).await;
        owner.get(path).await.expect_status(404);
    }
}

#[tokio::test]
async fn bodies_may_have_slugs_for_ids() {
    let scene = Scene::set().await;
    let (owner, flag) = (&scene.owner, "/v1/projects/shop/flags/f");
    let promotion = json!({"source_env_id": "dev", "target_env_id": "staging"});
    owner.act(&format!("{flag}/promote"), promotion).await;
    assert_eq!(scene.state("staging").await.body["enabled"], true);
    owner
        .act(&format!("{flag}/kill"), json!({"env_id": "dev"}))
        .await;
    assert_eq!(scene.state("dev").await.body["enabled"], false);
    let rollback = json!({"env_id": "dev", "version": 2});
    owner.act(&format!("{flag}/rollback"), rollback).await;
    assert_eq!(scene.state("dev").await.body["enabled"], true);

    let question = json!({
        "project_id": "<shop>", "env_id": "<dev>", "flag_key": "f", "context": {"key": "ada"},
    });
    let question = question.to_string();
    let asked = |text: String| serde_json::from_str::<Value>(&text).unwrap();
    let expected = owner
        .act("/v1/explain", asked(scene.by_ids(&question)))
        .await;
    let explained = owner.act("/v1/explain", asked(by_slugs(&question))).await;
    assert_eq!(explained.body, expected.body);

    // The source is looked at after the project.
    let import = json!({"target_project_id": "shop"});
    let refused = owner.post("/v1/migration/analyze", import).await;
    refused.expect_error(400, "provider is required");
    owner
        .get("/v1/migration?target_project_id=shop")
        .await
        .expect_status(200);
}

#[tokio::test]
async fn a_request_for_approval_names_flag_and_environment_as_it_likes() {
    let scene = Scene::set().await;
    let (id, flag_id) = (&scene.project.id, &scene.flag_id);
    let expected = json!([flag_id, scene.project.dev]);
    for named in [
        json!({"flag_id": flag_id, "env_id": "dev"}),
        json!({"project_id": "shop", "flag_key": "f", "env_id": "dev"}),
        json!({"project_id": "shop", "flag_id": "f", "env_id": "dev"}),
        json!({"project_id": id, "flag_id": flag_id, "flag_key": "f", "env_id": scene.project.dev}),
    ] {
        let mut body = named;
        body["change_type"] = json!("enable");
        let asked = scene.owner.create("/v1/approvals", body).await;
        assert_eq!(
            json!([asked.body["flag_id"], asked.body["env_id"]]),
            expected
        );
    }
    for (named, status, words) in [
        (
            json!({"flag_key": "f", "env_id": "dev"}),
            404,
            "environment not found: env_id must be an id (a UUID), not a slug, a key or a name",
        ),
        (
            json!({"project_id": "nowhere", "flag_key": "f", "env_id": "dev"}),
            404,
            "project not found",
        ),
        (
            json!({"project_id": "shop", "flag_key": "g", "env_id": "dev"}),
            404,
            "flag not found",
        ),
        (
            json!({"project_id": "shop", "flag_key": "f", "env_id": "nowhere"}),
            404,
            "environment not found",
        ),
        (
            json!({"project_id": "shop", "flag_id": flag_id, "flag_key": "g", "env_id": "dev"}),
            400,
            "flag_id and flag_key must name the same flag",
        ),
    ] {
        let mut body = named;
        body["change_type"] = json!("enable");
        let refused = scene.owner.post("/v1/approvals", body).await;
        refused.expect_error(status, words);
    }
}

#[tokio::test]
async fn a_flag_and_a_segment_are_found_by_their_ids_too() {
    let scene = Scene::set().await;
    let (owner, root) = (&scene.owner, "/v1/projects/shop");
    for (collection, key, id) in [
        ("flags", "f", &scene.flag_id),
        ("segments", "s", &scene.segment_id),
    ] {
        let by_id = format!("{root}/{collection}/{id}");
        let expected = owner.get(&format!("{root}/{collection}/{key}")).await;
        owner.get(&by_id).await.expect(200, expected.body.clone());
        let upper = format!("{root}/{collection}/{}", id.to_uppercase());
        owner.get(&upper).await.expect(200, expected.body.clone());
        let changed = owner.change(&by_id, json!({"name": "Renamed"})).await;
        assert_eq!(changed.body["key"], key);
    }
    let flag = format!("{root}/flags/{}", scene.flag_id);
    let state = format!("{flag}/environments/dev");
    owner.change(&state, json!({"enabled": false})).await;
    assert_eq!(scene.state("dev").await.body["enabled"], false);
    owner
        .get(&format!("{flag}/dependants"))
        .await
        .expect_status(200);
    let usage = format!("{root}/segments/{}/usage", scene.segment_id);
    owner.get(&usage).await.expect_status(200);

    // A flag that is called like the id of another one is meant by its key.
    let namesake = json!({"key": scene.flag_id, "name": "Namesake"});
    owner.create(&format!("{root}/flags"), namesake).await;
    assert_eq!(owner.get(&flag).await.body["name"], "Namesake");
    owner.remove(&flag).await;
    assert_eq!(owner.get(&flag).await.body["key"], "f");
    owner.remove(&flag).await;
    owner.get(&flag).await.expect_error(404, "flag not found");
    // History outlives the flag.
    let history = owner.get(&format!("{flag}/history")).await;
    assert_eq!(history.body["data"][0]["action"], "flag.deleted");
    let segment = format!("{root}/segments/{}", scene.segment_id);
    owner.remove(&segment).await;
    let gone = owner.get(&segment).await;
    gone.expect_error(404, "segment not found");
}

#[tokio::test]
async fn slugs_and_ids_of_another_organization_or_project_name_nothing() {
    let scene = Scene::set().await;
    let stranger = scene.app.signup("globex").await;
    let foreign = stranger.default_project().await;
    let root = format!("/v1/projects/{}", foreign.id);
    stranger.change(&root, json!({"slug": "secret"})).await;
    let made = json!({"key": "theirs", "name": "Theirs"});
    let flag = stranger.create(&format!("{root}/flags"), made).await;
    let other = json!({"name": "Other"});
    let other = scene.owner.create("/v1/projects", other).await;
    assert_eq!(other.body["slug"], "other");
    let theirs = flag.text("/id");
    for (path, words) in [
        ("/v1/projects/secret".to_owned(), "project not found"),
        (
            "/v1/projects/secret/flags/theirs".to_owned(),
            "project not found",
        ),
        (
            "/v1/projects/secret/environments/dev".to_owned(),
            "project not found",
        ),
        (
            format!("/v1/projects/shop/flags/{theirs}"),
            "flag not found",
        ),
        (
            format!("/v1/projects/other/flags/{}", scene.flag_id),
            "flag not found",
        ),
        (
            format!("/v1/projects/other/segments/{}", scene.segment_id),
            "segment not found",
        ),
        (
            "/v1/projects/other/environments/dev".to_owned(),
            "environment not found",
        ),
        (
            format!("/v1/projects/shop/environments/{}", foreign.dev),
            "environment not found",
        ),
        ("/v1/projects/Shop".to_owned(), "project not found"),
        ("/v1/projects/shop%20".to_owned(), "project not found"),
        (
            format!("/v1/projects/{}", "s".repeat(101)),
            "project not found",
        ),
    ] {
        let refused = scene.owner.get(&path).await;
        refused.expect_error(404, words);
    }
    // The same slug means each organization's own.
    stranger.change(&root, json!({"slug": "shop"})).await;
    let shown = stranger.get("/v1/projects/shop").await;
    assert_eq!(shown.body["id"], json!(foreign.id));
    let shown = scene.owner.get("/v1/projects/shop").await;
    assert_eq!(shown.body["id"], json!(scene.project.id));
}

#[tokio::test]
async fn a_slug_means_what_has_it_now() {
    let scene = Scene::set().await;
    let owner = &scene.owner;
    owner
        .change("/v1/projects/shop", json!({"slug": "store"}))
        .await;
    owner.get("/v1/projects/shop").await.expect_status(404);
    let other = json!({"name": "Shop"});
    let other = owner.create("/v1/projects", other).await;
    let shown = owner.get("/v1/projects/shop").await;
    assert_eq!(shown.body["id"], other.body["id"]);
}

#[tokio::test]
async fn a_text_of_the_form_of_an_id_is_an_id() {
    let scene = Scene::set().await;
    let owner = &scene.owner;
    let other = json!({"name": "Other", "slug": scene.project.id});
    let other = owner.create("/v1/projects", other).await;
    let shown = owner
        .get(&format!("/v1/projects/{}", scene.project.id))
        .await;
    assert_eq!(shown.body["slug"], "shop");
    let shown = owner
        .get(&format!("/v1/projects/{}", other.text("/id")))
        .await;
    assert_eq!(shown.body["slug"], json!(scene.project.id));
}
