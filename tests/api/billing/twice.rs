//! Nobody pays for two subscriptions without being told, and only one of them renews.

use harness::eventually;
use harness::gateways::Trouble;
use serde_json::json;
use time::macros::datetime;

use super::{CANCEL, Scene, check_out};
use crate::trail;

const TWICE: &str = "A second subscription of your organization on Halyard was paid for";

impl Scene {
    /// Two subscriptions that are both paid for; the gateway's ids of them, the older first.
    async fn subscribe_twice(&self) -> [String; 2] {
        let redirect = &self.gateways.redirect;
        check_out(&self.owner).await.expect_status(200);
        let first = redirect.latest_session();
        // The payer has both pages open, and pays the first while the second is opened: nobody can end it any more.
        self.app
            .execute("UPDATE checkouts SET settle_at = NULL", &[])
            .await;
        self.app.clock.advance(std::time::Duration::from_secs(60));
        check_out(&self.owner).await.expect_status(200);
        let second = redirect.latest_session();
        for session in [first, second] {
            let paid = redirect.pay(&session).remove(0);
            self.deliver(&paid).await;
            self.app.clock.advance(std::time::Duration::from_secs(60));
        }
        let both = redirect.subscriptions();
        both.try_into().expect("two subscriptions")
    }
}

#[tokio::test]
async fn a_new_checkout_ends_the_one_that_is_open() {
    let scene = Scene::redirect().await;
    let redirect = &scene.gateways.redirect;
    check_out(&scene.owner).await.expect_status(200);
    let first = redirect.latest_session();
    check_out(&scene.owner).await.expect_status(200);
    let path = format!("/v1/checkout/sessions/{first}/expire");
    assert_eq!(redirect.requests_to("POST", &path).len(), 1);
    assert_ne!(redirect.latest_session(), first);
    // The third has only the second to end.
    check_out(&scene.owner).await.expect_status(200);
    assert_eq!(redirect.requests_to("POST", &path).len(), 1);
}

#[tokio::test]
async fn of_two_checkouts_at_once_one_can_be_paid_for() {
    let scene = Scene::redirect().await;
    let redirect = &scene.gateways.redirect;
    redirect.slow(std::time::Duration::from_millis(200));
    let (one, other) = tokio::join!(check_out(&scene.owner), check_out(&scene.owner));
    one.expect_status(200);
    other.expect_status(200);
    assert_eq!(redirect.open_sessions().len(), 1);
}

#[tokio::test]
async fn a_checkout_that_turns_out_to_be_paid_for_counts_and_a_new_one_is_409() {
    let scene = Scene::redirect().await;
    let redirect = &scene.gateways.redirect;
    check_out(&scene.owner).await.expect_status(200);
    drop(redirect.pay(&redirect.latest_session()));
    let refusal = "subscription is already active";
    check_out(&scene.owner).await.expect_error(409, refusal);
    scene.is("active", "pro").await;
    assert_eq!(
        redirect.requests_to("POST", "/v1/checkout/sessions").len(),
        1
    );
}

#[tokio::test]
async fn a_checkout_that_cannot_be_ended_is_502_and_no_other_is_opened() {
    let scene = Scene::redirect().await;
    let redirect = &scene.gateways.redirect;
    check_out(&scene.owner).await.expect_status(200);
    redirect.trouble(Trouble::Status(403), 1);
    let refused = check_out(&scene.owner).await;
    refused.expect_error(502, "payment gateway failed");
    assert_eq!(
        redirect.requests_to("POST", "/v1/checkout/sessions").len(),
        1
    );
    check_out(&scene.owner).await.expect_status(200);
}

#[tokio::test]
async fn of_two_subscriptions_the_older_ends_with_its_period_and_owners_are_told() {
    let scene = Scene::redirect().await;
    let [older, newer] = scene.subscribe_twice().await;
    let redirect = &scene.gateways.redirect;
    eventually("the older one does not renew", async || {
        (redirect.subscription(&older)["cancel_at_period_end"] == true).then_some(())
    })
    .await;
    assert_eq!(redirect.subscription(&newer)["cancel_at_period_end"], false);
    assert_eq!(scene.subjects_to("owner@acme.test").await, [TWICE]);
    let told = trail::of_action(&scene.app, &scene.owner, "billing.subscription_activated").await;
    assert_eq!(told.len(), 2);
    let metadata = |at: usize| told[at]["metadata"].clone();
    assert_eq!(
        [metadata(0), metadata(1)],
        [json!(null), json!({"is_second": true})]
    );
    // What was paid for is kept.
    assert_eq!(redirect.subscription(&older)["status"], "active");
    scene.is("active", "pro").await;
    assert_eq!(scene.subscription().await["cancel_at_period_end"], false);

    scene.app.clock.set(datetime!(2026-06-04 12:10 UTC));
    drop(redirect.renew(&newer));
    eventually("the older one is over", async || {
        let live: i64 = scene
            .app
            .value(
                "SELECT COUNT(*) FROM subscriptions WHERE status <> 'canceled'",
                &[],
            )
            .await;
        (live == 1).then_some(())
    })
    .await;
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn a_cancellation_ends_all_that_renew() {
    for at_period_end in [true, false] {
        let scene = Scene::quiet().await;
        let both = scene.subscribe_twice().await;
        let cancel = json!({"at_period_end": at_period_end});
        let canceled = scene.owner.post(CANCEL, cancel).await;
        canceled.expect(200, json!({"status": "canceled"}));
        for id in both {
            let there = scene.gateways.redirect.subscription(&id);
            if at_period_end {
                assert_eq!(there["cancel_at_period_end"], true);
            } else {
                assert_eq!(there["status"], "canceled");
            }
        }
        if at_period_end {
            assert_eq!(scene.subscription().await["cancel_at_period_end"], true);
        } else {
            scene.is("canceled", "free").await;
        }
    }
}
