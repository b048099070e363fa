//! Things of projects and of organizations: what each role does with them, and that no other project has them.

use harness::App;
use harness::access::{ROLES, Row, protected};
use reqwest::Method;
use serde_json::json;

use super::things::Things;
use super::{Complaints, ask, not_found};

/// The paths of a collection, of one of its things, and what of a thing is in its path.
const COLLECTIONS: [(&str, &str, &str); 7] = [
    ("/v1/projects", "/v1/projects/{projectID}", "/id"),
    (
        "/v1/projects/{projectID}/environments",
        "/v1/projects/{projectID}/environments/{envID}",
        "/id",
    ),
    (
        "/v1/projects/{projectID}/flags",
        "/v1/projects/{projectID}/flags/{flagKey}",
        "/key",
    ),
    (
        "/v1/projects/{projectID}/segments",
        "/v1/projects/{projectID}/segments/{segmentKey}",
        "/key",
    ),
    (
        "/v1/environments/{envID}/api-keys",
        "/v1/api-keys/{keyID}",
        "/id",
    ),
    ("/v1/webhooks", "/v1/webhooks/{webhookID}", "/id"),
    ("/v1/roles", "/v1/roles/{roleID}", "/id"),
];

#[tokio::test]
async fn roles_decide_who_creates_reads_changes_and_deletes() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let rows = protected();
    let row = |method: Method, path: &str| {
        let mut rows = rows.iter();
        rows.find(|row| row.method == method && row.path == path)
    };
    let mut complaints = Complaints::default();
    for role in ROLES {
        let member = app.member(&owner, role).await;
        for (collection, item, in_path) in COLLECTIONS {
            let thing = |name: &str| {
                let url = "https://192.0.2.1";
                json!({"name": name, "key": name, "rules": [], "url": url, "permissions": []})
            };
            let path = things.path(row(Method::GET, collection).expect("a list"));
            let made = owner.create(&path, thing(&format!("for-{role}"))).await;
            let (above, _) = item.rsplit_once('/').expect("a path of one thing");
            let above = if above == collection { &path } else { above };
            let of_item = format!("{above}/{}", made.text(in_path));
            for (method, of_row, path, status) in [
                (Method::GET, collection, &path, 200),
                (Method::POST, collection, &path, 201),
                (Method::GET, item, &of_item, 200),
                (Method::PUT, item, &of_item, 200),
                (Method::DELETE, item, &of_item, 204),
            ] {
                let Some(row) = row(method.clone(), of_row) else {
                    continue;
                };
                let body = thing(&format!("by-{role}-{status}"));
                let request = member.request(method, path).json(&body);
                let answer = member.send(request).await;
                if row.admits(role) {
                    complaints.check(answer.status == status, row, role, answer.status);
                } else {
                    let refusal = (403, "insufficient permissions");
                    complaints.expect_error(&answer, row, role, refusal);
                }
            }
        }
    }
}

#[tokio::test]
async fn what_is_not_of_the_project_is_404() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let stranger = app.signup("stranger").await;
    let other = owner.create("/v1/projects", json!({"name": "Other"})).await;
    let elsewhere = things.clone().in_project(other.text("/id"));
    let at_the_strangers = things.in_project(stranger.default_project().await.id);
    let is_of_a_project = |row: &&Row| {
        row.path.starts_with("/v1/projects/{projectID}/") && row.path.matches('{').count() > 1
    };
    let mut complaints = Complaints::default();
    for row in protected().iter().filter(is_of_a_project) {
        for body in ["{}", "{"] {
            for (caller, things) in [(&owner, &elsewhere), (&stranger, &at_the_strangers)] {
                let answer = ask(caller, row, &things.path(row), body).await;
                complaints.expect_error(&answer, row, &caller.email, (404, not_found(row)));
            }
        }
    }
}

#[tokio::test]
async fn an_unknown_slug_and_a_key_in_another_form_are_404() {
    let (app, owner) = App::with_owner().await;
    let project = format!("/v1/projects/{}", owner.default_project().await.id);
    Things::of(&app, &owner).await;
    for path in [
        "/v1/projects/Default".to_owned(),
        "/v1/projects/nowhere/flags/a-flag".to_owned(),
        format!("{project}/environments/nowhere"),
        format!("{project}/flags/a-flag%20"),
        format!("{project}/flags/a-flag%00"),
        format!("{project}/segments/A-segment"),
    ] {
        owner.get(&path).await.expect_status(404);
        let changed = owner.put(&path, json!({"name": "Mine"})).await;
        changed.expect_status(404);
        owner.delete(&path).await.expect_status(404);
    }
}

#[tokio::test]
async fn lists_show_nothing_of_another_organization() {
    let (app, owner) = App::with_owner().await;
    Things::of(&app, &owner).await;
    let stranger = app.signup("stranger").await;
    app.set_plan(&stranger, "enterprise").await;
    // What every organization begins with: a project, an owner, and the built-in roles.
    for (path, own) in [
        ("/v1/projects", 1),
        ("/v1/members", 1),
        ("/v1/roles", 4),
        ("/v1/approvals", 0),
        ("/v1/webhooks", 0),
        ("/v1/scim/tokens", 0),
        ("/v1/organization/sign-in/providers", 0),
        ("/v1/organization/sign-in/domains", 0),
        ("/v1/migration", 0),
    ] {
        let list = stranger.get(path).await;
        assert_eq!(list.body["total"], own, "{path}");
    }
}
