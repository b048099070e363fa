//! Subscriptions through `gateway_redirect`: a page of the gateway, its portal, and cancellation.

use reqwest::StatusCode;
use serde_json::{Value, json};
use time::macros::datetime;

use super::{CANCEL, CHECKOUT, PORTAL, SUBSCRIPTION, Scene, check_out, none_on, post};
use crate::trail;

#[tokio::test]
async fn a_checkout_opens_a_session_of_the_gateway() {
    let scene = Scene::redirect().await;
    let checkout = post(&scene.owner, &format!("{CHECKOUT}?return_url=/onboarding")).await;
    let redirect = &scene.gateways.redirect;
    let requests = redirect.requests_to("POST", "/v1/checkout/sessions");
    let [request] = &requests[..] else {
        panic!("one request: {requests:?}");
    };
    let field = |name: &str| request.field(name).unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(field("mode"), "subscription");
    assert_eq!(field("line_items[0][price]"), "price_pro");
    assert_eq!(field("line_items[0][quantity]"), "1");
    assert_eq!(field("customer_email"), "owner@acme.test");
    for name in [
        "client_reference_id",
        "metadata[org_id]",
        "subscription_data[metadata][org_id]",
    ] {
        assert_eq!(field(name), scene.owner.org_id);
    }
    let dashboard = "http://127.0.0.1:8080/onboarding?status=";
    assert_eq!(field("success_url"), format!("{dashboard}success"));
    assert_eq!(field("cancel_url"), format!("{dashboard}failed"));
    assert!(request.idempotency_key.is_some());
    assert_eq!(
        request.authorization.as_deref(),
        Some("Bearer sk_test_halyard")
    );

    let url = checkout.text("/redirect_url");
    checkout.expect(
        200,
        json!({"gateway": "gateway_redirect", "redirect_url": url}),
    );
    assert!(url.contains(&redirect.latest_session()), "{url}");
    let told = trail::newest(&scene.app, &scene.owner).await;
    assert_eq!(told["action"], "billing.checkout_started");
    assert_eq!(told["actor_id"], json!(scene.owner.id));
    assert_eq!(told["metadata"], json!({"gateway": "gateway_redirect"}));
    // Nothing is paid yet.
    let untouched = none_on("trial", "gateway_redirect");
    scene.owner.get(SUBSCRIPTION).await.expect(200, untouched);
}

#[tokio::test]
async fn trial_becomes_pro_by_a_completed_session() {
    let scene = Scene::redirect().await;
    scene.subscribe().await;
    let mut expected = none_on("pro", "gateway_redirect");
    expected["status"] = json!("active");
    expected["current_period_start"] = json!("2026-05-04T12:00:00Z");
    expected["current_period_end"] = json!("2026-06-04T12:00:00Z");
    expected["can_manage"] = json!(true);
    scene.owner.get(SUBSCRIPTION).await.expect(200, expected);
    let onboarding = scene.owner.get("/v1/onboarding").await;
    assert_eq!(onboarding.body["plan_selected"], true);
    let refusal = "subscription is already active";
    check_out(&scene.owner).await.expect_error(409, refusal);
}

#[tokio::test]
async fn pro_goes_on_until_the_period_ends_when_canceled_at_its_end() {
    let (scene, id) = Scene::subscribed().await;
    let canceled = post(&scene.owner, CANCEL).await;
    canceled.expect(200, json!({"status": "canceled"}));
    let now = scene.subscription().await;
    assert_eq!(now["status"], "active");
    assert_eq!(now["plan"], "pro");
    assert_eq!(now["cancel_at_period_end"], true);
    assert_eq!(
        scene.gateways.redirect.subscription(&id)["cancel_at_period_end"],
        true
    );
    let told = trail::newest(&scene.app, &scene.owner).await;
    assert_eq!(told["action"], "billing.subscription_updated");
    assert_eq!(told["actor_id"], json!(scene.owner.id));
    // One that ends may be followed by another one.
    check_out(&scene.owner).await.expect_status(200);

    // Again changes nothing, and asks nobody.
    let asked = scene.gateways.redirect.requests().len();
    let length = trail::length(&scene.app, &scene.owner).await;
    let again = scene
        .owner
        .post(CANCEL, json!({"at_period_end": true}))
        .await;
    again.expect(200, json!({"status": "canceled"}));
    assert_eq!(trail::length(&scene.app, &scene.owner).await, length);
    assert_eq!(scene.gateways.redirect.requests().len(), asked);

    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    scene.becomes("canceled", "free").await;
}

#[tokio::test]
async fn pro_becomes_free_when_canceled_at_once() {
    let (scene, id) = Scene::subscribed().await;
    let canceled = scene
        .owner
        .post(CANCEL, json!({"at_period_end": false}))
        .await;
    canceled.expect(200, json!({"status": "canceled"}));
    scene.is("canceled", "free").await;
    assert_eq!(
        scene.gateways.redirect.subscription(&id)["status"],
        "canceled"
    );
    let told = trail::of_action(&scene.app, &scene.owner, "billing.subscription_canceled").await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["actor_id"], json!(scene.owner.id));
    let mails = scene.subjects_to("owner@acme.test").await;
    assert_eq!(
        mails,
        ["The subscription of your organization on Halyard has ended"]
    );
    // The gateway tells it too, which changes nothing.
    for event in scene.gateways.redirect.take_events() {
        scene.send(&event).await.expect_status(200);
    }
    scene.is("canceled", "free").await;
    assert_eq!(scene.subjects_to("owner@acme.test").await.len(), 1);
}

#[tokio::test]
async fn cancel_without_an_active_subscription_is_404() {
    let scene = Scene::redirect().await;
    for body in [json!({}), json!({"at_period_end": "no"})] {
        let answer = scene.owner.post(CANCEL, body).await;
        answer.expect_error(404, "no active subscription");
    }
    scene.subscribe().await;
    let now = json!({"at_period_end": false});
    scene.owner.act(CANCEL, now.clone()).await;
    let again = scene.owner.post(CANCEL, now).await;
    again.expect_error(404, "no active subscription");
}

#[tokio::test]
async fn cancel_takes_a_boolean_or_nothing() {
    let scene = Scene::redirect().await;
    scene.subscribe().await;
    for value in [json!("true"), json!(1), json!([])] {
        let answer = scene
            .owner
            .post(CANCEL, json!({"at_period_end": value}))
            .await;
        answer.expect_status(400);
    }
    scene.is("active", "pro").await;
    assert_eq!(scene.subscription().await["cancel_at_period_end"], false);
    scene
        .owner
        .act(CANCEL, json!({"at_period_end": null}))
        .await;
    assert_eq!(scene.subscription().await["cancel_at_period_end"], true);
}

#[tokio::test]
async fn the_portal_is_that_of_whoever_pays() {
    let (scene, id) = Scene::subscribed().await;
    let portal = post(&scene.owner, PORTAL).await;
    portal.expect(200, json!({"url": "[text]"}));
    let redirect = &scene.gateways.redirect;
    let requests = redirect.requests_to("POST", "/v1/billing_portal/sessions");
    let customer = &redirect.subscription(&id)["customer"];
    assert_eq!(requests[0].field("customer"), customer.as_str());
    let back = "http://127.0.0.1:8080/settings/billing";
    assert_eq!(requests[0].field("return_url"), Some(back));
    // It is where a payment that failed can be made good.
    scene.deliver(&redirect.set_status(&id, "past_due")).await;
    post(&scene.owner, PORTAL).await.expect_status(200);
}

#[tokio::test]
async fn the_portal_without_an_active_subscription_is_404() {
    let scene = Scene::redirect().await;
    let answer = post(&scene.owner, PORTAL).await;
    answer.expect_error(404, "no active subscription");
    let id = scene.subscribe().await;
    scene
        .deliver(&scene.gateways.redirect.end_subscription(&id))
        .await;
    let answer = post(&scene.owner, PORTAL).await;
    answer.expect_error(404, "no active subscription");
}

#[tokio::test]
async fn the_portal_waits_until_the_gateway_tells_who_pays() {
    let scene = Scene::redirect().await;
    let events = scene.pay().await;
    let redirect = &scene.gateways.redirect;
    scene
        .deliver(&events[0].clone().with("/customer", Value::Null))
        .await;
    let refusal = "the payment gateway has not told yet who pays, please try again later";
    let answer = post(&scene.owner, PORTAL).await;
    answer.expect_error(StatusCode::CONFLICT.as_u16(), refusal);
    let id = redirect.subscriptions().remove(0);
    scene.deliver(&redirect.report(&id)).await;
    post(&scene.owner, PORTAL).await.expect_status(200);
}

#[tokio::test]
async fn a_second_subscription_replaces_one_that_is_past_due() {
    let (scene, first) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    for event in redirect.fail_payment(&first) {
        scene.deliver(&event).await;
    }
    scene.is("past_due", "pro").await;
    scene.app.clock.advance(super::DAY);
    let second = scene.subscribe().await;
    scene.is("active", "pro").await;
    // Nobody pays for both.
    harness::eventually("the first is canceled at the gateway", async || {
        (redirect.subscription(&first)["status"] == "canceled").then_some(())
    })
    .await;
    assert_eq!(redirect.subscription(&second)["status"], "active");
    for event in redirect.take_events() {
        scene.send(&event).await.expect_status(200);
    }
    scene.is("active", "pro").await;
}
