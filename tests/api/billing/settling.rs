//! What a gateway left open is asked about later.

use std::time::Duration;

use harness::eventually;
use harness::gateways::{Effect, Trouble};
use serde_json::json;

use super::{CANCEL, DAY, Scene, check_out};
use crate::trail;

const MINUTES: Duration = Duration::from_secs(120);

async fn impatient() -> Scene {
    Scene::redirect_with(("GATEWAY_TIMEOUT", "200ms")).await
}

#[tokio::test]
async fn a_cancellation_whose_answer_was_lost_is_found_out() {
    for now in [true, false] {
        let scene = impatient().await;
        scene.subscribe().await;
        let redirect = &scene.gateways.redirect;
        redirect.trouble(Trouble::Hang(Effect::Done), 3);
        let cancel = json!({"at_period_end": !now});
        let answer = scene.owner.post(CANCEL, cancel).await;
        answer.expect_error(502, "payment gateway failed");
        scene.is("active", "pro").await;
        assert_eq!(scene.subscription().await["cancel_at_period_end"], false);
        scene.app.clock.advance(MINUTES);
        if now {
            scene.becomes("canceled", "free").await;
        } else {
            eventually("it ends with its period", async || {
                (scene.subscription().await["cancel_at_period_end"] == true).then_some(())
            })
            .await;
            scene.is("active", "pro").await;
        }
    }
}

#[tokio::test]
async fn a_cancellation_that_never_arrived_changes_nothing() {
    let scene = impatient().await;
    let id = scene.subscribe().await;
    let redirect = &scene.gateways.redirect;
    redirect.trouble(Trouble::Close(Effect::None), 3);
    let answer = scene
        .owner
        .post(CANCEL, json!({"at_period_end": false}))
        .await;
    answer.expect_error(502, "payment gateway failed");
    scene.app.clock.advance(MINUTES);
    eventually("the gateway was asked", async || {
        let asked = redirect.requests_to("GET", &format!("/v1/subscriptions/{id}"));
        (!asked.is_empty() && open(&scene).await == 0).then_some(())
    })
    .await;
    scene.is("active", "pro").await;
    // What is settled is not asked about again.
    assert_eq!(
        redirect
            .requests_to("GET", &format!("/v1/subscriptions/{id}"))
            .len(),
        1
    );
}

/// Subscriptions whose outcome is open.
async fn open(scene: &Scene) -> i64 {
    scene
        .app
        .value(
            "SELECT COUNT(*) FROM subscriptions WHERE settle_at IS NOT NULL",
            &[],
        )
        .await
}

#[tokio::test]
async fn a_payment_that_the_gateway_did_not_tell_is_found_out() {
    let scene = Scene::redirect().await;
    check_out(&scene.owner).await.expect_status(200);
    let redirect = &scene.gateways.redirect;
    let events = redirect.pay(&redirect.latest_session());
    scene.is("none", "trial").await;
    scene.app.clock.advance(Duration::from_secs(16 * 60));
    scene.becomes("active", "pro").await;
    let told = trail::of_action(&scene.app, &scene.owner, "billing.subscription_activated").await;
    assert_eq!(told[0]["actor_type"], "system");
    // It tells after all.
    scene.deliver(&events[0]).await;
    scene.is("active", "pro").await;
    let told = trail::of_action(&scene.app, &scene.owner, "billing.subscription_activated").await;
    assert_eq!(told.len(), 1);
}

#[tokio::test]
async fn a_session_that_nobody_paid_for_is_asked_about_for_a_day() {
    let scene = Scene::redirect().await;
    check_out(&scene.owner).await.expect_status(200);
    let redirect = &scene.gateways.redirect;
    let waiting = async || -> i64 {
        scene
            .app
            .value(
                "SELECT COUNT(*) FROM checkouts WHERE settle_at IS NOT NULL",
                &[],
            )
            .await
    };
    scene.app.clock.advance(Duration::from_secs(16 * 60));
    let path = format!("/v1/checkout/sessions/{}", redirect.latest_session());
    eventually("the gateway was asked", async || {
        (!redirect.requests_to("GET", &path).is_empty()).then_some(())
    })
    .await;
    assert_eq!(waiting().await, 1);
    scene.app.clock.advance(2 * DAY);
    eventually("it is given up", async || {
        (waiting().await == 0).then_some(())
    })
    .await;
    scene.is("none", "trial").await;
}

#[tokio::test]
async fn a_renewal_that_the_gateway_did_not_tell_is_found_out() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    scene.app.clock.advance(31 * DAY);
    redirect.renew(&id);
    scene.app.clock.advance(Duration::from_secs(3_601));
    eventually("the next period is known", async || {
        let now = scene.subscription().await;
        (now["current_period_end"] == "2026-07-04T12:00:00Z").then_some(())
    })
    .await;
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn a_subscription_that_the_gateway_does_not_know_is_over() {
    let scene = Scene::redirect().await;
    scene.subscribe().await;
    scene
        .app
        .execute(
            "UPDATE subscriptions SET gateway_ref = 'sub_gone', settle_at = created_at",
            &[],
        )
        .await;
    scene.becomes("canceled", "free").await;
}

#[tokio::test]
async fn a_404_that_is_not_the_gateways_says_nothing_of_a_subscription() {
    let scene = Scene::redirect().await;
    scene.subscribe().await;
    scene.gateways.redirect.trouble(Trouble::Status(404), 1_000);
    scene
        .app
        .execute("UPDATE subscriptions SET settle_at = created_at", &[])
        .await;
    eventually("the gateway was asked", async || {
        let asked = scene.gateways.redirect.requests();
        asked
            .iter()
            .any(|request| request.method == "GET")
            .then_some(())
    })
    .await;
    let canceled = scene.owner.post(CANCEL, json!({})).await;
    canceled.expect_error(502, "payment gateway failed");
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn a_gateway_in_trouble_is_asked_less_and_less_often() {
    let scene = impatient().await;
    scene.subscribe().await;
    let redirect = &scene.gateways.redirect;
    redirect.trouble(Trouble::Status(400), 1_000);
    let answer = scene.owner.post(CANCEL, json!({})).await;
    answer.expect_error(502, "payment gateway failed");
    let attempts = async || -> i32 {
        scene
            .app
            .value("SELECT settle_attempts FROM subscriptions", &[])
            .await
    };
    for (wait, expected) in [(61, 1), (61, 2), (121, 3)] {
        scene.app.clock.advance(Duration::from_secs(wait));
        eventually("it is tried again", async || {
            (attempts().await == expected).then_some(())
        })
        .await;
    }
    redirect.calm();
    scene.app.clock.advance(Duration::from_secs(241));
    eventually("it is settled", async || {
        (open(&scene).await == 0).then_some(())
    })
    .await;
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn what_happens_while_the_gateway_is_asked_is_not_undone_by_its_answer() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    redirect.slow(Duration::from_millis(600));
    scene
        .app
        .execute("UPDATE subscriptions SET settle_at = created_at", &[])
        .await;
    eventually("the gateway is asked", async || {
        let asked = redirect.requests_to("GET", &format!("/v1/subscriptions/{id}"));
        (!asked.is_empty()).then_some(())
    })
    .await;
    // It answers that the subscription goes on, after this has ended it.
    let over = redirect.report(&id).with("/status", json!("canceled"));
    scene.deliver(&over).await;
    scene.is("canceled", "free").await;
    redirect.slow(Duration::ZERO);
    // It is asked again, and what it says then counts.
    drop(redirect.end_subscription(&id));
    scene.app.clock.advance(MINUTES);
    eventually("it was asked again", async || {
        (scene.asked_about(&id) == 2 && open(&scene).await == 0).then_some(())
    })
    .await;
    scene.is("canceled", "free").await;
}
