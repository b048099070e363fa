//! The rows of identity providers: no token and the wrong kind of token 401, a plan below 402, another organization's user 404, a
//! body that is no JSON 400, always in the form of SCIM.

use std::time::Duration;

use harness::access::{Plan, Row, protected, scim};
use harness::scim::USER;
use harness::{App, IdentityProvider, Response, User};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;

use super::things::{Things, nowhere};
use super::{Complaints, call};

struct Scene {
    app: App,
    owner: User,
    provider: IdentityProvider,
    user_id: String,
}

impl Scene {
    async fn set() -> Self {
        let (app, owner) = App::with_owner().await;
        let provider = app.identity_provider(&owner).await;
        let user_id = provider.provision("ada@example.com").await;
        Self {
            app,
            owner,
            provider,
            user_id,
        }
    }

    /// The path of a row, about what there is.
    fn path(&self, row: &Row) -> String {
        let id = if row.path.contains("Schemas") {
            USER
        } else {
            "User"
        };
        row.path
            .replace("{userID}", &self.user_id)
            .replace("{id}", id)
    }
}

/// Calls a row with a SCIM body.
async fn ask(caller: &harness::Caller, row: &Row, path: &str, body: &'static str) -> Response {
    let request = caller.request(row.method.clone(), path);
    let request = request.header(CONTENT_TYPE, "application/scim+json");
    caller.send(request.body(body)).await
}

/// The rows, those that remove something last.
fn in_order() -> Vec<Row> {
    let mut rows = scim();
    rows.sort_by_key(|row| row.method == Method::DELETE);
    rows
}

#[tokio::test]
async fn an_identity_provider_is_not_refused() {
    let scene = Scene::set().await;
    let mut complaints = Complaints::default();
    for row in in_order() {
        let answer = ask(&scene.provider, &row, &scene.path(&row), "{}").await;
        let is_right =
            matches!(answer.status, 200 | 204) || row.takes_body() && answer.status == 400;
        complaints.check(is_right, &row, "a provider", answer.status);
        if answer.status != 204 {
            assert_eq!(answer.header("content-type"), "application/scim+json");
        }
    }
}

#[tokio::test]
async fn without_a_scim_token_every_endpoint_of_scim_is_401() {
    let scene = Scene::set().await;
    let anonymous = scene.app.anonymous();
    let unknown = format!("scim_{}", "0".repeat(48));
    for row in scim() {
        let path = scene.path(&row);
        let answer = ask(&anonymous, &row, &path, "{}").await;
        answer.expect_scim_error(401, "", "missing authorization header");
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        for token in ["nonsense", &unknown, &scene.owner.access_token] {
            let caller = anonymous.with_token(token);
            let answer = ask(&caller, &row, &path, "{}").await;
            answer.expect_scim_error(401, "", "invalid or expired token");
        }
    }
}

#[tokio::test]
async fn a_scim_token_opens_nothing_of_members() {
    let scene = Scene::set().await;
    let things = Things::of(&scene.app, &scene.owner).await;
    let mut complaints = Complaints::default();
    for row in protected() {
        let status = call(&scene.provider, &row, &things.path(&row), "{}").await;
        complaints.check(status == 401, &row, "a provider", status);
    }
}

#[tokio::test]
async fn a_plan_below_enterprise_is_402_on_every_call() {
    let scene = Scene::set().await;
    for row in scim() {
        assert_eq!(row.plan, Plan::Enterprise);
        for plan in row.plan.refused() {
            scene.app.set_plan(&scene.owner, plan).await;
            for path in [scene.path(&row), nowhere(&row)] {
                let answer = ask(&scene.provider, &row, &path, "{").await;
                answer.expect_scim_error(402, "", "scim requires the enterprise plan");
            }
        }
    }
}

#[tokio::test]
async fn a_deleted_organization_is_403_before_its_plan() {
    let scene = Scene::set().await;
    scene
        .app
        .execute(
            "UPDATE organizations SET plan = 'free', deleted_at = now() WHERE id = $1::uuid",
            &[&scene.owner.org_id],
        )
        .await;
    for row in scim() {
        let answer = ask(&scene.provider, &row, &scene.path(&row), "{}").await;
        let words = "organization is deleted: sign in again to restore it";
        answer.expect_scim_error(403, "", words);
    }
}

#[tokio::test]
async fn what_another_organization_has_and_what_nobody_has_is_404() {
    let scene = Scene::set().await;
    let stranger = scene.app.signup("stranger").await;
    let stranger = scene.app.identity_provider(&stranger).await;
    for row in scim().iter().filter(|row| row.path.contains("{userID}")) {
        for body in ["{}", "{"] {
            let answer = ask(&stranger, row, &scene.path(row), body).await;
            answer.expect_scim_error(404, "", "SCIM user not found");
            let answer = ask(&scene.provider, row, &nowhere(row), body).await;
            let words = "not found: userID must be an id (a UUID), not a slug, a key or a name";
            answer.expect_scim_error(404, "", words);
        }
    }
}

#[tokio::test]
async fn a_message_that_is_no_json_object_is_400() {
    let scene = Scene::set().await;
    for row in scim().iter().filter(|row| row.takes_body()) {
        for body in ["{", "[]", "7", "\"text\"", "{\"a\": \"\\u0000\"}"] {
            let answer = ask(&scene.provider, row, &scene.path(row), body).await;
            let words = answer.text("/detail");
            answer.expect_scim_error(400, "invalidSyntax", &words);
        }
    }
}

#[tokio::test]
async fn a_token_that_has_ended_is_401() {
    let scene = Scene::set().await;
    let body = serde_json::json!({"expires_in_days": 1});
    let made = scene.owner.post("/v1/scim/tokens", body).await;
    let provider = scene.app.anonymous().with_token(&made.text("/token"));
    provider.get("/v1/scim/Schemas").await.expect_status(200);
    scene.app.clock.advance(Duration::from_secs(24 * 60 * 60));
    let answer = provider.get("/v1/scim/Schemas").await;
    answer.expect_scim_error(401, "", "invalid or expired token");
}
