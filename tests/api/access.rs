//! The access table, proved row by row, and compared with the API document in both directions.

use std::collections::BTreeSet;

use harness::access::{Access, Row, rows};
use harness::{App, Caller, User};
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

/// The ids of one organization's things, to fill into paths.
struct Things {
    project: String,
    env: String,
    key: String,
    approval: String,
}

impl Things {
    async fn of(owner: &User) -> Self {
        let project = owner.default_project().await;
        let flag = json!({"key": "a-flag", "name": "A flag", "flag_type": "boolean"});
        let path = format!("/v1/projects/{}/flags", project.id);
        let flag = owner.post(&path, flag).await;
        flag.expect_status(201);
        let segment = json!({"key": "a-segment", "name": "A segment", "rules": []});
        let path = format!("/v1/projects/{}/segments", project.id);
        owner.post(&path, segment).await.expect_status(201);
        let path = format!("/v1/environments/{}/api-keys", project.dev);
        let key = owner.post(&path, json!({"name": "a key"})).await;
        key.expect_status(201);
        let approval =
            json!({"flag_id": flag.text("/id"), "env_id": project.dev, "change_type": "enable"});
        let approval = owner.post("/v1/approvals", approval).await;
        approval.expect_status(201);
        Self {
            approval: approval.text("/id"),
            project: project.id,
            env: project.dev,
            key: key.text("/id"),
        }
    }

    fn path(&self, row: &Row) -> String {
        row.path
            .replace("{projectID}", &self.project)
            .replace("{envID}", &self.env)
            .replace("{keyID}", &self.key)
            .replace("{approvalID}", &self.approval)
            .replace("{flagKey}", "a-flag")
            .replace("{segmentKey}", "a-segment")
    }
}

/// Calls a row with a body that is JSON, and no more.
async fn call(caller: &Caller, row: &Row, path: &str, body: &'static str) -> u16 {
    let request = caller.request(row.method.clone(), path);
    let request = request.header(CONTENT_TYPE, "application/json").body(body);
    caller.send(request).await.status
}

fn assert_none(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[tokio::test]
async fn the_table_and_the_api_document_name_the_same_endpoints() {
    let app = App::start().await;
    let document = app.anonymous().get("/openapi.json").await;
    document.expect_status(200);
    let mut documented = BTreeSet::new();
    for (path, operations) in document.body["paths"].as_object().unwrap() {
        for method in operations.as_object().unwrap().keys() {
            documented.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let table: BTreeSet<_> = rows()
        .iter()
        .map(|row| format!("{} {}", row.method, row.path))
        .collect();
    let missing: Vec<_> = documented.difference(&table).collect();
    let stale: Vec<_> = table.difference(&documented).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "not in the table: {missing:?}; not served: {stale:?}"
    );
}

#[tokio::test]
async fn without_a_token_every_protected_endpoint_is_401() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let things = Things::of(&owner).await;
    let mut complaints = Vec::new();
    for row in rows().iter().filter(|row| row.access != Access::Public) {
        for caller in [app.anonymous(), app.anonymous().with_token("nonsense")] {
            let status = call(&caller, row, &things.path(row), "{}").await;
            if status != 401 {
                complaints.push(format!("{} {}: {status}", row.method, row.path));
            }
        }
    }
    assert_none(&complaints);
}

#[tokio::test]
async fn a_role_that_is_not_listed_is_403() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let things = Things::of(&owner).await;
    let mut complaints = Vec::new();
    for role in ["admin", "developer", "viewer"] {
        let member = app.member(&owner, role).await;
        for row in rows().iter().filter(|row| !row.access.admits(role)) {
            let status = call(&member, row, &things.path(row), "{}").await;
            if status != 403 {
                complaints.push(format!("{role} {} {}: {status}", row.method, row.path));
            }
        }
    }
    assert_none(&complaints);
}

#[tokio::test]
async fn a_role_that_is_listed_is_not_refused() {
    let app = App::start().await;
    let mut complaints = Vec::new();
    for role in ["admin", "developer", "viewer"] {
        let owner = app.signup(&format!("of-{role}")).await;
        let things = Things::of(&owner).await;
        let member = app.member(&owner, role).await;
        // Those that end what the others need come after them, and signing out last of all.
        let mut rows: Vec<_> = rows()
            .into_iter()
            .filter(|row| row.access.admits(role))
            .collect();
        rows.sort_by_key(|row| (row.path.ends_with("logout"), row.method == "DELETE"));
        for row in &rows {
            if row.access == Access::Public {
                continue;
            }
            let status = call(&member, row, &things.path(row), "{}").await;
            // What comes after the role is others' tests; a deletion may find that another took its thing along.
            if !matches!(status, 200 | 201 | 204 | 400 | 404 | 409) {
                complaints.push(format!("{role} {} {}: {status}", row.method, row.path));
            }
        }
    }
    assert_none(&complaints);
}

#[tokio::test]
async fn what_belongs_to_another_organization_is_404() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let things = Things::of(&owner).await;
    let stranger = app.signup("stranger").await;
    let mut complaints = Vec::new();
    for row in rows().iter().filter(|row| row.path.contains('{')) {
        let status = call(&stranger, row, &things.path(row), "{}").await;
        if status != 404 {
            complaints.push(format!("{} {}: {status}", row.method, row.path));
        }
    }
    assert_none(&complaints);
}

#[tokio::test]
async fn a_body_that_is_no_json_is_400() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let things = Things::of(&owner).await;
    let mut complaints = Vec::new();
    for row in rows().iter().filter(|row| row.takes_body()) {
        for body in ["{", "[]", "7", "\"text\"", "{\"a\": \"\\u0000\"}"] {
            let status = call(&owner, row, &things.path(row), body).await;
            if status != 400 {
                complaints.push(format!("{} {} with {body}: {status}", row.method, row.path));
            }
        }
    }
    assert_none(&complaints);
}

#[tokio::test]
async fn an_id_that_is_none_is_404() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let things = Things {
        project: "x".into(),
        env: "y".into(),
        key: "z".into(),
        approval: "z".into(),
    };
    let mut complaints = Vec::new();
    for row in rows().iter().filter(|row| row.path.contains('{')) {
        let status = call(&owner, row, &things.path(row), "{}").await;
        if status != 404 {
            complaints.push(format!("{} {}: {status}", row.method, row.path));
        }
    }
    assert_none(&complaints);
}
