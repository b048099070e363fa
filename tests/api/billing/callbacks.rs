//! What browsers bring back from `gateway_form`: payments, failures, and forgeries.

use harness::Response;
use harness::gateways::Callback;
use serde_json::{Value, json};

use super::{SUBSCRIPTION, Scene, check_out, none_on, returns_to};
use crate::trail;

const SUCCESS: &str = "/settings/billing?status=success";
const FAILED: &str = "/settings/billing?status=failed";

impl Scene {
    pub async fn bring(&self, callback: &Callback) -> Response {
        self.gateways
            .form
            .deliver(&self.app.anonymous(), callback)
            .await
    }

    pub async fn begin(&self) -> Value {
        let checkout = check_out(&self.owner).await;
        checkout.expect_status(200);
        checkout.body
    }
}

#[tokio::test]
async fn a_callback_may_carry_user_fields_and_additional_charges() {
    for charges in ["additionalCharges", "additional_charges"] {
        let (scene, checkout) = Scene::form_begun().await;
        let callback = scene.gateways.form.success(&checkout);
        let callback = callback
            .with("udf1", "one")
            .with("udf5", "five")
            .with(charges, "12.50");
        returns_to(&scene.bring(&callback).await, SUCCESS);
        scene.is("active", "pro").await;
    }
}

#[tokio::test]
async fn a_callback_may_be_json() {
    let (scene, checkout) = Scene::form_begun().await;
    let callback = scene.gateways.form.success(&checkout);
    let anonymous = scene.app.anonymous();
    let answer = anonymous.post(&callback.path, callback.json()).await;
    returns_to(&answer, SUCCESS);
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn amounts_are_compared_as_numbers() {
    for (amount, page) in [
        ("1999", SUCCESS),
        ("1999.0", SUCCESS),
        ("1999.01", FAILED),
        ("x", FAILED),
    ] {
        let (scene, checkout) = Scene::form_begun().await;
        let callback = scene
            .gateways
            .form
            .success(&checkout)
            .with("amount", amount);
        returns_to(&scene.bring(&callback).await, page);
    }
}

#[tokio::test]
async fn a_payment_that_is_brought_again_changes_nothing() {
    let (scene, checkout) = Scene::form_begun().await;
    let callback = scene.gateways.form.success(&checkout);
    returns_to(&scene.bring(&callback).await, SUCCESS);
    let before = scene.subscription().await;
    let length = trail::length(&scene.app, &scene.owner).await;
    scene.app.clock.advance(super::DAY);
    returns_to(&scene.bring(&callback).await, SUCCESS);
    assert_eq!(scene.subscription().await, before);
    assert_eq!(trail::length(&scene.app, &scene.owner).await, length);
}

#[tokio::test]
async fn a_payment_that_is_brought_twice_at_once_counts_once() {
    let (scene, checkout) = Scene::form_begun().await;
    let callback = scene.gateways.form.success(&checkout);
    let (one, other) = tokio::join!(scene.bring(&callback), scene.bring(&callback));
    returns_to(&one, SUCCESS);
    returns_to(&other, SUCCESS);
    let told = trail::of_action(&scene.app, &scene.owner, "billing.subscription_activated").await;
    assert_eq!(told.len(), 1);
}

#[tokio::test]
async fn two_payments_are_two_months() {
    let scene = Scene::form().await;
    // Begun side by side, and both paid.
    let (one, other) = (scene.begin().await, scene.begin().await);
    for checkout in [one, other] {
        let callback = scene.gateways.form.success(&checkout);
        returns_to(&scene.bring(&callback).await, SUCCESS);
    }
    let now = scene.subscription().await;
    assert_eq!(now["current_period_start"], "2026-05-04T12:00:00Z");
    assert_eq!(now["current_period_end"], "2026-07-04T12:00:00Z");
}

#[tokio::test]
async fn nothing_changes_on_a_callback_that_was_tampered_with() {
    let (scene, checkout) = Scene::form_begun().await;
    let genuine = scene.gateways.form.success(&checkout);
    let untouched = none_on("trial", "gateway_form");
    for (name, value) in [
        ("amount", "1.00"),
        ("email", "other@acme.test"),
        ("firstname", "Eve"),
        ("productinfo", "Halyard"),
        ("udf3", "x"),
        ("additionalCharges", "1.00"),
        ("hash", ""),
        ("hash", "00"),
    ] {
        returns_to(
            &scene.bring(&genuine.clone().altered(name, value)).await,
            FAILED,
        );
    }
    // A failure that is called a success.
    let failure = scene
        .gateways
        .form
        .failure(&checkout)
        .altered("status", "success");
    returns_to(&scene.bring(&failure).await, FAILED);
    scene.owner.get(SUBSCRIPTION).await.expect(200, untouched);
    // And the payment still counts.
    returns_to(&scene.bring(&genuine).await, SUCCESS);
}

#[tokio::test]
async fn nothing_changes_on_what_is_signed_but_no_payment_of_that_checkout() {
    let (scene, checkout) = Scene::form_begun().await;
    let genuine = scene.gateways.form.success(&checkout);
    for (name, value) in [
        ("status", "failure"),
        ("status", "pending"),
        ("status", "SUCCESS"),
        ("amount", "19.99"),
        ("email", "other@acme.test"),
        ("txnid", "FF_unknown_1777896000000"),
    ] {
        returns_to(
            &scene.bring(&genuine.clone().with(name, value)).await,
            FAILED,
        );
    }
    scene.is("none", "trial").await;
}

#[tokio::test]
async fn a_callback_is_resolved_by_the_stored_checkout_and_not_by_its_id() {
    let (scene, checkout) = Scene::form_begun().await;
    // The first characters of an id that is made in the same hours are the same.
    let other = scene.app.signup("other").await;
    scene.bring(&scene.gateways.form.success(&checkout)).await;
    scene.is("active", "pro").await;
    assert_eq!(super::subscription(&other).await["status"], "none");
}

#[tokio::test]
async fn the_failure_endpoint_believes_nothing_and_changes_nothing() {
    let (scene, checkout) = Scene::form_begun().await;
    let genuine = scene.gateways.form.success(&checkout);
    let form = scene.gateways.form;
    let anonymous = scene.app.anonymous();
    let path = "/v1/billing/gateway_form/failure";
    let answer = form.post(&anonymous, path, &genuine.fields()).await;
    returns_to(&answer, FAILED);
    let empty = anonymous
        .send(anonymous.request(reqwest::Method::POST, path))
        .await;
    returns_to(&empty, FAILED);
    scene.is("none", "trial").await;
}

#[tokio::test]
async fn callbacks_have_bounds() {
    let scene = Scene::form().await;
    let anonymous = scene.app.anonymous();
    for name in ["callback", "failure"] {
        let path = format!("/v1/billing/gateway_form/{name}");
        let send = async |kind: &str, body: String| {
            let request = anonymous.request(reqwest::Method::POST, &path);
            anonymous
                .send(request.header("content-type", kind).body(body))
                .await
        };
        let form = "application/x-www-form-urlencoded";
        let answer = send(form, format!("txnid={}", "x".repeat(64 * 1024))).await;
        answer.expect_error(413, "request body is too large");
        let answer = send(form, "txnid=%00".to_owned()).await;
        answer.expect_error(400, "text must not contain NUL characters");
        send("application/json", "{".to_owned())
            .await
            .expect_status(400);
        let answer = send("text/plain", "txnid=x".to_owned()).await;
        answer.expect_error(
            415,
            "content type must be application/x-www-form-urlencoded or application/json",
        );
    }
}

#[tokio::test]
async fn callbacks_are_rated_by_address() {
    let scene = Scene::with(&[("RATE_CALLBACK", "3")]).await;
    let anonymous = scene.app.anonymous();
    let path = "/v1/billing/gateway_form/failure";
    for _ in 0..3 {
        let request = anonymous.request(reqwest::Method::POST, path);
        returns_to(&anonymous.send(request).await, FAILED);
    }
    let refused = anonymous
        .send(anonymous.request(reqwest::Method::POST, path))
        .await;
    refused.expect_error(429, "rate limit exceeded");
    let event = anonymous
        .post("/v1/billing/gateway_redirect/webhook", json!({}))
        .await;
    event.expect_error(429, "rate limit exceeded");
}

#[tokio::test]
async fn a_payment_comes_too_late_for_an_organization_that_is_deleted_permanently() {
    let scene = Scene::quiet().await;
    let id = scene.subscribe().await;
    let redirect = &scene.gateways.redirect;
    scene.deliver(&redirect.end_subscription(&id)).await;
    let form = json!({"gateway": "gateway_form"});
    scene.owner.put("/v1/billing/gateway", form).await;
    let checkout = scene.begin().await;
    scene
        .app
        .execute(
            "UPDATE organizations SET purge_started_at = created_at",
            &[],
        )
        .await;
    scene.app.clock.advance(super::DAY);
    let callback = scene.gateways.form.success(&checkout);
    returns_to(&scene.bring(&callback).await, FAILED);
    scene.deliver(&redirect.set_status(&id, "active")).await;
    let kept: Vec<(String, String)> = sqlx::query_as(
        "SELECT plan, status FROM organizations JOIN subscriptions ON org_id = organizations.id",
    )
    .fetch_all(scene.app.pool())
    .await
    .unwrap();
    assert_eq!(kept, [("free".to_owned(), "canceled".to_owned())]);
}
