//! Access tokens: at every endpoint one admits whom its member's role admits, less what limits it, and nowhere more.

use harness::access::{ROLES, Row, protected};
use harness::{App, Caller, User};
use reqwest::Method;
use serde_json::{Value, json};

use super::things::Things;
use super::{Complaints, ask, call, in_order, is_admitted};

const SIGN_IN: &str = "an access token may not do this: sign in";
const READ_ONLY: &str = "the access token is read-only";
const OF_THE_ORGANIZATION: &str =
    "the access token is limited to projects: this is of the whole organization";

/// A caller by an access token of this member.
async fn token_of(app: &App, member: &User, body: Value) -> Caller {
    let made = member.post("/v1/me/tokens", body).await;
    made.expect_status(201);
    app.anonymous().with_token(&made.text("/token"))
}

/// Those that an access token may call at all.
fn open_to_tokens() -> Vec<Row> {
    let rows = in_order(protected()).into_iter();
    rows.filter(|row| !row.of_session).collect()
}

#[tokio::test]
async fn what_needs_a_session_is_403_for_an_access_token() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let token = token_of(&app, &owner, json!({"name": "ci"})).await;
    let mut complaints = Complaints::default();
    for row in protected().iter().filter(|row| row.of_session) {
        let answer = ask(&token, row, &things.path(row), "{}").await;
        complaints.expect_error(&answer, row, "token", (403, SIGN_IN));
    }
}

#[tokio::test]
async fn an_access_token_admits_as_the_role_of_its_member_does() {
    let app = App::start().await;
    let mut complaints = Complaints::default();
    for role in ROLES {
        let owner = app.signup(&format!("of-{role}")).await;
        let things = Things::of(&app, &owner).await;
        let member = app.member(&owner, role).await;
        let token = token_of(&app, &member, json!({"name": "ci"})).await;
        for row in open_to_tokens() {
            let status = call(&token, &row, &things.path(&row), "{}").await;
            let is_right = if row.admits(role) {
                is_admitted(status)
            } else {
                status == 403
            };
            complaints.check(is_right, &row, role, status);
        }
    }
}

#[tokio::test]
async fn an_access_token_with_a_lower_role_admits_as_that_role_does() {
    let app = App::start().await;
    let mut complaints = Complaints::default();
    for role in ROLES {
        let owner = app.signup(&format!("of-{role}")).await;
        let things = Things::of(&app, &owner).await;
        let token = token_of(&app, &owner, json!({"name": "ci", "role": role})).await;
        for row in open_to_tokens() {
            let status = call(&token, &row, &things.path(&row), "{}").await;
            let is_right = if row.admits(role) {
                is_admitted(status)
            } else {
                status == 403
            };
            complaints.check(is_right, &row, role, status);
        }
    }
}

#[tokio::test]
async fn an_access_token_is_held_to_the_custom_role_of_its_member() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let held = app.member(&owner, "owner").await;
    app.hold_to(&owner, &held, &[]).await;
    let token = token_of(&app, &held, json!({"name": "ci"})).await;
    let mut complaints = Complaints::default();
    for row in open_to_tokens().iter().filter(|row| !row.keys.is_empty()) {
        let status = call(&token, row, &things.path(row), "{}").await;
        complaints.check(status == 403, row, "no key", status);
    }
}

#[tokio::test]
async fn a_read_only_access_token_writes_nothing() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let token = token_of(&app, &owner, json!({"name": "ci", "read_only": true})).await;
    let mut complaints = Complaints::default();
    for row in open_to_tokens() {
        if row.method == Method::GET || row.path.ends_with("/explain") {
            let status = call(&token, &row, &things.path(&row), "{}").await;
            complaints.check(is_admitted(status), &row, "read", status);
        } else {
            let answer = ask(&token, &row, &things.path(&row), "{}").await;
            complaints.expect_error(&answer, &row, "write", (403, READ_ONLY));
        }
    }
}

#[tokio::test]
async fn an_access_token_of_another_project_reaches_nothing_of_this_one() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let other = json!({"name": "Other", "slug": "other"});
    let other = owner.post("/v1/projects", other).await.text("/id");
    let token = token_of(&app, &owner, json!({"name": "ci", "project_ids": [other]})).await;
    let mut complaints = Complaints::default();
    for row in open_to_tokens() {
        let path = things.path(&row);
        // What the body names is compared in tests of its own; nothing is withdrawn that is not the caller's.
        let allowed: &[u16] = match (row.method.as_str(), row.path) {
            ("GET", "/v1/me" | "/v1/projects") => &[200],
            ("POST", "/v1/approvals" | "/v1/explain") => &[400],
            (_, path) if path.ends_with("/withdraw") => &[404],
            _ => &[403],
        };
        let status = call(&token, &row, &path, "{}").await;
        complaints.check(allowed.contains(&status), &row, "other project", status);
    }
}

#[tokio::test]
async fn an_access_token_of_projects_is_refused_what_is_of_the_organization() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let project = owner.default_project().await;
    let limited = json!({"name": "ci", "project_ids": [project.id]});
    let token = token_of(&app, &owner, limited).await;
    let mut complaints = Complaints::default();
    for row in open_to_tokens() {
        let is_of_project = [
            "/v1/projects/{",
            "/v1/environments/{",
            "/v1/api-keys/",
            "/v1/approvals/{",
            "/v1/explain",
        ]
        .iter()
        .any(|prefix| row.path.starts_with(prefix));
        let is_listed = matches!(
            (row.method.as_str(), row.path),
            ("GET", "/v1/me" | "/v1/projects") | ("POST", "/v1/approvals")
        );
        if is_of_project || is_listed {
            let status = call(&token, &row, &things.path(&row), "{}").await;
            complaints.check(is_admitted(status), &row, "own project", status);
        } else {
            let answer = ask(&token, &row, &things.path(&row), "{}").await;
            complaints.expect_error(&answer, &row, "organization", (403, OF_THE_ORGANIZATION));
        }
    }
}
