//! Writes that change nothing: no version, no audit entry, no event and no history; the answer is that of a GET.

mod races;
mod states;

use std::time::Duration;

use harness::user::DefaultProject;
use harness::{App, Response, User};
use serde_json::{Value, json};

/// Webhooks of tests lead to this machine.
const LOOPBACK: (&str, &str) = ("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8");

/// An organization with a webhook that receives every event.
struct Scene {
    app: App,
    owner: User,
    project: DefaultProject,
    /// Path of the project.
    root: String,
    /// Path of the webhook.
    webhook: String,
}

/// What every recorded change adds to: audit entries, versions of flags, events for webhooks, versions of projects and of
/// environments.
type Marks = (i64, i64, i64, i64, i64);

impl Scene {
    async fn set() -> Self {
        let app = App::start_with(&[LOOPBACK]).await;
        let owner = app.proven("acme").await;
        app.set_plan(&owner, "enterprise").await;
        let project = owner.default_project().await;
        let webhook = json!({"name": "W", "url": "http://127.0.0.1:9/hook"});
        let webhook = owner.create("/v1/webhooks", webhook).await;
        Self {
            root: format!("/v1/projects/{}", project.id),
            webhook: format!("/v1/webhooks/{}", webhook.text("/id")),
            app,
            owner,
            project,
        }
    }

    /// A flag `f`; returns its path.
    async fn flag(&self) -> String {
        let flags = format!("{}/flags", self.root);
        let flag = json!({"key": "f", "name": "F", "flag_type": "ab"});
        self.owner.create(&flags, flag).await;
        format!("{flags}/f")
    }

    async fn marks(&self) -> Marks {
        sqlx::query_as(
            "SELECT (SELECT COUNT(*) FROM audit_entries), (SELECT COUNT(*) FROM flag_versions),
                    (SELECT COALESCE(SUM(last_position), 0)::bigint FROM webhook_heads),
                    (SELECT SUM(version)::bigint FROM projects), (SELECT SUM(version)::bigint FROM environments)",
        )
        .fetch_one(self.app.pool())
        .await
        .expect("counts")
    }

    /// What a GET shows; `None` where there is no GET.
    async fn shown(&self, path: &str) -> Option<Response> {
        let is_member = path.contains("/members/") && !path.ends_with("/permissions");
        if is_member || path.contains("/billing/") {
            return None;
        }
        let shown = self.owner.get(path).await;
        shown.expect_status(200);
        Some(shown)
    }

    /// Writes something twice, the second time a minute later; the second time leaves no trace, and answers as a GET.
    async fn writes_once(&self, path: &str, body: &Value) -> [Response; 2] {
        let first = self.owner.put(path, body.clone()).await;
        assert!(
            matches!(first.status, 200 | 204),
            "{path}: {:#}",
            first.body
        );
        let shown = self.shown(path).await;
        let marks = self.marks().await;
        self.app.clock.advance(Duration::from_secs(60));
        let second = self.owner.put(path, body.clone()).await;
        // A change may warn of what it affects; what changes nothing affects nothing.
        let mut expected = first.body.clone();
        if let Some(members) = expected.as_object_mut() {
            members.remove("warnings");
        }
        second.expect(first.status, expected);
        assert_eq!(self.marks().await, marks, "{path}");
        if let Some(shown) = shown {
            assert_eq!(second.body, shown.body, "{path}");
            let [etag, expected] = [&second, &shown].map(|answer| answer.headers.get("etag"));
            assert_eq!(etag, expected, "{path}");
        }
        [first, second]
    }
}

#[tokio::test]
async fn a_put_of_what_is_stored_leaves_no_trace() {
    let scene = Scene::set().await;
    let (owner, root) = (&scene.owner, &scene.root);
    let flag = scene.flag().await;
    let segment = json!({"key": "s", "name": "S", "rules": []});
    owner.create(&format!("{root}/segments"), segment).await;
    let role = json!({"name": "R", "permissions": ["flags.read"]});
    let role = owner.create("/v1/roles", role).await.text("/id");
    let member = scene.app.member(owner, "developer").await.member_id().await;
    let condition = json!({"attribute": "country", "operator": "in", "values": ["DE", "AT"]});
    let state = json!({
        "enabled": true, "default_value": 1.0, "percentage_rollout": 2_500, "scheduled_enable_at": "2030-01-02T03:04:05.123456789+02:00",
        "rules": [{"id": "r", "conditions": [condition], "segment_keys": ["s"], "value": 7}],
        "variants": [{"key": "a", "value": {"b": [1, 2.50]}, "weight": 10_000}],
    });
    let permissions = json!([
        {"env_id": scene.project.dev, "can_toggle": true, "can_edit_rules": false},
        {"env_id": scene.project.production, "can_toggle": false, "can_edit_rules": false},
    ]);
    for (path, body) in [
        (
            flag.clone(),
            json!({"name": "G", "description": "d", "default_value": 12.50, "tags": ["a", "b"], "prerequisites": ["p"],
                   "mutual_exclusion_group": "m"}),
        ),
        (format!("{flag}/environments/{}", scene.project.dev), state),
        (
            format!("{root}/segments/s"),
            json!({"name": "T", "description": "d", "match_type": "any", "rules": [condition]}),
        ),
        (root.clone(), json!({"name": "Shop", "slug": "shop"})),
        (
            format!("{root}/environments/{}", scene.project.staging),
            json!({"name": "Stage", "slug": "stage", "color": "#010203"}),
        ),
        (
            scene.webhook.clone(),
            json!({"name": "V", "url": "http://127.0.0.1:9/other", "events": ["flag.killed"], "enabled": false, "secret": ""}),
        ),
        (
            format!("/v1/roles/{role}"),
            json!({"name": "Q", "permissions": ["flags.read", "a.b"]}),
        ),
        (format!("/v1/members/{member}"), json!({"role": "viewer"})),
        (
            format!("/v1/members/{member}/permissions"),
            json!({"permissions": permissions}),
        ),
        (
            "/v1/billing/gateway".to_owned(),
            json!({"gateway": "gateway_redirect"}),
        ),
    ] {
        scene.writes_once(&path, &body).await;
        // Nothing given is nothing changed.
        let needs_all = ["/roles/", "/permissions", "/billing/"];
        if needs_all.iter().any(|part| path.contains(part)) {
            continue;
        }
        let marks = scene.marks().await;
        if path.contains("/members/") {
            let refused = owner.put(&path, json!({})).await;
            refused.expect_status(400);
        } else {
            let shown = owner.get(&path).await;
            let written = owner.change(&path, json!({})).await;
            assert_eq!(written.body, shown.body, "{path}");
        }
        assert_eq!(scene.marks().await, marks, "{path}");
    }
}

#[tokio::test]
async fn a_part_of_what_is_stored_leaves_no_trace_and_a_difference_does() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    scene.writes_once(&flag, &json!({"name": "G"})).await;
    let [_, kept] = scene
        .writes_once(&flag, &json!({"name": "G", "tags": []}))
        .await;
    // A number is compared as it is stored, and shown: with its decimals.
    for (value, other) in [(json!(1), json!(1.0)), (json!(1.0), json!(1))] {
        scene
            .writes_once(&flag, &json!({"default_value": value}))
            .await;
        let marks = scene.marks().await;
        let changed = scene
            .owner
            .change(&flag, json!({"default_value": other}))
            .await;
        assert_ne!(changed.header("etag"), kept.header("etag"));
        assert_ne!(scene.marks().await, marks);
    }
}

#[tokio::test]
async fn rules_without_ids_keep_those_of_equal_rules() {
    let scene = Scene::set().await;
    let state = format!("{}/environments/{}", scene.flag().await, scene.project.dev);
    let body = json!({"rules": [{"value": 1}, {"value": 2, "percentage": 5_000}]});
    let [first, _] = scene.writes_once(&state, &body).await;
    let ids = |answer: &Response| [0, 1].map(|place| answer.body["rules"][place]["id"].clone());
    // Another rule is another one, and an id that is given is taken.
    let given = &ids(&first)[1];
    let body = json!({"rules": [{"value": 3}, {"id": given, "value": 4}]});
    let second = scene.owner.change(&state, body).await;
    assert_ne!(ids(&first)[0], ids(&second)[0]);
    let body = json!({"rules": [{"id": given, "value": 1}, {"value": 4}]});
    let third = scene.owner.change(&state, body).await;
    assert_eq!(&ids(&third)[0], given);
    assert_ne!(&ids(&third)[1], given);
}

#[tokio::test]
async fn a_given_secret_of_a_webhook_counts_as_a_change() {
    let scene = Scene::set().await;
    let body = json!({"secret": "s3cret"});
    let first = scene.owner.change(&scene.webhook, body.clone()).await;
    let marks = scene.marks().await;
    let second = scene.owner.change(&scene.webhook, body).await;
    assert_ne!(first.header("etag"), second.header("etag"));
    assert_ne!(scene.marks().await, marks);
}

#[tokio::test]
async fn a_user_whom_an_identity_provider_sends_again_leaves_no_trace() {
    let scene = Scene::set().await;
    let provider = scene.app.identity_provider(&scene.owner).await;
    let user = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "ada@corp.example.com",
        "name": {"givenName": "Ada", "familyName": "Lovelace"},
        "emails": [{"value": "ada@corp.example.com", "primary": true}], "active": true,
    });
    let made = provider.post("/v1/scim/Users", user.clone()).await;
    made.expect_status(201);
    let path = format!("/v1/scim/Users/{}", made.text("/id"));
    let marks = scene.marks().await;
    scene.app.clock.advance(Duration::from_secs(60));
    let again = provider.put(&path, user.clone()).await;
    again.expect_status(200);
    assert_eq!(again.body, made.body);
    let again = provider.post("/v1/scim/Users", user).await;
    again.expect_status(200);
    assert_eq!(again.body, made.body);
    assert_eq!(scene.marks().await, marks);
}

#[tokio::test]
async fn a_write_that_changes_nothing_is_refused_as_before() {
    let scene = Scene::set().await;
    let flag = scene.flag().await;
    let state = format!("{flag}/environments/{}", scene.project.dev);
    scene.owner.change(&state, json!({"enabled": true})).await;
    let viewer = scene.app.member(&scene.owner, "viewer").await;
    let body = json!({"enabled": true});
    viewer
        .put(&state, body.clone())
        .await
        .expect_error(403, "insufficient permissions");
    let developer = scene.app.member(&scene.owner, "developer").await;
    let permissions = format!("/v1/members/{}/permissions", developer.member_id().await);
    let row = json!({"env_id": scene.project.dev, "can_toggle": false, "can_edit_rules": true});
    scene
        .owner
        .change(&permissions, json!({"permissions": [row]}))
        .await;
    developer
        .put(&state, body.clone())
        .await
        .expect_error(403, "insufficient permissions for this environment");
    for (path, body) in [(&state, body), (&flag, json!({"name": "F"}))] {
        let request = scene.owner.request(reqwest::Method::PUT, path);
        let request = request.header("if-match", "\"4711\"").json(&body);
        let refused = scene.owner.send(request).await;
        refused.expect_error(412, "changed meanwhile");
    }
}
