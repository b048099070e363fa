//! Events of what is around flags: segments, environments, projects, requests for approval, members and keys.

use serde_json::{Value, json};

use super::{DASHBOARD, Scene};

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
    let of_env = ["color", "name", "required_approvals", "slug"];
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
    let grace = json!({"grace_period_hours": 1});
    let rotated = owner.act(&format!("{path}/rotate"), grace).await;
    owner
        .remove(&format!("/v1/api-keys/{}", rotated.text("/new_key_id")))
        .await;
    let member = scene.app.member(owner, "viewer").await;
    let id = owner.member_id_of(&member.email).await;
    let member_path = format!("/v1/members/{id}");
    let role = json!({"role": "developer"});
    owner.put(&member_path, role).await.expect_status(204);
    owner.remove(&member_path).await;
    scene.settle().await;

    let received = scene.receiver.received();
    let texts: Vec<_> = received
        .iter()
        .map(|one| String::from_utf8_lossy(&one.body))
        .collect();
    for secret in [
        &key.text("/key"),
        &rotated.text("/new_key"),
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

#[tokio::test]
async fn an_invited_person_who_joins_is_told_to_the_organization_that_invited() {
    const ADDRESS: &str = "ada@example.com";
    let scene = Scene::set().await;
    scene
        .webhook("/a", json!({"events": ["member.joined"]}))
        .await;
    let body = json!({"email": ADDRESS, "role": "viewer"});
    let invited = scene.owner.create("/v1/members/invite", body).await;
    let anonymous = scene.app.anonymous();
    let body = json!({"email": ADDRESS, "password": harness::user::PASSWORD, "name": "Ada", "org_name": "Engines"});
    anonymous.act("/v1/auth/initiate-signup", body).await;
    let otp = scene.app.mail_to(ADDRESS).await.code().to_owned();
    let body = json!({"email": ADDRESS, "otp": otp});
    let answer = anonymous.post("/v1/auth/complete-signup", body).await;
    answer.expect_status(201);
    scene.settle().await;
    let bodies = scene.bodies("/a");
    assert_eq!(bodies.len(), 1);
    assert_eq!(
        bodies[0]["resource"],
        json!({"type": "member", "id": invited.text("/id"), "key": null, "name": "Ada"})
    );
    assert_eq!(bodies[0]["actor"]["name"], "Ada");
    assert!(!bodies[0].to_string().contains(ADDRESS));
}
