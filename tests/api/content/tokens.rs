//! Definitions and access tokens that are limited.

use harness::{App, Caller, Setup, User};
use serde_json::{Value, json};

use super::{path, with_content};

async fn token(app: &App, owner: &User, limits: Value) -> Caller {
    let mut body = limits;
    body["name"] = json!("ci");
    let made = owner.create("/v1/me/tokens", body).await;
    app.anonymous().with_token(&made.text("/token"))
}

#[tokio::test]
async fn a_token_that_only_reads_changes_nothing() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let reader = token(&app, &owner, json!({"read_only": true})).await;
    let path = path(&project.id);
    reader.get(&path).await.expect_status(200);
    let refused = reader.post(&path, json!({})).await;
    refused.expect_error(403, "the access token is read-only");
}

#[tokio::test]
async fn a_token_of_another_project_is_403() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let other = owner.create("/v1/projects", json!({"name": "Other"})).await;
    let limits = json!({"project_ids": [other.text("/id")]});
    let limited = token(&app, &owner, limits).await;
    let message = "the access token is limited to other projects";
    let path = path(&project.id);
    limited.get(&path).await.expect_error(403, message);
    limited
        .post(&path, json!({}))
        .await
        .expect_error(403, message);
}

#[tokio::test]
async fn a_token_of_environments_reads_and_changes_only_these() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let limits = json!({"env_ids": [project.dev]});
    let limited = token(&app, &owner, limits).await;
    let path = path(&project.id);
    let page = limited.get(&path).await;
    let slugs: Vec<_> = page.body["environments"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert_eq!((slugs.len(), &slugs[0]["slug"]), (1, &json!("dev")));
    let checkout = &page.body["flags"][1];
    assert_eq!(checkout["key"], "checkout");
    let states: Vec<_> = checkout["states"].as_object().unwrap().keys().collect();
    assert_eq!(states, ["dev"]);

    let state = |env: &str| json!({"flags": [{"key": "base", "states": {env: {"percentage_rollout": 9_000}}}]});
    let done = limited.post(&path, state("dev")).await;
    done.expect_status(200);
    let refused = limited.post(&path, state("staging")).await;
    refused.expect(
        403,
        json!({
            "error": "insufficient permissions for these environments",
            "message": "the change has states of environments where you may not change flags",
            "environments": [{"id": project.staging, "slug": "staging", "protected": false}],
        }),
    );
    let other = "the access token is limited to other environments";
    let new =
        "the access token is limited to environments: new environments are of the whole project";
    for (body, message) in [
        (
            json!({"environments": [{"slug": "staging", "name": "S"}]}),
            other,
        ),
        (json!({"remove": {"environments": ["staging"]}}), other),
        (json!({"environments": [{"slug": "new", "name": "N"}]}), new),
    ] {
        limited.post(&path, body).await.expect_error(403, message);
    }
    let renamed = json!({"environments": [{"slug": "dev", "name": "D"}]});
    limited.post(&path, renamed).await.expect_status(200);
}

#[tokio::test]
async fn the_audit_log_names_the_token() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let made = owner.create("/v1/me/tokens", json!({"name": "ci"})).await;
    let ci = app.anonymous().with_token(&made.text("/token"));
    let body = json!({"flags": [{"key": "base", "name": "By ci"}]});
    ci.post(&path(&project.id), body).await.expect_status(200);
    let entries = owner.get("/v1/audit?action=flag.updated").await;
    let metadata = &entries.body["data"][0]["metadata"];
    assert_eq!(metadata["access_token_id"], made.body["id"], "{metadata}");
}
