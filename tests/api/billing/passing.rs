//! What happens to subscriptions by time alone.

use harness::eventually;
use serde_json::json;
use time::macros::datetime;

use super::{DAY, Scene, check_out, choose_redirect};
use crate::trail;

#[tokio::test]
async fn a_form_subscription_is_past_due_when_its_month_is_over() {
    let scene = Scene::form().await;
    scene.pay_by_form().await;
    scene.app.clock.set(datetime!(2026-06-04 11:59:59 UTC));
    scene.is("active", "pro").await;
    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    scene.becomes("past_due", "pro").await;
    let mails = scene.subjects_to("owner@acme.test").await;
    assert_eq!(mails, ["A payment for your organization on Halyard is due"]);

    // The next month begins with the payment for it.
    scene.app.clock.set(datetime!(2026-06-10 09:00 UTC));
    scene.pay_by_form().await;
    let now = scene.subscription().await;
    assert_eq!(now["status"], "active");
    assert_eq!(now["current_period_start"], "2026-06-10T09:00:00Z");
    assert_eq!(now["current_period_end"], "2026-07-10T09:00:00Z");
}

#[tokio::test]
async fn what_is_past_due_for_14_days_becomes_free() {
    let scene = Scene::form().await;
    scene.pay_by_form().await;
    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    scene.becomes("past_due", "pro").await;
    // Sent before time goes on: a mail that is two weeks late is given up.
    let due = "A payment for your organization on Halyard is due";
    assert_eq!(scene.subjects_to("owner@acme.test").await, [due]);
    scene.app.clock.advance(14 * DAY);
    scene.becomes("canceled", "free").await;
    let ended = "The subscription of your organization on Halyard has ended";
    assert_eq!(scene.subjects_to("owner@acme.test").await, [due, ended]);
    let told = trail::newest(&scene.app, &scene.owner).await;
    assert_eq!(told["action"], "billing.plan_changed");
    assert_eq!(told["actor_type"], "system");
    assert_eq!(told["after_state"], json!({"plan": "free"}));
}

#[tokio::test]
async fn a_subscription_that_ends_for_want_of_payment_ends_at_the_gateway_too() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    scene.app.clock.advance(DAY);
    scene.deliver(&redirect.set_status(&id, "past_due")).await;
    scene.app.clock.advance(13 * DAY);
    scene.is("past_due", "pro").await;
    scene.app.clock.advance(DAY);
    scene.becomes("canceled", "free").await;
    eventually("it is canceled there", async || {
        (redirect.subscription(&id)["status"] == "canceled").then_some(())
    })
    .await;
    for event in redirect.take_events() {
        scene.send(&event).await.expect_status(200);
    }
    scene.is("canceled", "free").await;
}

#[tokio::test]
async fn patience_of_zero_is_patience_for_ever() {
    let scene = Scene::redirect_with(("PAST_DUE_GRACE", "0")).await;
    let id = scene.subscribe().await;
    scene
        .deliver(&scene.gateways.redirect.set_status(&id, "past_due"))
        .await;
    scene.app.clock.advance(200 * DAY);
    // Another organization's subscription ends meanwhile, so the job has run.
    let other = scene.app.signup("other").await;
    choose_redirect(&other).await;
    scene.subscribe_as(&other).await;
    other.act(super::CANCEL, json!({})).await;
    scene.app.clock.advance(32 * DAY);
    eventually("the other one ends", async || {
        (super::subscription(&other).await["status"] == "canceled").then_some(())
    })
    .await;
    scene.is("past_due", "pro").await;
}

#[tokio::test]
async fn a_downgrade_deletes_nothing_and_refuses_only_what_is_new() {
    let (scene, id) = Scene::subscribed().await;
    let owner = &scene.owner;
    let second = json!({"name": "Second"});
    let second = owner.create("/v1/projects", second).await;
    scene
        .deliver(&scene.gateways.redirect.end_subscription(&id))
        .await;
    scene.is("canceled", "free").await;
    assert_eq!(scene.subscription().await["projects_used"], 2);
    let renamed = format!("/v1/projects/{}", second.text("/id"));
    owner.change(&renamed, json!({"name": "Renamed"})).await;
    let third = owner.post("/v1/projects", json!({"name": "Third"})).await;
    third.expect_error(402, "plan limit reached: projects");
}

#[tokio::test]
async fn several_replicas_end_a_subscription_once() {
    let scene = Scene::redirect().await;
    scene.app.another_replica().await;
    scene.subscribe().await;
    scene.owner.act(super::CANCEL, json!({})).await;
    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    scene.becomes("canceled", "free").await;
    // A job that ran on both at once, as during a change of the leader.
    scene.app.depose_the_leader().await;
    let told = trail::of_action(&scene.app, &scene.owner, "billing.subscription_canceled").await;
    assert_eq!(told.len(), 1);
    let mails = scene.subjects_to("owner@acme.test").await;
    assert_eq!(
        mails,
        ["The subscription of your organization on Halyard has ended"]
    );
}

#[tokio::test]
async fn a_subscription_that_cannot_end_does_not_hold_up_the_others() {
    let scene = Scene::redirect().await;
    scene.subscribe().await;
    scene.owner.act(super::CANCEL, json!({})).await;
    let other = scene.app.signup("other").await;
    choose_redirect(&other).await;
    check_out(&other).await.expect_status(200);
    sqlx::raw_sql(
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
         BEGIN
             IF EXISTS (SELECT FROM organizations WHERE id = NEW.org_id AND slug = 'acme') THEN
                 RAISE EXCEPTION 'injected';
             END IF;
             RETURN NEW;
         END $$;
         CREATE TRIGGER refuse BEFORE UPDATE ON subscriptions FOR EACH ROW
             WHEN (NEW.status = 'canceled') EXECUTE FUNCTION refuse();",
    )
    .execute(scene.app.pool())
    .await
    .unwrap();
    let events = scene
        .gateways
        .redirect
        .pay(&scene.gateways.redirect.latest_session());
    scene.deliver(&events[0]).await;
    other.act(super::CANCEL, json!({})).await;
    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    eventually("the other one ends", async || {
        (super::subscription(&other).await["status"] == "canceled").then_some(())
    })
    .await;
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn enterprise_is_not_asked_to_pay_for_the_next_month() {
    let scene = Scene::form().await;
    scene.pay_by_form().await;
    scene.app.set_plan(&scene.owner, "enterprise").await;
    scene.app.clock.set(datetime!(2026-06-04 12:00 UTC));
    scene.becomes("past_due", "enterprise").await;
    scene.app.clock.advance(14 * DAY);
    scene.becomes("canceled", "enterprise").await;
    assert_eq!(scene.subjects_to("owner@acme.test").await, [""; 0]);
}
