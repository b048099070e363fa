//! Checkouts through `gateway_form`: the payer's browser posts a form there, and brings the outcome back.

use harness::gateways::Callback;
use harness::{Response, eventually};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::macros::datetime;

use super::{CHECKOUT, SUBSCRIPTION, Scene, check_out, none_on, post, returns_to};
use crate::trail;

const SUCCESS: &str = "/settings/billing?status=success";
const FAILED: &str = "/settings/billing?status=failed";

impl Scene {
    async fn bring(&self, callback: &Callback) -> Response {
        self.gateways
            .form
            .deliver(&self.app.anonymous(), callback)
            .await
    }

    async fn begin(&self) -> Value {
        let checkout = check_out(&self.owner).await;
        checkout.expect_status(200);
        checkout.body
    }
}

fn paid(plan: &str, start: OffsetDateTime, end: OffsetDateTime) -> Value {
    let mut expected = none_on(plan, "gateway_form");
    let text = |time: OffsetDateTime| {
        time.format(&time::format_description::well_known::Rfc3339)
            .unwrap()
    };
    expected["status"] = json!("active");
    expected["current_period_start"] = json!(text(start));
    expected["current_period_end"] = json!(text(end));
    expected
}

#[tokio::test]
async fn a_checkout_is_a_form_that_the_gateway_takes() {
    let scene = Scene::form().await;
    let checkout = check_out(&scene.owner).await;
    let short = &scene.owner.org_id[..8];
    let callback = |name| format!("{}/v1/billing/gateway_form/{name}", "http://127.0.0.1:8080");
    checkout.expect(
        200,
        json!({
            "gateway": "gateway_form",
            "gateway_form_url": "https://form-gateway.test/_payment",
            "key": "C0Dr8m",
            "txnid": format!("FF_{short}_1777896000000"),
            "hash": "[hex 128]",
            "amount": "1999.00",
            "productinfo": "Halyard Pro",
            "firstname": "Owner",
            "email": "owner@acme.test",
            "phone": "9999999999",
            "surl": callback("callback"),
            "furl": callback("failure"),
        }),
    );
    scene
        .gateways
        .form
        .check(&checkout.body)
        .expect("a form that is taken");
    let told = trail::newest(&scene.app, &scene.owner).await;
    assert_eq!(told["action"], "billing.checkout_started");
    assert_eq!(told["metadata"], json!({"gateway": "gateway_form"}));
    // Another one in the same millisecond has an id of its own.
    let other = check_out(&scene.owner).await;
    assert_eq!(other.text("/txnid"), format!("FF_{short}_1777896000001"));
}

#[tokio::test]
async fn a_checkout_takes_only_the_two_return_urls() {
    let scene = Scene::form().await;
    for url in [
        "/",
        "",
        "https://evil.test",
        "/settings/billing/",
        "//onboarding",
    ] {
        let answer = post(&scene.owner, &format!("{CHECKOUT}?return_url={url}")).await;
        let refusal = "return_url must be /settings/billing or /onboarding";
        answer.expect_error(400, refusal);
    }
    let checkout = post(&scene.owner, &format!("{CHECKOUT}?return_url=/onboarding")).await;
    let failure = scene.gateways.form.failure(&checkout.body);
    returns_to(&scene.bring(&failure).await, "/onboarding?status=failed");
    let success = scene.gateways.form.success(&checkout.body);
    returns_to(&scene.bring(&success).await, "/onboarding?status=success");
}

#[tokio::test]
async fn trial_becomes_pro_by_a_successful_payment_through_the_form() {
    let scene = Scene::form().await;
    scene.pay_by_form().await;
    let expected = paid(
        "pro",
        datetime!(2026-05-04 12:00 UTC),
        datetime!(2026-06-04 12:00 UTC),
    );
    scene.owner.get(SUBSCRIPTION).await.expect(200, expected);
    let onboarding = scene.owner.get("/v1/onboarding").await;
    assert_eq!(onboarding.body["plan_selected"], true);

    let state = json!({
        "gateway": "gateway_form", "status": "active", "current_period_start": "2026-05-04T12:00:00Z",
        "current_period_end": "2026-06-04T12:00:00Z", "cancel_at_period_end": false,
    });
    let entry = |action: &str, before: Value, after: Value| {
        json!({
            "action": action, "actor_type": "system", "actor_id": null, "resource_type": "billing",
            "resource_id": scene.owner.org_id, "project_id": null, "before_state": before, "after_state": after,
            "metadata": null,
        })
    };
    let told = |action: &'static str| trail::of_action(&scene.app, &scene.owner, action);
    let activated = "billing.subscription_activated";
    assert_eq!(
        told(activated).await,
        [entry(activated, Value::Null, state)]
    );
    let changed = "billing.plan_changed";
    let [before, after] = ["trial", "pro"].map(|plan| json!({"plan": plan}));
    assert_eq!(told(changed).await, [entry(changed, before, after)]);
}

#[tokio::test]
async fn free_becomes_pro_by_a_successful_payment_through_the_form() {
    let scene = Scene::form().await;
    scene.app.set_plan(&scene.owner, "free").await;
    scene.pay_by_form().await;
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn a_checkout_beside_an_active_subscription_is_409() {
    let scene = Scene::form().await;
    scene.pay_by_form().await;
    let refusal = "subscription is already active";
    check_out(&scene.owner).await.expect_error(409, refusal);
}

#[tokio::test]
async fn a_checkout_on_enterprise_is_409() {
    let scene = Scene::form().await;
    scene.app.set_plan(&scene.owner, "enterprise").await;
    let refusal = "the enterprise plan is not changed by a checkout";
    check_out(&scene.owner).await.expect_error(409, refusal);
}

#[tokio::test]
async fn an_organization_begins_at_most_60_checkouts_an_hour() {
    let scene = Scene::form().await;
    for _ in 0..60 {
        check_out(&scene.owner).await.expect_status(200);
    }
    let refused = check_out(&scene.owner).await;
    refused.expect_error(429, "too many checkouts, please try again later");
    let other = scene.app.signup("other").await;
    check_out(&other).await.expect_status(200);
    scene
        .app
        .clock
        .advance(std::time::Duration::from_secs(3_601));
    check_out(&scene.owner).await.expect_status(200);
}

#[tokio::test]
async fn a_callback_may_carry_user_fields_and_additional_charges() {
    for charges in ["additionalCharges", "additional_charges"] {
        let scene = Scene::form().await;
        let checkout = scene.begin().await;
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
    let scene = Scene::form().await;
    let checkout = scene.begin().await;
    let callback = scene.gateways.form.success(&checkout);
    let fields: serde_json::Map<_, _> = callback
        .fields()
        .into_iter()
        .map(|(name, value)| (name, json!(value)))
        .collect();
    let anonymous = scene.app.anonymous();
    let answer = anonymous.post(&callback.path, Value::Object(fields)).await;
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
        let scene = Scene::form().await;
        let checkout = scene.begin().await;
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
    let scene = Scene::form().await;
    let checkout = scene.begin().await;
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
    let scene = Scene::form().await;
    let checkout = scene.begin().await;
    let callback = scene.gateways.form.success(&checkout);
    let (one, other) = tokio::join!(scene.bring(&callback), scene.bring(&callback));
    returns_to(&one, SUCCESS);
    returns_to(&other, SUCCESS);
    let told = trail::of_action(&scene.app, &scene.owner, "billing.subscription_activated").await;
    assert_eq!(told.len(), 1);
}

#[tokio::test]
async fn nothing_changes_on_a_callback_that_was_tampered_with() {
    let scene = Scene::form().await;
    let checkout = scene.begin().await;
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
    let scene = Scene::form().await;
    let checkout = scene.begin().await;
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
    let scene = Scene::form().await;
    let checkout = scene.begin().await;
    // The first characters of an id that is made in the same hours are the same.
    let other = scene.app.signup("other").await;
    scene.bring(&scene.gateways.form.success(&checkout)).await;
    scene.is("active", "pro").await;
    assert_eq!(super::subscription(&other).await["status"], "none");
}

#[tokio::test]
async fn the_failure_endpoint_believes_nothing_and_changes_nothing() {
    let scene = Scene::form().await;
    let checkout = scene.begin().await;
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
async fn canceling_a_form_subscription_is_400() {
    let scene = Scene::form().await;
    scene.pay_by_form().await;
    let refusal = "gateway_form subscriptions cannot be canceled through the API";
    for body in [
        json!({}),
        json!({"at_period_end": false}),
        json!({"at_period_end": "no"}),
    ] {
        scene
            .owner
            .post(super::CANCEL, body)
            .await
            .expect_error(400, refusal);
    }
    let portal = post(&scene.owner, super::PORTAL).await;
    portal.expect_error(400, "the subscription is not managed by gateway_redirect");
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn checkouts_that_nobody_paid_for_are_forgotten_after_a_month() {
    let scene = Scene::form().await;
    let unpaid = scene.begin().await;
    scene.pay_by_form().await;
    scene.app.clock.advance(31 * super::DAY);
    let db = scene.app.db();
    control_plane::billing::forget(db, scene.app.clock.now())
        .await
        .unwrap();
    let left: Vec<String> = sqlx::query_scalar("SELECT txnid FROM checkouts")
        .fetch_all(scene.app.pool())
        .await
        .unwrap();
    assert_eq!(left.len(), 1);
    assert_ne!(left[0], unpaid["txnid"]);
    eventually("the paid one is past due meanwhile", async || {
        (scene.subscription().await["status"] == "past_due").then_some(())
    })
    .await;
}
