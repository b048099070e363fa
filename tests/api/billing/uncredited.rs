//! Payments through `gateway_form` that no browser brings back, and those that do not fit their checkout.

use std::time::Duration;

use harness::eventually;
use serde_json::Value;

use super::{DAY, Scene, returns_to};

const SUCCESS: &str = "/settings/billing?status=success";
const FAILED: &str = "/settings/billing?status=failed";
const NOT_CREDITED: &str = "A payment for your organization on Halyard could not be credited";
const QUARTER: Duration = Duration::from_secs(15 * 60);

/// What is kept of outcomes that gave nothing.
async fn kept(scene: &Scene) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT event_ref FROM subscription_events WHERE subscription_id IS NULL ORDER BY sequence",
    )
    .fetch_all(scene.app.pool())
    .await
    .unwrap()
}

fn txnid(checkout: &Value) -> String {
    checkout["txnid"].as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn a_payment_that_no_browser_brings_back_is_found_out() {
    let (scene, checkout) = Scene::form_begun().await;
    let api = &scene.gateways.form_api;
    scene.app.clock.advance(QUARTER);
    eventually("the gateway is asked", async || {
        (api.questions() == [txnid(&checkout)]).then_some(())
    })
    .await;
    scene.is("none", "trial").await;
    api.pays(&txnid(&checkout), "1999.00");
    scene.app.clock.advance(DAY);
    scene.becomes("active", "pro").await;
    // The browser comes back after all.
    let callback = scene.gateways.form.success(&checkout);
    let before = scene.subscription().await;
    returns_to(&scene.bring(&callback).await, SUCCESS);
    assert_eq!(scene.subscription().await, before);
}

#[tokio::test]
async fn a_payment_that_does_not_fit_its_checkout_is_kept_told_and_found_again() {
    for (name, value, is_found) in [
        ("email", "a.very.long.address.that.was.cut@acme.te", true),
        ("amount", "1949.00", false),
    ] {
        let (scene, checkout) = Scene::form_begun().await;
        let callback = scene.gateways.form.success(&checkout).with(name, value);
        let amount = if is_found { "1999.00" } else { "1949.00" };
        for _ in 0..2 {
            returns_to(&scene.bring(&callback).await, FAILED);
        }
        let expected = format!("{} success 403993715531077182", txnid(&checkout));
        assert_eq!(kept(&scene).await, [expected]);
        let mails = scene.subjects_to("owner@acme.test").await;
        assert_eq!(mails, [NOT_CREDITED]);
        scene.gateways.form_api.pays(&txnid(&checkout), amount);
        scene.app.clock.advance(DAY);
        if is_found {
            scene.becomes("active", "pro").await;
        } else {
            let asked = scene.gateways.form_api.questions().len();
            scene.app.clock.advance(DAY);
            eventually("the gateway is asked again", async || {
                (scene.gateways.form_api.questions().len() > asked).then_some(())
            })
            .await;
            scene.is("none", "trial").await;
        }
        assert_eq!(scene.subjects_to("owner@acme.test").await, [NOT_CREDITED]);
    }
}

#[tokio::test]
async fn a_payment_of_a_checkout_that_nobody_knows_is_kept() {
    let (scene, checkout) = Scene::form_begun().await;
    let callback = scene.gateways.form.success(&checkout);
    let callback = callback.with("txnid", "FF_unknown_1777896000000");
    returns_to(&scene.bring(&callback).await, FAILED);
    let expected = "FF_unknown_1777896000000 success 403993715531077182";
    assert_eq!(kept(&scene).await, [expected]);
    // A forgery is not.
    let forged = callback.altered("txnid", "FF_other_1777896000000");
    returns_to(&scene.bring(&forged).await, FAILED);
    assert_eq!(kept(&scene).await.len(), 1);
    assert_eq!(scene.subjects_to("owner@acme.test").await, [""; 0]);
}

#[tokio::test]
async fn a_failure_that_the_gateway_made_is_kept_and_told_to_nobody() {
    let (scene, checkout) = Scene::form_begun().await;
    let mut failure = scene.gateways.form.failure(&checkout);
    failure.path = "/v1/billing/gateway_form/callback".to_owned();
    returns_to(&scene.bring(&failure).await, FAILED);
    let expected = format!("{} failure 403993715531077182", txnid(&checkout));
    assert_eq!(kept(&scene).await, [expected]);
    assert_eq!(scene.subjects_to("owner@acme.test").await, [""; 0]);
    // The payer tries again, and pays.
    let callback = scene.gateways.form.success(&checkout);
    returns_to(&scene.bring(&callback).await, SUCCESS);
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn a_checkout_is_not_forgotten_before_the_gateway_was_asked_about_it() {
    let (scene, checkout) = Scene::form_begun().await;
    let api = &scene.gateways.form_api;
    api.go_down().await;
    api.pays(&txnid(&checkout), "1999.00");
    scene.app.clock.advance(31 * DAY);
    let db = scene.app.db();
    domain::billing::forget(db, scene.app.clock.now())
        .await
        .unwrap();
    api.come_up().await;
    scene.app.clock.advance(DAY);
    scene.becomes("active", "pro").await;
}

#[tokio::test]
async fn a_number_in_a_json_callback_counts_as_it_is_written() {
    let (scene, checkout) = Scene::form_begun().await;
    let callback = scene.gateways.form.success(&checkout);
    let body = callback.json().to_string();
    let body = body.replace("\"amount\":\"1999.00\"", "\"amount\":1999.00");
    let anonymous = scene.app.anonymous();
    let request = anonymous.request(reqwest::Method::POST, &callback.path);
    let request = request
        .header("content-type", "application/json")
        .body(body);
    returns_to(&anonymous.send(request).await, SUCCESS);
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn what_gateways_have_signed_is_not_held_up_by_what_they_have_not() {
    let scene = Scene::with(&[("RATE_CALLBACK", "3")]).await;
    let form = scene.begin().await;
    super::choose_redirect(&scene.owner).await;
    let other = scene.app.signup("other").await;
    super::choose_redirect(&other).await;
    super::check_out(&other).await.expect_status(200);
    let redirect = &scene.gateways.redirect;
    let paid = redirect.pay(&redirect.latest_session()).remove(0);
    let anonymous = scene.app.anonymous();
    let junk = async || {
        let path = "/v1/billing/gateway_form/failure";
        anonymous
            .send(anonymous.request(reqwest::Method::POST, path))
            .await
    };
    for _ in 0..3 {
        junk().await.expect_status(303);
    }
    junk().await.expect_error(429, "rate limit exceeded");
    let callback = scene.gateways.form.success(&form);
    for _ in 0..5 {
        returns_to(&scene.bring(&callback).await, SUCCESS);
    }
    scene.deliver(&paid).await;
    junk().await.expect_error(429, "rate limit exceeded");
}
