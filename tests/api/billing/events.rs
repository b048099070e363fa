//! What the events of `gateway_redirect` do, one by one.

use std::time::Duration;

use harness::gateways::{Event, Shape};
use serde_json::{Value, json};

use super::{SUBSCRIPTION, Scene, check_out, none_on, subscription};
use crate::trail;

impl Scene {
    /// Some time after what happened before.
    fn later(&self) {
        self.app.clock.advance(Duration::from_secs(60));
    }

    async fn repeated(&self, event: &Event) {
        self.send(event)
            .await
            .expect(200, json!({"status": "already_processed"}));
    }
}

#[tokio::test]
async fn a_repeated_event_has_no_further_effect() {
    let (scene, id) = Scene::subscribed().await;
    scene.later();
    let redirect = &scene.gateways.redirect;
    let failed = &redirect.fail_payment(&id)[0];
    scene.deliver(failed).await;
    let before = scene.subscription().await;
    let length = trail::length(&scene.app, &scene.owner).await;
    for _ in 0..3 {
        scene.repeated(failed).await;
    }
    assert_eq!(scene.subscription().await, before);
    assert_eq!(trail::length(&scene.app, &scene.owner).await, length);
    assert_eq!(scene.subjects_to("owner@acme.test").await.len(), 1);
}

#[tokio::test]
async fn an_event_that_arrives_twice_at_once_counts_once() {
    let scene = Scene::redirect().await;
    let events = scene.pay().await;
    let (one, other) = tokio::join!(scene.send(&events[0]), scene.send(&events[0]));
    let mut answers = [one.body["status"].clone(), other.body["status"].clone()];
    answers.sort_by_key(Value::to_string);
    assert_eq!(answers, ["already_processed", "ok"]);
    let told = trail::of_action(&scene.app, &scene.owner, "billing.subscription_activated").await;
    assert_eq!(told.len(), 1);
}

#[tokio::test]
async fn events_of_other_types_are_ignored() {
    let scene = Scene::redirect().await;
    let events = scene.pay().await;
    for event in &events[1..] {
        scene
            .send(event)
            .await
            .expect(200, json!({"status": "ignored"}));
    }
    let untouched = none_on("trial", "gateway_redirect");
    scene.owner.get(SUBSCRIPTION).await.expect(200, untouched);
}

#[tokio::test]
async fn a_session_that_is_not_paid_yet_gives_nothing() {
    let scene = Scene::redirect().await;
    check_out(&scene.owner).await;
    let redirect = &scene.gateways.redirect;
    let events = redirect.pay_slowly(&redirect.latest_session());
    scene.deliver(&events[0]).await;
    scene.is("none", "trial").await;
    scene.repeated(&events[0]).await;
    // The payment arrives days later.
    scene.app.clock.advance(2 * super::DAY);
    let id = redirect.subscriptions().remove(0);
    scene.deliver(&redirect.set_status(&id, "active")).await;
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn an_event_that_nobody_can_place_is_ok_and_changes_nothing() {
    let scene = Scene::redirect().await;
    let events = scene.pay().await;
    let stranger = "01999999-0000-7000-8000-000000000000";
    let event = events[0]
        .clone()
        .with("/id", json!("cs_unknown"))
        .with("/metadata/org_id", json!(stranger))
        .with("/client_reference_id", json!(stranger));
    scene.deliver(&event).await;
    scene.is("none", "trial").await;
    scene.repeated(&event).await;
}

#[tokio::test]
async fn a_session_belongs_to_whoever_began_it_whatever_it_names() {
    let scene = Scene::redirect().await;
    let other = scene.app.signup("other").await;
    let events = scene.pay().await;
    let named = events[0]
        .clone()
        .with("/metadata", json!({}))
        .with("/client_reference_id", json!(other.org_id));
    scene.deliver(&named).await;
    scene.is("active", "pro").await;
    assert_eq!(subscription(&other).await["status"], "none");
}

#[tokio::test]
async fn a_subscription_is_found_by_its_id_before_the_organization_that_is_named() {
    let (scene, id) = Scene::subscribed().await;
    let other = scene.app.signup("other").await;
    scene.later();
    let event = scene.gateways.redirect.set_status(&id, "past_due");
    let event = event.with("/metadata/org_id", json!(other.org_id));
    scene.deliver(&event).await;
    scene.is("past_due", "pro").await;
    assert_eq!(subscription(&other).await["status"], "none");
}

#[tokio::test]
async fn an_older_event_never_overwrites_a_newer_one() {
    let (scene, id) = Scene::subscribed().await;
    scene.later();
    let redirect = &scene.gateways.redirect;
    let older = redirect.set_status(&id, "past_due");
    scene.later();
    let newer = redirect.set_status(&id, "active");
    scene.deliver(&newer).await;
    let before = scene.subscription().await;
    let length = trail::length(&scene.app, &scene.owner).await;
    scene.deliver(&older).await;
    assert_eq!(scene.subscription().await, before);
    assert_eq!(trail::length(&scene.app, &scene.owner).await, length);
}

#[tokio::test]
async fn a_late_failure_of_a_payment_that_was_made_good_tells_nobody() {
    let (scene, id) = Scene::subscribed().await;
    scene.later();
    let redirect = &scene.gateways.redirect;
    let failed = redirect.fail_payment(&id);
    scene.later();
    scene.deliver(&redirect.set_status(&id, "active")).await;
    scene.deliver(&failed[0]).await;
    scene.is("active", "pro").await;
    assert_eq!(scene.subjects_to("owner@acme.test").await, [""; 0]);
}

#[tokio::test]
async fn an_event_of_an_old_subscription_does_not_touch_the_new_one() {
    let (scene, first) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    scene.later();
    let now = json!({"at_period_end": false});
    scene.owner.act(super::CANCEL, now).await;
    scene.later();
    scene.subscribe().await;
    scene.is("active", "pro").await;
    scene.later();
    let late = redirect.report(&first);
    assert_eq!(late.object()["status"], "canceled");
    scene.deliver(&late).await;
    for event in redirect.take_events() {
        scene.send(&event).await.expect_status(200);
    }
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn an_updated_subscription_copies_status_and_period_in_both_shapes() {
    for shape in [Shape::Older, Shape::Present] {
        let scene = Scene::quiet().await;
        let redirect = &scene.gateways.redirect;
        redirect.speak(shape);
        let id = scene.subscribe().await;
        scene.app.clock.advance(31 * super::DAY);
        scene.deliver(&redirect.renew(&id)[0]).await;
        let now = scene.subscription().await;
        assert_eq!(
            now["current_period_start"], "2026-06-04T12:00:00Z",
            "{shape:?}"
        );
        assert_eq!(
            now["current_period_end"], "2026-07-04T12:00:00Z",
            "{shape:?}"
        );
        scene.later();
        scene
            .deliver(&redirect.set_cancel_at_period_end(&id, true))
            .await;
        assert_eq!(scene.subscription().await["cancel_at_period_end"], true);
        scene.later();
        scene
            .deliver(&redirect.set_cancel_at_period_end(&id, false))
            .await;
        assert_eq!(scene.subscription().await["cancel_at_period_end"], false);
        // An invoice names the subscription in another place.
        scene.later();
        scene.deliver(&redirect.fail_payment(&id)[0]).await;
        scene.is("past_due", "pro").await;
    }
}

#[tokio::test]
async fn every_status_of_the_gateway_has_one_here() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    for (there, here, plan) in [
        ("past_due", "past_due", "pro"),
        ("trialing", "active", "pro"),
        ("unpaid", "past_due", "pro"),
        ("active", "active", "pro"),
        ("incomplete", "past_due", "pro"),
        ("paused", "past_due", "pro"),
        // One that is not known says nothing.
        ("dormant", "past_due", "pro"),
        ("incomplete_expired", "canceled", "free"),
        // Plan and status of one that is over are not brought back by what is overdue.
        ("past_due", "past_due", "free"),
        ("active", "active", "pro"),
        ("canceled", "canceled", "free"),
    ] {
        scene.later();
        scene.deliver(&redirect.set_status(&id, there)).await;
        scene.is(here, plan).await;
    }
}

#[tokio::test]
async fn a_failed_payment_is_told_to_every_owner_and_admin() {
    let (scene, id) = Scene::subscribed().await;
    let owner = &scene.owner;
    let admin = scene.app.member(owner, "admin").await;
    let other = scene.app.member(owner, "owner").await;
    let developer = scene.app.member(owner, "developer").await;
    let invited = json!({"email": "stub@acme.test", "role": "admin"});
    owner.create("/v1/members/invite", invited).await;
    scene.later();
    scene
        .deliver(&scene.gateways.redirect.fail_payment(&id)[0])
        .await;

    let subject = "A payment for your organization on Halyard did not go through";
    for email in [&owner.email, &admin.email, &other.email, "stub@acme.test"] {
        assert_eq!(scene.subjects_to(email).await, [subject], "{email}");
    }
    assert_eq!(scene.subjects_to(&developer.email).await, [""; 0]);
    let told = trail::of_action(&scene.app, owner, "billing.payment_failed").await;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0]["actor_type"], "system");
    assert_eq!(told[0]["after_state"]["status"], "past_due");
}

#[tokio::test]
async fn every_failed_attempt_is_told_once() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    for attempts in 1..=3 {
        scene.app.clock.advance(super::DAY);
        let events = redirect.fail_payment(&id);
        // In either order.
        for event in events.iter().rev() {
            scene.deliver(event).await;
        }
        assert_eq!(scene.subjects_to("owner@acme.test").await.len(), attempts);
    }
}

#[tokio::test]
async fn enterprise_stays_whatever_a_gateway_tells() {
    let (scene, id) = Scene::subscribed().await;
    scene.app.set_plan(&scene.owner, "enterprise").await;
    scene.later();
    scene
        .deliver(&scene.gateways.redirect.end_subscription(&id))
        .await;
    scene.is("canceled", "enterprise").await;
}

#[tokio::test]
async fn a_plan_that_an_operator_chose_stays_until_somebody_pays() {
    let (scene, id) = Scene::subscribed().await;
    scene.app.set_plan(&scene.owner, "free").await;
    let redirect = &scene.gateways.redirect;
    for status in ["past_due", "active"] {
        scene.later();
        scene.deliver(&redirect.set_status(&id, status)).await;
        scene.is(status, "free").await;
    }
    scene.later();
    scene
        .deliver(&redirect.set_cancel_at_period_end(&id, true))
        .await;
    scene.later();
    scene.subscribe().await;
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn what_is_decided_here_counts_also_when_the_clock_of_the_gateway_is_ahead() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    let ahead = scene.app.clock.now() + Duration::from_secs(30);
    scene.deliver(&redirect.report(&id).at(ahead)).await;
    let now = json!({"at_period_end": false});
    scene.owner.act(super::CANCEL, now).await;
    scene.is("canceled", "free").await;
}

#[tokio::test]
async fn patience_with_what_is_told_late_begins_when_it_is_told() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    let failed = redirect.fail_payment(&id).remove(0);
    scene.app.clock.advance(20 * super::DAY);
    scene.deliver(&failed).await;
    scene.app.clock.advance(13 * super::DAY);
    scene.is("past_due", "pro").await;
    scene.app.clock.advance(super::DAY);
    scene.becomes("canceled", "free").await;
}
