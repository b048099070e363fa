//! Gateways that are down, slow, or answer junk: a clear refusal, and nothing half-done.

use std::time::Duration;

use harness::gateways::{Effect, Trouble};
use harness::{Response, User};
use serde_json::{Value, json};

use super::{BUSY, CANCEL, PORTAL, Scene, check_out, choose_redirect, post};
use crate::trail;

const FAILED: &str = "payment gateway failed";

async fn impatient() -> Scene {
    let mut settings = BUSY.to_vec();
    settings.extend([("GATEWAY_TIMEOUT", "300ms"), ("LIFECYCLE_INTERVAL", "1h")]);
    let scene = Scene::with(&settings).await;
    choose_redirect(&scene.owner).await;
    scene
}

async fn cancel_now(owner: &User) -> Response {
    owner.post(CANCEL, json!({"at_period_end": false})).await
}

#[tokio::test]
async fn a_gateway_in_trouble_is_502_and_nothing_is_begun() {
    let scene = impatient().await;
    let redirect = &scene.gateways.redirect;
    let length = trail::length(&scene.app, &scene.owner).await;
    for trouble in [
        Trouble::Status(500),
        Trouble::Status(503),
        Trouble::Status(429),
        Trouble::Status(400),
        Trouble::Status(401),
        Trouble::Junk,
        Trouble::OtherShape,
        Trouble::Huge,
        Trouble::Hang(Effect::None),
        Trouble::Close(Effect::None),
    ] {
        redirect.trouble(trouble, 3);
        check_out(&scene.owner).await.expect_error(502, FAILED);
        redirect.calm();
    }
    assert_eq!(trail::length(&scene.app, &scene.owner).await, length);
    let begun: i64 = scene.app.value("SELECT COUNT(*) FROM checkouts", &[]).await;
    assert_eq!(begun, 0);
    check_out(&scene.owner).await.expect_status(200);
}

#[tokio::test]
async fn a_gateway_that_is_down_is_502() {
    let scene = impatient().await;
    scene.subscribe().await;
    let redirect = &scene.gateways.redirect;
    redirect.go_down().await;
    for answer in [
        cancel_now(&scene.owner).await,
        post(&scene.owner, PORTAL).await,
    ] {
        answer.expect_error(502, FAILED);
    }
    scene.is("active", "pro").await;
    redirect.come_up().await;
    cancel_now(&scene.owner)
        .await
        .expect(200, json!({"status": "canceled"}));
    scene.is("canceled", "free").await;
}

#[tokio::test]
async fn a_call_is_tried_three_times_with_one_idempotency_key() {
    let scene = impatient().await;
    let redirect = &scene.gateways.redirect;
    // The session is opened, and nobody hears of it.
    redirect.trouble(Trouble::Close(Effect::Done), 1);
    redirect.trouble(Trouble::Status(503), 1);
    check_out(&scene.owner).await.expect_status(200);
    let requests = redirect.requests_to("POST", "/v1/checkout/sessions");
    assert_eq!(requests.len(), 3);
    let keys: Vec<_> = requests
        .iter()
        .map(|request| &request.idempotency_key)
        .collect();
    assert!(
        keys[0].is_some() && keys.iter().all(|key| *key == keys[0]),
        "{keys:?}"
    );

    // Another checkout has another one.
    check_out(&scene.owner).await.expect_status(200);
    let requests = redirect.requests_to("POST", "/v1/checkout/sessions");
    assert_ne!(requests[3].idempotency_key, requests[0].idempotency_key);
}

#[tokio::test]
async fn a_refusal_of_the_gateway_is_not_tried_again() {
    let scene = impatient().await;
    let redirect = &scene.gateways.redirect;
    redirect.trouble(Trouble::Status(400), 3);
    check_out(&scene.owner).await.expect_error(502, FAILED);
    assert_eq!(redirect.requests().len(), 1);
}

#[tokio::test]
async fn canceling_what_the_gateway_canceled_already_succeeds() {
    let scene = impatient().await;
    scene.subscribe().await;
    // The gateway cancels, and nobody hears of it; the next attempt finds nothing to cancel.
    scene
        .gateways
        .redirect
        .trouble(Trouble::Close(Effect::Done), 1);
    cancel_now(&scene.owner)
        .await
        .expect(200, json!({"status": "canceled"}));
    scene.is("canceled", "free").await;
}

#[tokio::test]
async fn a_slow_gateway_holds_up_neither_the_organization_nor_the_others() {
    let scene = Scene::quiet().await;
    scene.gateways.redirect.slow(Duration::from_secs(2));
    let calls = futures_util::future::join_all((0..8).map(|_| check_out(&scene.owner)));
    let beside = async {
        // The calls are on their way.
        harness::eventually("two calls arrive", async || {
            (scene.gateways.redirect.requests().len() == 2).then_some(())
        })
        .await;
        let other = scene.app.signup("other").await;
        let answer = other.get("/v1/billing/subscription").await;
        answer.expect_status(200);
        scene.is("none", "trial").await;
        scene
            .owner
            .create("/v1/projects", json!({"name": "Meanwhile"}))
            .await;
    };
    let (answers, ()) = tokio::join!(calls, beside);
    let (done, busy): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert_eq!((done.len(), busy.len()), (2, 6));
    for answer in busy {
        answer.expect_error(503, "payment gateway is busy");
        assert_eq!(answer.header("retry-after"), "1");
    }
}

#[tokio::test]
async fn no_secret_of_a_gateway_is_shown_or_told() {
    let scene = Scene::redirect().await;
    let answer = check_out(&scene.owner).await;
    scene.gateways.redirect.trouble(Trouble::Status(401), 1);
    let failed = check_out(&scene.owner).await;
    let trail: Option<Value> = scene
        .app
        .value(
            "SELECT jsonb_agg(to_jsonb(audit_entries)) FROM audit_entries",
            &[],
        )
        .await;
    for text in [
        answer.body.to_string(),
        failed.body.to_string(),
        trail.unwrap().to_string(),
    ] {
        for secret in ["sk_test_halyard", "whsec_halyard", "3sf0jURk"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}
