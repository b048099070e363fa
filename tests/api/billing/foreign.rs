//! Only checkouts that were begun here buy a plan, and only subscriptions to our price.

use std::time::Duration;

use harness::Caller;
use harness::gateways::Trouble;
use harness::gateways::redirect::{PRICE_ID, SECRET_KEY};
use reqwest::Method;
use serde_json::json;

use super::{Scene, check_out};

const HOUR: Duration = Duration::from_secs(3_600);

/// A session of the operator's account that is not one of ours, and names the organization as payers can.
async fn foreign_session(scene: &Scene) -> String {
    let redirect = &scene.gateways.redirect;
    let caller = Caller::of_another_service(&redirect.url(), scene.app.clock.clone());
    let request = caller
        .with_token(SECRET_KEY)
        .request(Method::POST, "/v1/checkout/sessions")
        .bearer_auth(SECRET_KEY)
        .form(&[
            ("mode", "subscription"),
            ("line_items[0][price]", PRICE_ID),
            ("line_items[0][quantity]", "1"),
            ("client_reference_id", &scene.owner.org_id),
            ("success_url", "https://shop.test/thanks"),
        ]);
    caller.send(request).await.expect_status(200);
    redirect.latest_session()
}

/// Events that belong to no subscription.
async fn unplaced(scene: &Scene) -> i64 {
    scene
        .app
        .value(
            "SELECT COUNT(*) FROM subscription_events WHERE subscription_id IS NULL",
            &[],
        )
        .await
}

#[tokio::test]
async fn a_payment_of_something_else_buys_nothing_whatever_its_payer_names() {
    let scene = Scene::redirect().await;
    let redirect = &scene.gateways.redirect;
    let session = foreign_session(&scene).await;
    let paid = redirect.pay(&session).remove(0);
    scene.deliver(&paid).await;
    scene.is("none", "trial").await;
    assert_eq!(unplaced(&scene).await, 1);

    // Nor does a single payment, of which the gateway knows no subscription.
    let single = paid.with("/mode", json!("payment"));
    let single = single.with("/subscription", json!(null));
    let mut single = single.with("/id", json!("cs_single"));
    single.body["id"] = json!("evt_single");
    scene.deliver(&single).await;
    scene.is("none", "trial").await;
    assert_eq!(unplaced(&scene).await, 2);
}

#[tokio::test]
async fn a_session_that_is_not_known_here_counts_as_far_as_the_gateway_vouches_for_it() {
    let scene = Scene::redirect().await;
    check_out(&scene.owner).await.expect_status(200);
    let redirect = &scene.gateways.redirect;
    let session = redirect.latest_session();
    let paid = redirect.pay(&session).remove(0);
    // As after a backup was restored.
    scene.app.execute("DELETE FROM checkouts", &[]).await;
    redirect.trouble(Trouble::Status(400), 1);
    let refused = scene.send(&paid).await;
    refused.expect_error(502, "payment gateway failed");
    assert_eq!(unplaced(&scene).await, 0);
    scene.deliver(&paid).await;
    scene.is("active", "pro").await;
    let path = format!("/v1/checkout/sessions/{session}");
    assert_eq!(redirect.requests_to("GET", &path).len(), 2);
}

#[tokio::test]
async fn a_subscription_to_another_price_is_not_pro() {
    let scene = Scene::redirect().await;
    check_out(&scene.owner).await.expect_status(200);
    let redirect = &scene.gateways.redirect;
    drop(redirect.pay(&redirect.latest_session()));
    let id = redirect.subscriptions().remove(0);
    let other = redirect.report(&id);
    let price = "/items/data/0/price/id";
    scene.deliver(&other.with(price, json!("price_mug"))).await;
    scene.is("none", "trial").await;
    // One that is known stays what it is when the operator sells at another price.
    scene.deliver(&redirect.report(&id)).await;
    scene.is("active", "pro").await;
    scene.app.clock.advance(HOUR);
    let older = redirect.set_cancel_at_period_end(&id, true);
    scene.deliver(&older.with(price, json!("price_mug"))).await;
    assert_eq!(scene.subscription().await["cancel_at_period_end"], true);
}

#[tokio::test]
async fn an_event_for_an_organization_that_is_being_deleted_is_kept_and_changes_nothing() {
    let scene = Scene::quiet().await;
    let id = scene.subscribe().await;
    scene
        .app
        .execute(
            "UPDATE organizations SET purge_started_at = created_at",
            &[],
        )
        .await;
    scene.app.clock.advance(HOUR);
    let failed = scene.gateways.redirect.fail_payment(&id).remove(0);
    scene.deliver(&failed).await;
    assert_eq!(unplaced(&scene).await, 1);
}
