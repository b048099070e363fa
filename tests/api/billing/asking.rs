//! Nothing that may be paid for ends before the gateway has said how it stands.

use std::time::Duration;

use harness::eventually;
use serde_json::json;
use time::macros::datetime;

use super::{CANCEL, DAY, PORTAL, Scene, post};

const HOUR: Duration = Duration::from_secs(3_600);

impl Scene {
    /// How often the gateway was asked to end a subscription at once.
    fn ended_there(&self) -> usize {
        let requests = self.gateways.redirect.requests();
        requests.iter().filter(|it| it.method == "DELETE").count()
    }

    /// How often the gateway was asked how a subscription stands.
    pub fn asked_about(&self, id: &str) -> usize {
        let path = format!("/v1/subscriptions/{id}");
        self.gateways.redirect.requests_to("GET", &path).len()
    }

    /// Waits until the gateway was asked once more about a subscription, and has been understood.
    async fn is_asked_about(&self, id: &str, act: impl AsyncFnOnce()) {
        let before = self.asked_about(id);
        act().await;
        eventually("the gateway is asked", async || {
            (self.asked_about(id) > before).then_some(())
        })
        .await;
        let answered = "SELECT settle_attempts = 0 FROM subscriptions WHERE gateway_ref = $1";
        eventually("the gateway has answered", async || {
            let is_answered: bool = sqlx::query_scalar(answered)
                .bind(id)
                .fetch_one(self.app.pool())
                .await
                .unwrap();
            is_answered.then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn a_subscription_that_was_repaid_does_not_end_though_the_gateway_did_not_tell() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    scene.app.clock.advance(31 * DAY);
    for event in redirect.fail_payment(&id) {
        scene.deliver(&event).await;
    }
    scene.is("past_due", "pro").await;
    drop(redirect.pay_outstanding(&id));
    scene.app.clock.advance(15 * DAY);
    scene.becomes("active", "pro").await;
    assert_eq!(scene.ended_there(), 0);
    assert_eq!(redirect.subscription(&id)["status"], "active");
}

#[tokio::test]
async fn what_is_past_due_is_asked_about_every_day() {
    for status in ["past_due", "incomplete", "paused", "unpaid"] {
        let (scene, id) = Scene::subscribed().await;
        let redirect = &scene.gateways.redirect;
        scene.deliver(&redirect.set_status(&id, status)).await;
        for _ in 0..3 {
            let a_day = async || scene.app.clock.advance(DAY);
            scene.is_asked_about(&id, a_day).await;
            scene.is("past_due", "pro").await;
        }
        assert_eq!(scene.asked_about(&id), 3);
        drop(redirect.set_status(&id, "active"));
        scene.app.clock.advance(DAY);
        scene.becomes("active", "pro").await;
        assert_eq!(scene.ended_there(), 0);
    }
}

#[tokio::test]
async fn nothing_ends_while_the_gateway_does_not_answer_until_it_was_asked_for_a_month() {
    let scene = Scene::redirect_with(("GATEWAY_TIMEOUT", "200ms")).await;
    let id = scene.subscribe().await;
    let redirect = &scene.gateways.redirect;
    scene.deliver(&redirect.set_status(&id, "past_due")).await;
    drop(redirect.pay_outstanding(&id));
    redirect.go_down().await;
    scene.app.clock.advance(15 * DAY);
    let unanswered = "SELECT settle_attempts FROM subscriptions";
    eventually("it was asked in vain", async || {
        let asked: i32 = sqlx::query_scalar(unanswered)
            .fetch_one(scene.app.pool())
            .await
            .unwrap();
        (asked >= 1).then_some(())
    })
    .await;
    scene.is("past_due", "pro").await;

    // The last of forty questions, less and less often, down to once a day.
    scene
        .app
        .execute("UPDATE subscriptions SET settle_attempts = 39", &[])
        .await;
    scene.is("past_due", "pro").await;
    scene.app.clock.advance(DAY);
    scene.becomes("canceled", "free").await;

    // It answers after all: it was paid for all the time.
    redirect.come_up().await;
    scene.app.clock.advance(DAY);
    scene.becomes("active", "pro").await;
    assert_eq!(scene.ended_there(), 0);
}

#[tokio::test]
async fn a_cancellation_that_was_taken_back_does_not_end_a_subscription() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    post(&scene.owner, CANCEL).await.expect_status(200);
    // In the portal. Neither this nor the renewal is told.
    drop(redirect.set_cancel_at_period_end(&id, false));
    scene.app.clock.set(datetime!(2026-06-04 11:59:59 UTC));
    drop(redirect.renew(&id));
    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    let end = "2026-07-04T12:00:00Z";
    eventually("the next period is known", async || {
        (scene.subscription().await["current_period_end"] == end).then_some(())
    })
    .await;
    scene.is("active", "pro").await;
    assert_eq!(scene.subscription().await["cancel_at_period_end"], false);
    assert_eq!(scene.ended_there(), 0);
}

#[tokio::test]
async fn while_the_gateway_is_asked_the_customer_can_still_cancel_and_open_the_portal() {
    let scene = Scene::redirect_with(("GATEWAY_TIMEOUT", "200ms")).await;
    let id = scene.subscribe().await;
    let redirect = &scene.gateways.redirect;
    post(&scene.owner, CANCEL).await.expect_status(200);
    drop(redirect.set_cancel_at_period_end(&id, false));
    redirect.trouble(harness::gateways::Trouble::Status(500), 3);
    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    eventually("it was asked in vain", async || {
        (scene.asked_about(&id) >= 3).then_some(())
    })
    .await;
    scene.is("active", "pro").await;
    post(&scene.owner, PORTAL).await.expect_status(200);
    let now = json!({"at_period_end": false});
    let canceled = scene.owner.post(CANCEL, now).await;
    canceled.expect(200, json!({"status": "canceled"}));
    assert_eq!(redirect.subscription(&id)["status"], "canceled");
}

#[tokio::test]
async fn what_was_decided_here_does_not_beat_what_the_gateway_tells_late() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    post(&scene.owner, CANCEL).await.expect_status(200);
    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    scene.becomes("canceled", "free").await;
    // The clock of the gateway is behind: for it the period was not over yet.
    let back = redirect.set_cancel_at_period_end(&id, false);
    let renewed = redirect.renew(&id).remove(0);
    let times = [
        datetime!(2026-06-04 11:59:58 UTC),
        datetime!(2026-06-04 11:59:59 UTC),
    ];
    for (event, time) in [back, renewed].into_iter().zip(times) {
        scene.deliver(&event.at(time)).await;
    }
    scene.becomes("active", "pro").await;
    assert_eq!(scene.subscription().await["cancel_at_period_end"], false);
}

#[tokio::test]
async fn a_subscription_without_a_period_is_asked_about_less_and_less_often() {
    let (scene, id) = Scene::subscribed().await;
    // The gateway does not tell that it renews.
    scene.app.clock.advance(31 * DAY + HOUR);
    scene.is_asked_about(&id, async || {}).await;
    let answered = scene.asked_about(&id);
    for pause in [HOUR, 2 * HOUR, 4 * HOUR] {
        scene.app.clock.advance(pause);
        scene.is_asked_about(&id, async || {}).await;
    }
    assert!(scene.asked_about(&id) <= answered + 3);
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn a_subscription_that_the_gateway_has_not_named_ends_with_its_period() {
    let scene = Scene::redirect().await;
    scene.subscribe().await;
    scene
        .app
        .execute("UPDATE subscriptions SET gateway_ref = NULL", &[])
        .await;
    let requests = scene.gateways.redirect.requests().len();
    for at_period_end in [true, false] {
        let cancel = json!({"at_period_end": at_period_end});
        let refusal =
            "the payment gateway has not told which subscription this is; it ends with its period";
        let refused = scene.owner.post(CANCEL, cancel).await;
        refused.expect_error(409, refusal);
    }
    assert_eq!(scene.gateways.redirect.requests().len(), requests);
    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    scene.becomes("canceled", "free").await;
}
