//! `SIGNUP`: who may open an account of their own accord.

use harness::scim::USERS;
use harness::user::PASSWORD;
use harness::{App, Caller, User};
use serde_json::{Value, json};

use super::{initiate, registration_with, signup_code};

const CLOSED: &str = "sign-up is closed on this installation: ask whoever operates it for an account, or sign in at POST /v1/auth/login";
const BY_INVITATION: &str = "sign-up is by invitation on this installation: have an owner or admin of an organization invite the address, \
     then begin at POST /v1/auth/initiate-signup, or sign in at POST /v1/auth/login";

const INVITED: &str = "ada@example.com";
const STRANGER: &str = "eve@example.com";

/// An organization that has invited somebody, and the API as a replica answers it that has another `SIGNUP`.
struct Scene {
    app: App,
    host: User,
    membership: String,
    api: Caller,
}

impl Scene {
    async fn set(signup: &str) -> Self {
        let app = App::start().await;
        let host = app.signup("host").await;
        let url = app.another_replica_with(&[("SIGNUP", signup)]).await;
        let body = json!({"email": INVITED, "role": "viewer"});
        let invited = host.at(&url).post("/v1/members/invite", body).await;
        invited.expect_status(201);
        Self {
            membership: format!("/v1/members/{}", invited.text("/id")),
            api: app.anonymous().at(&url),
            host,
            app,
        }
    }

    /// An invited address, one that has an account, and one that nobody knows.
    fn addresses(&self) -> [&str; 3] {
        [INVITED, &self.host.email, STRANGER]
    }

    async fn initiate(&self, email: &str, org_name: Value) -> harness::Response {
        let mut body = registration_with("org_name", org_name);
        body["email"] = json!(email);
        self.api.post("/v1/auth/initiate-signup", body).await
    }

    async fn complete(&self, email: &str) -> harness::Response {
        let otp = signup_code(&self.app, email).await;
        let body = json!({"email": email, "otp": otp});
        self.api.post("/v1/auth/complete-signup", body).await
    }

    async fn pending(&self) -> i64 {
        self.app
            .value("SELECT count(*) FROM pending_signups", &[])
            .await
    }
}

#[tokio::test]
async fn closed_sign_up_is_403_for_every_address_and_every_body() {
    let scene = Scene::set("closed").await;
    for endpoint in [
        "initiate-signup",
        "resend-signup-otp",
        "complete-signup",
        "register",
    ] {
        let path = format!("/v1/auth/{endpoint}");
        let refused = scene.api.post(&path, json!({})).await;
        refused.expect_error(403, CLOSED);
        for email in scene.addresses() {
            let mut body = registration_with("email", json!(email));
            body["otp"] = json!("123456");
            scene.api.post(&path, body).await.expect_error(403, CLOSED);
        }
    }
    assert_eq!(scene.pending().await, 0);
}

/// What began before sign-up was closed does not end after it.
#[tokio::test]
async fn a_sign_up_that_waits_for_its_code_is_403_once_sign_up_is_closed() {
    let scene = Scene::set("closed").await;
    let body = registration_with("email", json!(STRANGER));
    initiate(&scene.app, body).await.expect_status(200);
    scene.complete(STRANGER).await.expect_error(403, CLOSED);
    let otp = signup_code(&scene.app, STRANGER).await;
    let body = json!({"email": STRANGER, "otp": otp});
    let elsewhere = scene.app.anonymous();
    elsewhere.create("/v1/auth/complete-signup", body).await;
}

#[tokio::test]
async fn closed_sign_up_leaves_members_and_identity_providers_alone() {
    let scene = Scene::set("closed").await;
    let (app, host) = (&scene.app, &scene.host);
    let guest = app.signup("guest").await;
    let here = host.at(scene.api.base());
    let body = json!({"email": guest.email, "role": "viewer"});
    here.create("/v1/members/invite", body).await;
    let login = json!({"email": guest.email, "password": PASSWORD, "org_id": host.org_id});
    scene.api.act("/v1/auth/login", login).await;

    let provider = app.identity_provider(host).await;
    let there = scene.api.with_token(&provider.token);
    let user = harness::scim::user("bob@example.com");
    there.create(USERS, user).await;
}

#[tokio::test]
async fn by_invitation_nobody_registers_and_nobody_learns_who_has_an_account() {
    let scene = Scene::set("invited").await;
    for email in scene.addresses() {
        let body = registration_with("email", json!(email));
        let refused = scene.api.post("/v1/auth/register", body).await;
        refused.expect_error(403, BY_INVITATION);
    }
    for email in [scene.host.email.as_str(), STRANGER] {
        for org_name in [Value::Null, json!("Engines")] {
            scene
                .initiate(email, org_name)
                .await
                .expect_error(403, BY_INVITATION);
        }
    }
    assert_eq!(scene.pending().await, 0);
}

#[tokio::test]
async fn by_invitation_an_invited_address_joins() {
    let scene = Scene::set("invited").await;
    scene
        .initiate(INVITED, Value::Null)
        .await
        .expect_status(200);
    let answer = scene.complete(INVITED).await;
    answer.expect_status(201);
    assert_eq!(answer.text("/organization/id"), scene.host.org_id);
}

#[tokio::test]
async fn by_invitation_an_invited_address_may_have_an_organization_of_its_own() {
    let scene = Scene::set("invited").await;
    let answer = scene.initiate(INVITED, json!("Engines")).await;
    answer.expect_status(200);
    let answer = scene.complete(INVITED).await;
    answer.expect_status(201);
    assert_eq!(answer.text("/organization/name"), "Engines");
}

#[tokio::test]
async fn by_invitation_one_that_is_withdrawn_before_the_code_is_typed_is_403() {
    for org_name in [Value::Null, json!("Engines")] {
        let scene = Scene::set("invited").await;
        scene.initiate(INVITED, org_name).await.expect_status(200);
        let Scene {
            host, membership, ..
        } = &scene;
        host.remove(membership).await;
        scene
            .complete(INVITED)
            .await
            .expect_error(403, BY_INVITATION);
        scene
            .initiate(INVITED, Value::Null)
            .await
            .expect_error(403, BY_INVITATION);
    }
}
