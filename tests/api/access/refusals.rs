//! No token 401, another role 403, another organization's thing 404, a body that is no JSON 400.

use harness::access::{ROLES, Row, protected, rows};
use harness::{App, Gateways};
use reqwest::Method;
use serde_json::json;

use super::things::{Things, UNKNOWN, fill, nowhere};
use super::{Complaints, ask, call, in_order, is_admitted, not_found};

/// Those of identity providers have tests of their own.
fn for_members_or_anybody() -> Vec<Row> {
    rows().into_iter().filter(|row| !row.is_scim()).collect()
}

#[tokio::test]
async fn without_a_token_every_protected_endpoint_is_401() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let mut complaints = Complaints::default();
    for row in protected() {
        for (caller, message) in [
            (app.anonymous(), "missing authorization header"),
            (
                app.anonymous().with_token("nonsense"),
                "invalid or expired token",
            ),
        ] {
            let answer = ask(&caller, &row, &things.path(&row), "{}").await;
            complaints.expect_error(&answer, &row, "anonymous", (401, message));
        }
    }
}

#[tokio::test]
async fn a_role_that_is_not_listed_is_403_before_anything_else() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let mut members = Vec::new();
    for role in ROLES {
        members.push((role, app.member(&owner, role).await));
    }
    // Below every gate: the plan is looked at after the role.
    app.set_plan(&owner, "free").await;
    let mut complaints = Complaints::default();
    for (role, member) in members {
        for row in protected().iter().filter(|row| !row.admits(role)) {
            for (path, body) in [(things.path(row), "{}"), (nowhere(row), "{")] {
                let answer = ask(&member, row, &path, body).await;
                complaints.expect_error(&answer, row, role, (403, "insufficient permissions"));
            }
        }
    }
}

#[tokio::test]
async fn a_role_that_is_listed_is_not_refused() {
    let app = App::start().await;
    let mut complaints = Complaints::default();
    for role in ROLES {
        let owner = app.signup(&format!("of-{role}")).await;
        let things = Things::of(&app, &owner).await;
        let member = app.member(&owner, role).await;
        for row in in_order(protected()) {
            if row.admits(role) {
                let status = call(&member, &row, &things.path(&row), "{}").await;
                complaints.check(is_admitted(status), &row, role, status);
            }
        }
    }
}

#[tokio::test]
async fn what_belongs_to_another_organization_is_404() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let stranger = app.signup("stranger").await;
    app.set_plan(&stranger, "enterprise").await;
    let mut complaints = Complaints::default();
    for row in for_members_or_anybody()
        .iter()
        .filter(|row| row.path.contains('{'))
    {
        for body in ["{}", "{"] {
            let answer = ask(&stranger, row, &things.path(row), body).await;
            complaints.expect_error(&answer, row, "a stranger", (404, not_found(row)));
        }
    }
}

#[tokio::test]
async fn an_id_that_is_none_is_404() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let mut complaints = Complaints::default();
    for row in for_members_or_anybody()
        .iter()
        .filter(|row| row.path.contains('{'))
    {
        for body in ["{}", "{"] {
            let status = call(&owner, row, &nowhere(row), body).await;
            complaints.check(status == 404, row, "the owner", status);
            let unknown = fill(row.path, |name| match name {
                "version" => "1",
                _ => UNKNOWN,
            });
            let answer = ask(&owner, row, &unknown, body).await;
            complaints.expect_error(&answer, row, "the owner", (404, not_found(row)));
        }
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_is_400() {
    // Without a gateway its callbacks are 503, and without a subscription there is nothing to cancel: 404.
    let gateways = Gateways::start().await;
    let app = gateways.app(&[]).await;
    let owner = app.signup("acme").await;
    let gateway = json!({"gateway": "gateway_redirect"});
    owner.put("/v1/billing/gateway", gateway).await;
    let checkout = owner.request(Method::POST, "/v1/billing/checkout");
    owner.send(checkout).await.expect_status(200);
    let paid = gateways.redirect.pay(&gateways.redirect.latest_session());
    let paid = gateways.redirect.deliver(&owner, &paid[0]).await;
    paid.expect_status(200);
    let things = Things::of(&app, &owner).await;
    let mut complaints = Complaints::default();
    for row in for_members_or_anybody()
        .iter()
        .filter(|row| row.takes_body())
    {
        for body in ["{", "[]", "7", "\"text\"", "{\"a\": \"\\u0000\"}"] {
            let status = call(&owner, row, &things.path(row), body).await;
            complaints.check(status == 400, row, body, status);
        }
    }
}
