//! Checkouts through `gateway_form`: the payer's browser posts a form there, and brings the outcome back.

use harness::eventually;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::macros::datetime;

use super::{CHECKOUT, SUBSCRIPTION, Scene, check_out, none_on, post, returns_to};
use crate::trail;

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
async fn canceling_a_form_subscription_is_400() {
    let scene = Scene::form().await;
    scene.pay_by_form().await;
    let refusal = "gateway_form subscriptions cannot be canceled through the API";
    for body in [
        json!({}),
        json!({"at_period_end": false}),
        json!({"at_period_end": "no"}),
    ] {
        let refused = scene.owner.post(super::CANCEL, body).await;
        refused.expect_error(400, refusal);
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
    eventually("the gateway was asked about it once more", async || {
        let open = "SELECT COUNT(*) FROM checkouts WHERE settle_at IS NOT NULL";
        let open: i64 = sqlx::query_scalar(open)
            .fetch_one(scene.app.pool())
            .await
            .unwrap();
        (open == 0).then_some(())
    })
    .await;
    let db = scene.app.db();
    domain::billing::forget(db, scene.app.clock.now())
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
