//! The transitions of the contract's table of plans, each by its name; those that are told elsewhere are not repeated.

use super::Scene;

#[tokio::test]
async fn free_becomes_pro_by_a_completed_session() {
    let scene = Scene::redirect().await;
    scene.app.set_plan(&scene.owner, "free").await;
    scene.subscribe().await;
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn pro_becomes_free_when_the_subscription_is_deleted() {
    let (scene, id) = Scene::subscribed().await;
    scene
        .deliver(&scene.gateways.redirect.end_subscription(&id))
        .await;
    scene.is("canceled", "free").await;
    let mails = scene.subjects_to("owner@acme.test").await;
    assert_eq!(
        mails,
        ["The subscription of your organization on Halyard has ended"]
    );
}

#[tokio::test]
async fn active_becomes_past_due_by_a_failed_payment_and_active_again() {
    let (scene, id) = Scene::subscribed().await;
    let redirect = &scene.gateways.redirect;
    scene.app.clock.advance(super::DAY);
    for event in redirect.fail_payment(&id) {
        scene.deliver(&event).await;
    }
    scene.is("past_due", "pro").await;
    scene.app.clock.advance(super::DAY);
    scene.deliver(&redirect.set_status(&id, "active")).await;
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn a_trial_that_never_paid_is_not_ended_by_a_first_payment_that_fails() {
    let scene = Scene::redirect().await;
    super::check_out(&scene.owner).await.expect_status(200);
    let redirect = &scene.gateways.redirect;
    redirect.pay_slowly(&redirect.latest_session());
    let id = redirect.subscriptions().remove(0);
    scene.deliver(&redirect.set_status(&id, "incomplete")).await;
    scene.is("past_due", "trial").await;
    scene.app.clock.advance(super::DAY);
    scene
        .deliver(&redirect.set_status(&id, "incomplete_expired"))
        .await;
    scene.is("canceled", "trial").await;
    assert_eq!(scene.subjects_to("owner@acme.test").await, [""; 0]);
}

#[tokio::test]
async fn a_paid_plan_goes_on_after_the_trial_would_have_ended() {
    let scene = Scene::redirect().await;
    scene.subscribe().await;
    scene.app.clock.advance(20 * super::DAY);
    scene.is("active", "pro").await;
}
