//! Events of `gateway_redirect` are believed by their signature alone.

use std::time::Duration;

use serde_json::{Value, json};

use super::{SUBSCRIPTION, Scene, check_out, none_on};
use crate::trail;

const REFUSAL: &str = "invalid signature";

/// Nothing of an event is stored.
async fn stored(scene: &Scene) -> i64 {
    scene.app.value(
        "SELECT (SELECT COUNT(*) FROM subscription_events) + (SELECT COUNT(*) FROM subscriptions)",
        &[],
    )
    .await
}

#[tokio::test]
async fn a_bad_missing_or_stale_signature_is_400_and_nothing_is_stored() {
    let scene = Scene::redirect().await;
    let events = scene.pay().await;
    let redirect = &scene.gateways.redirect;
    let body = events[0].body.to_string();
    let anonymous = scene.app.anonymous();
    let length = trail::length(&scene.app, &scene.owner).await;

    let now = scene.app.clock.now();
    let good = redirect.sign(&body, now);
    let stale = redirect.sign(&body, now - Duration::from_secs(301));
    let early = redirect.sign(&body, now + Duration::from_secs(301));
    let (time, hex) = good.split_once(",v1=").unwrap();
    let zeros = "0".repeat(64);
    for signature in [
        String::new(),
        "t=1".to_owned(),
        format!("v1={hex}"),
        format!("{time},v1={zeros}"),
        format!("{time},v0={hex}"),
        format!("t=0,v1={hex}"),
        stale,
        early,
    ] {
        let answer = redirect.deliver_signed(&anonymous, &body, &signature).await;
        answer.expect_error(400, REFUSAL);
    }
    let missing = anonymous
        .post(
            "/v1/billing/gateway_redirect/webhook",
            events[0].body.clone(),
        )
        .await;
    missing.expect_error(400, REFUSAL);
    let altered = body.replace("cus_", "cut_");
    redirect
        .deliver_signed(&anonymous, &altered, &good)
        .await
        .expect_error(400, REFUSAL);

    assert_eq!(stored(&scene).await, 0);
    assert_eq!(trail::length(&scene.app, &scene.owner).await, length);
    let untouched = none_on("trial", "gateway_redirect");
    scene.owner.get(SUBSCRIPTION).await.expect(200, untouched);

    // One good among several is enough.
    let several = format!("{time},v1={zeros},v1={hex}");
    let answer = redirect.deliver_signed(&anonymous, &body, &several).await;
    answer.expect(200, json!({"status": "ok"}));
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn a_signed_body_that_is_no_event_is_400() {
    let scene = Scene::redirect().await;
    let redirect = &scene.gateways.redirect;
    let anonymous = scene.app.anonymous();
    let event =
        json!({"id": "evt_1", "type": "invoice.paid", "created": 1, "data": {"object": {}}});
    let without = |name: &str| {
        let mut event = event.clone();
        event.as_object_mut().unwrap().remove(name);
        event.to_string()
    };
    let with = |name: &str, value: Value| {
        let mut event = event.clone();
        event[name] = value;
        event.to_string()
    };
    for body in [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        without("id"),
        without("type"),
        without("data"),
        with("id", json!("")),
        with("id", json!("e".repeat(256))),
        with("id", json!("evt\u{0}")),
        with("created", json!("now")),
        with("created", json!(i64::MAX)),
        with("data", json!({"object": []})),
    ] {
        let signature = redirect.sign(&body, scene.app.clock.now());
        let answer = redirect.deliver_signed(&anonymous, &body, &signature).await;
        answer.expect_error(400, "the body is no event");
    }
    assert_eq!(stored(&scene).await, 0);
}

#[tokio::test]
async fn an_event_of_more_than_512_kib_is_413() {
    let scene = Scene::redirect().await;
    let redirect = &scene.gateways.redirect;
    let event = |length: usize| {
        let object = json!({"text": "x".repeat(length)});
        json!({"id": "evt_1", "type": "other", "created": 1, "data": {"object": object}})
            .to_string()
    };
    let send = async |body: String| {
        let signature = redirect.sign(&body, scene.app.clock.now());
        redirect
            .deliver_signed(&scene.app.anonymous(), &body, &signature)
            .await
    };
    send(event(512 * 1024))
        .await
        .expect_error(413, "request body is too large");
    send(event(511 * 1024))
        .await
        .expect(200, json!({"status": "ignored"}));
}

#[tokio::test]
async fn events_are_json_and_need_a_gateway() {
    let scene = Scene::redirect().await;
    let path = "/v1/billing/gateway_redirect/webhook";
    let anonymous = scene.app.anonymous();
    let request = anonymous.request(reqwest::Method::POST, path).body("t=1");
    let answer = anonymous
        .send(request.header("content-type", "text/plain"))
        .await;
    answer.expect_error(415, "content type must be application/json");

    let bare = harness::App::start().await;
    let answer = bare.anonymous().post(path, json!({})).await;
    answer.expect_error(503, "payment gateway is not configured");
}

#[tokio::test]
async fn the_signature_is_read_from_the_header_of_stripe_too() {
    let scene = Scene::redirect().await;
    check_out(&scene.owner).await;
    let redirect = &scene.gateways.redirect;
    let body = redirect.pay(&redirect.latest_session())[0].body.to_string();
    let anonymous = scene.app.anonymous();
    let send = async |signature: &str| {
        let request = anonymous.request(
            reqwest::Method::POST,
            "/v1/billing/gateway_redirect/webhook",
        );
        let request = request.header("content-type", "application/json");
        anonymous
            .send(
                request
                    .header("stripe-signature", signature)
                    .body(body.clone()),
            )
            .await
    };
    send("t=1,v1=00").await.expect_error(400, REFUSAL);
    let good = redirect.sign(&body, scene.app.clock.now());
    send(&good).await.expect(200, json!({"status": "ok"}));
    scene.is("active", "pro").await;
}
