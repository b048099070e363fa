//! What bodies say beside the contract's members, and how much of it is stored.

use serde_json::{Value, json};

use super::{DASHBOARD, Scene};

impl Scene {
    /// Makes a change, lets it be delivered, and gives the bodies that came.
    async fn told(&self, change: impl AsyncFnOnce()) -> Vec<Value> {
        let before = self.receiver.received().len();
        change().await;
        self.settle().await;
        let received = self.receiver.received();
        received[before..]
            .iter()
            .map(harness::Received::json)
            .collect()
    }
}

#[tokio::test]
async fn a_body_says_who_changed_what_and_where() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({})).await;
    let body = |changed: Value, before: Value, after: Value| {
        json!({
            "type": "flag.updated", "flag_id": scene.flag_id, "env_id": scene.dev, "timestamp": "[time]",
            "flag_key": "checkout", "project_id": scene.project, "project_slug": "default", "env_slug": "dev",
            "actor": {"id": scene.owner.id, "name": "Owner", "type": "user"},
            "resource": {"type": "flag", "id": scene.flag_id, "key": "checkout", "name": "Checkout"},
            "changed": changed, "before": before, "after": after, "truncated": false,
            "url": format!("{DASHBOARD}/p/default/flags/checkout?env=dev"),
        })
    };
    let same = |expected: &Value, actual: &Value| {
        let found = harness::expect::differences(expected, actual, scene.app.clock.now());
        assert!(found.is_empty(), "{found:#?}");
    };
    // Nothing was stored before.
    let told = scene.told(async || scene.toggle(true).await).await;
    let expected = body(json!(["enabled"]), Value::Null, json!({"enabled": true}));
    same(&expected, &told[0]);

    let told = scene.told(async || scene.toggle(false).await).await;
    let [before, after] = [true, false].map(|enabled| json!({"enabled": enabled}));
    same(&body(json!(["enabled"]), before, after), &told[0]);
    assert_eq!(told.len(), 1);
}

#[tokio::test]
async fn names_are_those_of_the_time_of_the_change() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({"events": ["flag.*"]})).await;
    scene.receiver.hold();
    scene.toggle(true).await;
    let project = format!("/v1/projects/{}", scene.project);
    let slug = json!({"slug": "renamed"});
    scene.owner.change(&project, slug.clone()).await;
    let env = format!("{project}/environments/{}", scene.dev);
    scene.owner.change(&env, slug).await;
    scene.toggle(false).await;
    scene.receiver.release();
    scene.settle().await;
    let told: Vec<_> = scene
        .bodies("/a")
        .iter()
        .map(|body| ["project_slug", "env_slug", "url"].map(|name| body[name].clone()))
        .collect();
    let url = |project, env| json!(format!("{DASHBOARD}/p/{project}/flags/checkout?env={env}"));
    let expected = [("default", "dev"), ("renamed", "renamed")]
        .map(|(project, env)| [json!(project), json!(env), url(project, env)]);
    assert_eq!(told, expected);
}

/// Type, key, name, changed fields, and the page.
fn summary(body: &Value) -> (String, Value, Value, Value, String) {
    let url = body["url"].as_str().unwrap();
    let page = url.strip_prefix(DASHBOARD).unwrap().to_owned();
    let resource = &body["resource"];
    let event_type = body["type"].as_str().unwrap().to_owned();
    (
        event_type,
        resource["key"].clone(),
        resource["name"].clone(),
        body["changed"].clone(),
        page,
    )
}

#[tokio::test]
async fn a_deleted_flag_is_named_and_its_list_shown() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({})).await;
    let path = format!("{}/checkout", scene.flags);
    let told = scene.told(async || scene.owner.remove(&path).await).await;
    assert_eq!(told[0]["flag_key"], "checkout");
    assert_eq!(told[0]["after"], Value::Null);
    assert_eq!(told[0]["before"]["name"], "Checkout");
    let fields = json!(["default_value", "flag_type", "key", "name"]);
    let (.., changed, page) = summary(&told[0]);
    assert!(
        changed
            .as_array()
            .unwrap()
            .iter()
            .all(|name| fields.as_array().unwrap().contains(name)),
        "{changed}"
    );
    assert_eq!(page, "/p/default/flags");
}

#[tokio::test]
async fn segments_environments_and_projects_have_events_of_their_own() {
    let scene = Scene::set().await;
    let owner = &scene.owner;
    scene
        .webhook(
            "/a",
            json!({"events": ["segment.*", "environment.*", "project.*"]}),
        )
        .await;
    let project = owner
        .create("/v1/projects", json!({"name": "Shop", "slug": "shop"}))
        .await;
    let project = format!("/v1/projects/{}", project.text("/id"));
    let segments = format!("{project}/segments");
    owner
        .create(
            &segments,
            json!({"key": "beta", "name": "Beta", "rules": []}),
        )
        .await;
    let segment = format!("{segments}/beta");
    owner.change(&segment, json!({"name": "Testers"})).await;
    owner.remove(&segment).await;
    let env = owner
        .create(
            &format!("{project}/environments"),
            json!({"name": "QA", "slug": "qa"}),
        )
        .await;
    let env_id = env.text("/id");
    let env = format!("{project}/environments/{env_id}");
    owner.change(&env, json!({"name": "Quality"})).await;
    owner.remove(&env).await;
    owner.change(&project, json!({"name": "Store"})).await;
    owner.remove(&project).await;
    scene.settle().await;

    let bodies = scene.bodies("/a");
    assert!(
        bodies
            .iter()
            .all(|body| body["flag_id"].is_null() && body["actor"]["name"] == "Owner")
    );
    assert!(
        bodies.iter().all(|body| body["project_slug"] == "shop"),
        "{bodies:#?}"
    );
    let about_env: Vec<_> = bodies
        .iter()
        .filter(|body| body["resource"]["id"] == env_id.as_str())
        .collect();
    assert_eq!(about_env.len(), 3);
    assert!(
        about_env
            .iter()
            .all(|body| body["env_id"] == env_id.as_str() && body["env_slug"] == "qa")
    );
    let line = |event_type: &str, key, name, changed: &[&str], page: &str| {
        (
            event_type.to_owned(),
            json!(key),
            json!(name),
            json!(changed),
            page.to_owned(),
        )
    };
    let told: Vec<_> = bodies.iter().map(summary).collect();
    let of_env = ["color", "name", "slug"];
    let of_segment = ["key", "match_type", "name"];
    let last = told.len() - 8;
    assert_eq!(
        told[0],
        line(
            "project.created",
            "shop",
            "Shop",
            &["name", "slug"],
            "/p/shop/settings"
        )
    );
    assert_eq!(
        told[last..],
        [
            line(
                "segment.created",
                "beta",
                "Beta",
                &of_segment,
                "/p/shop/segments/beta"
            ),
            line(
                "segment.updated",
                "beta",
                "Testers",
                &["name"],
                "/p/shop/segments/beta"
            ),
            line(
                "segment.deleted",
                "beta",
                "Testers",
                &of_segment,
                "/p/shop/segments"
            ),
            line(
                "environment.created",
                "qa",
                "QA",
                &of_env,
                "/p/shop/environments"
            ),
            line(
                "environment.updated",
                "qa",
                "Quality",
                &["name"],
                "/p/shop/environments"
            ),
            line(
                "environment.deleted",
                "qa",
                "Quality",
                &of_env,
                "/p/shop/environments"
            ),
            line(
                "project.updated",
                "shop",
                "Store",
                &["name"],
                "/p/shop/settings"
            ),
            line("project.deleted", "shop", "Store", &["name", "slug"], "/"),
        ]
    );
    // The default environments of a new project.
    assert!(
        told[1..last]
            .iter()
            .all(|one| one.0 == "environment.created")
    );
}

#[tokio::test]
async fn requests_for_approval_name_flag_and_environment() {
    let scene = Scene::set().await;
    let reviewer = scene.app.member(&scene.owner, "admin").await;
    scene.webhook("/a", json!({"events": ["approval.*"]})).await;
    let body = json!({"flag_id": scene.flag_id, "env_id": scene.dev, "change_type": "enable"});
    let approval = scene.owner.create("/v1/approvals", body).await;
    let path = format!("/v1/approvals/{}/review", approval.text("/id"));
    reviewer
        .act(&path, json!({"action": "reject", "note": "not on Friday"}))
        .await;
    scene.settle().await;
    let bodies = scene.bodies("/a");
    let types: Vec<_> = bodies.iter().map(|body| body["type"].clone()).collect();
    assert_eq!(types, ["approval.created", "approval.rejected"]);
    for body in &bodies {
        assert_eq!(body["flag_id"], scene.flag_id.as_str());
        assert_eq!(body["env_id"], scene.dev.as_str());
        assert_eq!(
            (&body["flag_key"], &body["env_slug"]),
            (&json!("checkout"), &json!("dev"))
        );
        assert_eq!(body["resource"]["id"], approval.text("/id"));
        assert_eq!(
            body["url"],
            format!("{DASHBOARD}/p/default/flags/checkout?env=dev")
        );
    }
    assert_eq!(bodies[1]["actor"]["name"], "admin");
    assert_eq!(bodies[1]["after"]["review_note"], "not on Friday");
    assert_eq!(bodies[1]["before"]["status"], "pending");
}

#[tokio::test]
async fn members_and_keys_are_told_without_addresses_and_secrets() {
    let scene = Scene::set().await;
    let owner = &scene.owner;
    scene
        .webhook("/a", json!({"events": ["member.*", "api_key.*"]}))
        .await;
    let keys = format!("/v1/environments/{}/api-keys", scene.dev);
    let key = owner
        .create(&keys, json!({"name": "SDK", "type": "server"}))
        .await;
    let path = format!("/v1/api-keys/{}", key.text("/id"));
    let rotated = owner.post(&format!("{path}/rotate"), Value::Null).await;
    rotated.expect_status(201);
    owner
        .remove(&format!("/v1/api-keys/{}", rotated.text("/id")))
        .await;
    let member = scene.app.member(owner, "viewer").await;
    let id = owner.member_id_of(&member.email).await;
    owner
        .change(
            &format!("/v1/members/{id}/role"),
            json!({"role": "developer"}),
        )
        .await;
    owner.remove(&format!("/v1/members/{id}")).await;
    scene.settle().await;

    let received = scene.receiver.received();
    let texts: Vec<_> = received
        .iter()
        .map(|one| String::from_utf8_lossy(&one.body))
        .collect();
    for secret in [
        &key.text("/key"),
        &rotated.text("/key"),
        &key.text("/key_prefix"),
        &member.email,
        &owner.email,
    ] {
        assert!(
            !texts.iter().any(|text| text.contains(secret.as_str())),
            "{secret} is in {texts:#?}"
        );
    }
    let bodies = scene.bodies("/a");
    let types: Vec<_> = bodies
        .iter()
        .map(|body| body["type"].as_str().unwrap())
        .collect();
    assert_eq!(
        types,
        [
            "api_key.created",
            "api_key.created",
            "api_key.rotated",
            "api_key.revoked",
            "member.invited",
            "member.role_changed",
            "member.removed"
        ]
    );
    let of_key = format!("{DASHBOARD}/p/default/environments/dev/keys");
    assert!(
        bodies[..4]
            .iter()
            .all(|body| body["url"] == of_key && body["env_slug"] == "dev")
    );
    assert_eq!(
        bodies[4]["resource"],
        json!({"type": "member", "id": id, "key": null, "name": null})
    );
    assert_eq!(bodies[4]["after"], json!({"role": "viewer"}));
    assert_eq!(
        (&bodies[5]["before"], &bodies[5]["after"]),
        (&json!({"role": "viewer"}), &json!({"role": "developer"}))
    );
    assert_eq!(bodies[5]["resource"]["name"], "viewer");
    assert_eq!(bodies[5]["url"], format!("{DASHBOARD}/"));
}

/// However large a state is, and however many webhooks listen.
#[tokio::test]
async fn a_large_change_is_stored_once_and_bounded() {
    let scene = Scene::set().await;
    for _ in 0..100 {
        scene
            .webhook("/a", json!({"events": ["flag.updated"]}))
            .await;
    }
    let flag = json!({"key": "large", "name": "Large", "flag_type": "json"});
    scene.owner.create(&scene.flags, flag).await;
    let state = format!("{}/large/environments/{}", scene.flags, scene.dev);
    let large = json!({"text": "x".repeat(900_000)});
    scene
        .owner
        .change(&state, json!({"enabled": true, "default_value": large}))
        .await;
    scene.until_pending(100).await;
    assert_eq!(
        scene.number("SELECT COUNT(*) FROM webhook_contents").await,
        1
    );
    let stored = "SELECT (SELECT sum(pg_column_size(c)) FROM webhook_contents c)
                         + (SELECT sum(pg_column_size(q)) FROM webhook_queue q)::bigint";
    let stored = scene.number(stored).await;
    assert!(stored < 64 * 1024, "{stored}");
    scene.pass(1);
    scene.until_pending(0).await;
    let received = scene.receiver.received();
    assert_eq!(received.len(), 100);
    assert!(received.iter().all(|one| one.body == received[0].body));
    let body = received[0].json();
    assert_eq!(body["changed"], json!(["default_value", "enabled"]));
    assert_eq!(
        (&body["before"], &body["after"]),
        (&Value::Null, &json!({"enabled": true}))
    );
    assert_eq!(body["truncated"], true);
}

#[tokio::test]
async fn beyond_an_organizations_bytes_events_are_kept_without_values_then_without_contents() {
    let scene = Scene::set().await;
    scene.webhook("/a", json!({})).await;
    let fill = async |bytes: i64| {
        let bytes = bytes.to_string();
        scene
            .app
            .execute(
                "UPDATE webhook_heads SET content_bytes = $1::bigint",
                &[&bytes],
            )
            .await;
    };
    fill(16 << 20).await;
    scene.toggle(true).await;
    scene.settle().await;
    fill(32 << 20).await;
    scene.toggle(false).await;
    scene.settle().await;
    let bodies = scene.bodies("/a");
    assert!(
        bodies
            .iter()
            .all(|body| body["truncated"] == true && body["after"].is_null())
    );
    assert_eq!(
        (&bodies[0]["flag_key"], &bodies[0]["changed"]),
        (&json!("checkout"), &json!(["enabled"]))
    );
    assert_eq!(
        (&bodies[1]["flag_key"], &bodies[1]["actor"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(bodies[1]["flag_id"], scene.flag_id.as_str());
    assert_eq!(bodies[1]["url"], format!("{DASHBOARD}/"));
}

#[tokio::test]
async fn contents_that_no_delivery_needs_are_deleted() {
    let scene = Scene::set_with(&[("RATE_MANAGEMENT", "0")]).await;
    let webhook = scene.webhook("/a", json!({})).await;
    for round in 0..4 {
        for number in 0..30 {
            scene.toggle((round + number) % 2 == 0).await;
        }
        scene.settle().await;
    }
    // The 50 that are listed, and what came since the last look.
    let stored = scene.number("SELECT COUNT(*) FROM webhook_contents").await;
    assert!((50..=100).contains(&stored), "{stored}");
    let sum = "SELECT (SELECT content_bytes FROM webhook_heads) - (SELECT sum(bytes) FROM webhook_contents)::bigint";
    assert_eq!(scene.number(sum).await, 0);
    scene.owner.remove(&webhook).await;
    assert_eq!(
        scene.number("SELECT COUNT(*) FROM webhook_contents").await,
        0
    );
    assert_eq!(
        scene
            .number("SELECT content_bytes FROM webhook_heads")
            .await,
        0
    );
}
