//! Tokens that are limited to projects and environments: what names others in a body, and what has an effect there, is refused.

use harness::{App, Caller, Setup, User};
use serde_json::{Value, json};

use super::{TOKENS, token};

const OTHER_PROJECTS: &str = "the access token is limited to other projects";
const OTHER_ENVIRONMENTS: &str = "the access token is limited to other environments";

#[tokio::test]
async fn only_projects_and_environments_of_the_organization_can_be_named() {
    let Setup {
        app,
        owner,
        project,
    } = Setup::new().await;
    let stranger = app.signup("stranger").await;
    let theirs = stranger.default_project().await;
    let other = json!({"name": "Other", "slug": "other"});
    let other = owner.post("/v1/projects", other).await.text("/id");
    let hundred: Vec<_> = (0..101).map(|_| uuid::Uuid::new_v4()).collect();
    let count = |field| format!("{field} must have 1 to 100 ids, or be left out for all");
    for (limits, status, message) in [
        (json!({"project_ids": []}), 400, count("project_ids")),
        (json!({"env_ids": []}), 400, count("env_ids")),
        (json!({"env_ids": hundred}), 400, count("env_ids")),
        (
            json!({"project_ids": [theirs.id]}),
            404,
            "project not found".to_owned(),
        ),
        (
            json!({"env_ids": [project.dev, theirs.dev]}),
            404,
            "environment not found".to_owned(),
        ),
        (
            json!({"project_ids": [other], "env_ids": [project.dev]}),
            400,
            "env_ids must be of the projects in project_ids".to_owned(),
        ),
    ] {
        let mut body = limits;
        body["name"] = json!("ci");
        owner
            .post(TOKENS, body)
            .await
            .expect_error(status, &message);
    }
    // The projects follow from the environments.
    let body = json!({"name": "ci", "env_ids": [project.dev, project.dev]});
    let (made, _) = token(&app, &owner, body).await;
    assert_eq!(made.body["project_ids"], json!([project.id]));
    assert_eq!(made.body["env_ids"], json!([project.dev]));
}

#[tokio::test]
async fn a_token_of_projects_lists_only_these() {
    let Setup {
        app,
        owner,
        project,
    } = Setup::new().await;
    let other = json!({"name": "Other", "slug": "other"});
    owner.create("/v1/projects", other).await;
    let body = json!({"name": "ci", "project_ids": [project.id]});
    let (_, ci) = token(&app, &owner, body).await;
    let listed = ci.get("/v1/projects").await;
    assert_eq!(listed.body["total"], 1);
    assert_eq!(listed.text("/data/0/id"), project.id);
    assert_eq!(owner.get("/v1/projects").await.body["total"], 2);
}

#[tokio::test]
async fn a_project_named_by_its_slug_or_in_a_body_is_compared_too() {
    let Setup {
        app,
        owner,
        project,
    } = Setup::new().await;
    let path = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "checkout", "name": "Checkout", "flag_type": "boolean"});
    let flag = owner.create(&path, flag).await.text("/id");
    let other = json!({"name": "Other", "slug": "other"});
    let other = owner.post("/v1/projects", other).await.text("/id");
    let (_, ci) = token(&app, &owner, json!({"name": "ci", "project_ids": [other]})).await;
    let slug = owner
        .get(&format!("/v1/projects/{}", project.id))
        .await
        .text("/slug");
    let by_slug = ci.get(&format!("/v1/projects/{slug}/flags")).await;
    by_slug.expect_error(403, OTHER_PROJECTS);
    ci.get("/v1/projects/other/flags").await.expect_status(200);
    let explained = json!({"project_id": slug, "env_id": "dev", "flag_key": "checkout", "context": {"key": "user-1"}});
    ci.post("/v1/explain", explained)
        .await
        .expect_error(403, OTHER_PROJECTS);
    for named in [
        json!({"flag_id": flag, "env_id": project.dev}),
        json!({"flag_key": "checkout", "env_id": project.dev}),
        json!({"flag_key": "checkout", "env_id": "dev", "project_id": slug}),
    ] {
        let mut asked = named;
        asked["change_type"] = json!("enable");
        ci.post("/v1/approvals", asked)
            .await
            .expect_error(403, OTHER_PROJECTS);
    }
}

/// A flag with states in dev and production, a token for dev, and what belongs to it.
struct OfDev {
    _app: App,
    owner: User,
    ci: Caller,
    flag: String,
    project: harness::user::DefaultProject,
}

impl OfDev {
    async fn set() -> Self {
        let Setup {
            app,
            owner,
            project,
        } = Setup::new().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "checkout", "name": "Checkout", "flag_type": "boolean"});
        owner.create(&flags, flag).await;
        let flag = format!("{flags}/checkout");
        for env in [&project.dev, &project.production] {
            let path = format!("{flag}/environments/{env}");
            owner.change(&path, json!({"enabled": true})).await;
        }
        let (_, ci) = token(
            &app,
            &owner,
            json!({"name": "ci", "env_ids": [project.dev]}),
        )
        .await;
        Self {
            _app: app,
            owner,
            ci,
            flag,
            project,
        }
    }
}

#[tokio::test]
async fn a_token_of_an_environment_changes_flags_there_alone() {
    let scene = OfDev::set().await;
    let OfDev {
        ci, flag, project, ..
    } = &scene;
    let state = |env: &str| format!("{flag}/environments/{env}");
    ci.change(&state(&project.dev), json!({"enabled": false}))
        .await;
    ci.get(&state("dev")).await.expect_status(200);
    for env in [&project.production, "production"] {
        let refused = ci.put(&state(env), json!({"enabled": false})).await;
        refused.expect_error(403, OTHER_ENVIRONMENTS);
    }
    let kill = |env: &str| json!({"env_id": env});
    ci.act(&format!("{flag}/kill"), kill(&project.dev)).await;
    let killed = ci
        .post(&format!("{flag}/kill"), kill(&project.production))
        .await;
    assert_eq!(killed.status, 403, "{}", killed.body);
    let promotion = json!({"source_env_id": project.dev, "target_env_id": project.production});
    let promoted = ci.post(&format!("{flag}/promote"), promotion).await;
    promoted.expect_error(403, OTHER_ENVIRONMENTS);
    let asked =
        json!({"flag_key": "checkout", "env_id": project.production, "change_type": "disable"});
    ci.post("/v1/approvals", asked)
        .await
        .expect_error(403, OTHER_ENVIRONMENTS);
}

#[tokio::test]
async fn a_token_of_an_environment_changes_nothing_that_others_share() {
    let scene = OfDev::set().await;
    let OfDev {
        owner,
        ci,
        flag,
        project,
        ..
    } = &scene;
    let of_project = format!("/v1/projects/{}", project.id);
    let of_whole = "the access token is limited to environments: this is of the whole project";
    for (method, path) in [
        ("PUT", of_project.clone()),
        ("DELETE", of_project.clone()),
        ("POST", format!("{of_project}/environments")),
    ] {
        let request = ci.request(method.parse().unwrap(), &path).json(&json!({}));
        ci.send(request).await.expect_error(403, of_whole);
    }
    let shared = [
        ci.put(flag, json!({"default_value": true})).await,
        ci.post(&format!("{flag}/archive"), Value::Null).await,
        ci.delete(flag).await,
    ];
    for refused in shared {
        assert_eq!(refused.status, 403, "{}", refused.body);
        let named = &refused.body["environments"];
        assert_eq!(
            named[0]["id"],
            json!(project.production),
            "{}",
            refused.body
        );
    }
    let keys = format!("/v1/environments/{}/api-keys", project.production);
    ci.post(&keys, json!({"name": "k"}))
        .await
        .expect_error(403, OTHER_ENVIRONMENTS);
    let key = owner.create(&keys, json!({"name": "k"})).await.text("/id");
    let revoked = ci.delete(&format!("/v1/api-keys/{key}")).await;
    revoked.expect_error(403, OTHER_ENVIRONMENTS);

    // A segment that rules elsewhere name.
    let segments = format!("{of_project}/segments");
    let segment = json!({"key": "beta", "name": "Beta", "rules": []});
    ci.create(&segments, segment).await;
    let rule = json!({"rules": [{"segment_keys": ["beta"], "value": true}]});
    owner
        .change(&format!("{flag}/environments/{}", project.production), rule)
        .await;
    let changed = json!({"name": "Beta", "rules": [{"attribute": "plan", "operator": "in", "values": ["pro"]}]});
    let refused = ci.put(&format!("{segments}/beta"), changed).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
}
