//! An organization is deleted only when nothing can be charged for it afterwards.

use std::time::Duration;

use harness::gateways::Trouble;
use harness::user::PASSWORD;
use harness::{App, Response, User, eventually};
use reqwest::Method;
use serde_json::json;

use super::{CANCEL, Scene, check_out};

const RUNNING: &str = "a subscription is running: first cancel it with immediate effect, at POST /v1/billing/cancel \
                       with {\"at_period_end\": false}";
const UNCERTAIN: &str = "the payment gateway has not confirmed that the subscription has ended: try again in a few minutes";
const PROCESSED: &str =
    "a payment is being processed: try again in a few minutes, when it has succeeded or failed";
const BEGUN: &str = "a checkout was begun less than an hour ago and can still be paid: try again an hour after it began";

async fn delete(owner: &User) -> Response {
    let body = json!({"name": "acme", "password": PASSWORD});
    let request = owner
        .request(Method::DELETE, "/v1/organization")
        .json(&body);
    owner.send(request).await
}

async fn until_gone(app: &App) {
    eventually("everything of it is gone", async || {
        let left: i64 = app.value("SELECT COUNT(*) FROM organizations", &[]).await;
        (left == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_running_subscription_is_409_until_it_is_canceled_with_immediate_effect() {
    let (scene, _) = Scene::subscribed().await;
    delete(&scene.owner).await.expect_error(409, RUNNING);
    // What ends with its period may still be resumed at the gateway.
    for at_period_end in [true, false] {
        delete(&scene.owner).await.expect_error(409, RUNNING);
        let cancel = json!({"at_period_end": at_period_end});
        scene.owner.post(CANCEL, cancel).await.expect_status(200);
    }
    delete(&scene.owner).await.expect_status(202);
    until_gone(&scene.app).await;
}

#[tokio::test]
async fn a_subscription_whose_end_is_not_confirmed_is_409() {
    let scene = Scene::quiet().await;
    scene.subscribe().await;
    let cancel = json!({"at_period_end": false});
    scene.owner.post(CANCEL, cancel).await.expect_status(200);
    scene
        .app
        .execute("UPDATE subscriptions SET settle_at = now()", &[])
        .await;
    delete(&scene.owner).await.expect_error(409, UNCERTAIN);
}

#[tokio::test]
async fn a_checkout_that_is_open_is_ended_at_the_gateway() {
    let scene = Scene::quiet().await;
    check_out(&scene.owner).await.expect_status(200);
    let redirect = &scene.gateways.redirect;
    let session = redirect.latest_session();
    delete(&scene.owner).await.expect_status(202);
    let path = format!("/v1/checkout/sessions/{session}/expire");
    assert_eq!(redirect.requests_to("POST", &path).len(), 1);
    assert_eq!(redirect.open_sessions().len(), 0);
    until_gone(&scene.app).await;
}

#[tokio::test]
async fn a_checkout_that_turns_out_to_be_paid_for_counts_and_is_409() {
    let scene = Scene::quiet().await;
    check_out(&scene.owner).await.expect_status(200);
    let redirect = &scene.gateways.redirect;
    drop(redirect.pay(&redirect.latest_session()));
    delete(&scene.owner).await.expect_error(409, RUNNING);
    scene.is("active", "pro").await;
}

#[tokio::test]
async fn a_payment_in_progress_is_409() {
    let scene = Scene::quiet().await;
    check_out(&scene.owner).await.expect_status(200);
    let redirect = &scene.gateways.redirect;
    drop(redirect.pay_slowly(&redirect.latest_session()));
    delete(&scene.owner).await.expect_error(409, PROCESSED);
}

#[tokio::test]
async fn a_gateway_that_does_not_say_whether_a_checkout_can_be_paid_is_502() {
    let scene = Scene::quiet().await;
    check_out(&scene.owner).await.expect_status(200);
    scene.gateways.redirect.trouble(Trouble::Status(403), 1);
    let refused = delete(&scene.owner).await;
    refused.expect_error(502, "payment gateway failed");
    scene.is("none", "trial").await;
    delete(&scene.owner).await.expect_status(202);
}

#[tokio::test]
async fn a_checkout_by_form_is_409_for_an_hour_and_a_paid_period_is_not() {
    let (scene, _) = Scene::form_begun().await;
    delete(&scene.owner).await.expect_error(409, BEGUN);
    scene.pay_by_form().await;
    scene.app.clock.advance(Duration::from_secs(3_599));
    delete(&scene.owner).await.expect_error(409, BEGUN);
    scene.app.clock.advance(Duration::from_secs(2));
    // Nothing renews, and nothing can cancel it.
    scene.is("active", "pro").await;
    delete(&scene.owner).await.expect_status(202);
    until_gone(&scene.app).await;
}

#[tokio::test]
async fn a_checkout_that_begins_in_the_same_moment_cannot_be_paid_or_holds_the_deletion_up() {
    for slow in [0, 100, 200] {
        let scene = Scene::quiet().await;
        let redirect = &scene.gateways.redirect;
        redirect.slow(Duration::from_millis(slow));
        let (begun, deleted) = tokio::join!(check_out(&scene.owner), delete(&scene.owner));
        if deleted.status == 202 {
            assert!([200, 401, 409].contains(&begun.status), "{}", begun.body);
            assert_eq!(redirect.open_sessions().len(), 0);
        } else {
            deleted.expect_error(409, PROCESSED);
            begun.expect_status(200);
        }
    }
}

#[tokio::test]
async fn a_checkout_by_form_that_waits_for_the_deletion_is_401() {
    let scene = Scene::form().await;
    let mut session = scene.app.session().await;
    let mut held = sqlx::Connection::begin(&mut session).await.unwrap();
    let lock = "SELECT FROM organizations WHERE id = $1::uuid FOR NO KEY UPDATE";
    let locking = sqlx::query(lock).bind(&scene.owner.org_id);
    locking.execute(&mut *held).await.unwrap();
    let release = async {
        scene.app.until_waiting_for_locks(1).await;
        sqlx::query("UPDATE organizations SET purge_started_at = now() WHERE id = $1::uuid")
            .bind(&scene.owner.org_id)
            .execute(&mut *held)
            .await
            .unwrap();
        held.commit().await.unwrap();
    };
    let (begun, ()) = tokio::join!(check_out(&scene.owner), release);
    assert_eq!(begun.status, 401, "{}", begun.body);
}

#[tokio::test]
async fn a_payment_that_arrives_afterwards_changes_nothing() {
    let (scene, id) = Scene::subscribed().await;
    let cancel = json!({"at_period_end": false});
    scene.owner.post(CANCEL, cancel).await.expect_status(200);
    delete(&scene.owner).await.expect_status(202);
    let renewed = scene.gateways.redirect.renew(&id);
    for event in &renewed {
        scene.send(event).await.expect_status(200);
    }
    until_gone(&scene.app).await;
    for event in &renewed {
        scene.send(event).await.expect_status(200);
    }
}
