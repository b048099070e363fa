//! `gateway_redirect`: the service and the library agree on signatures of events, and on what events say.

use harness::gateways::Shape;
use harness::{App, Gateways, User};
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::questions::{A_MINUTE, header_of, meaning_of, signature_of};
use super::{Library, Recordings, Scenario};

/// An organization that pays through the gateway; its subscription has the same id as that of a [`Scenario`].
async fn subscribed(gateways: &Gateways, app: &App) -> User {
    let owner = app.signup("acme").await;
    owner
        .change(
            "/v1/billing/gateway",
            json!({"gateway": "gateway_redirect"}),
        )
        .await;
    owner.act("/v1/billing/checkout", json!({})).await;
    let completed = &gateways.redirect.pay(&gateways.redirect.latest_session())[0];
    let answer = gateways.redirect.deliver(&app.anonymous(), completed).await;
    answer.expect(200, json!({"status": "ok"}));
    owner
}

#[tokio::test]
async fn an_event_that_the_library_signed_is_accepted_and_an_altered_one_is_not() {
    let gateways = Gateways::start().await;
    let app = gateways.app(&[]).await;
    subscribed(&gateways, &app).await;
    let recordings = Recordings::of(Library::Stripe);
    app.clock.advance(A_MINUTE);

    let event = &Scenario::play(Shape::Present).await.rest[0];
    let signature = recordings.answer(&signature_of(event))["header"]
        .as_str()
        .expect("a header");
    let body = event.body.to_string();
    let altered = body.replace(":true", ":false");
    let meaning = recordings.answer(&meaning_of(&altered, signature));
    assert_eq!(meaning["class"], "SignatureVerificationError");
    let caller = app.anonymous();
    let answer = gateways
        .redirect
        .deliver_signed(&caller, &altered, signature)
        .await;
    answer.expect_status(400);
    let answer = gateways
        .redirect
        .deliver_signed(&caller, &body, signature)
        .await;
    answer.expect(200, json!({"status": "ok"}));
}

fn rfc3339(seconds: &Value) -> Value {
    let time = OffsetDateTime::from_unix_timestamp(seconds.as_i64().expect("seconds"));
    json!(
        time.expect("a time")
            .format(&Rfc3339)
            .expect("a time of our days")
    )
}

/// Delivers a scenario, event by event, and compares what we made of each with what the library says that it says.
async fn hold_against_the_library(shape: Shape) {
    let gateways = Gateways::start().await;
    let app = gateways.app(&[]).await;
    let owner = subscribed(&gateways, &app).await;
    let recordings = Recordings::of(Library::Stripe);
    let [ours] = &gateways.redirect.subscriptions()[..] else {
        panic!("one subscription");
    };

    for event in Scenario::play(shape).await.rest {
        app.clock.advance(A_MINUTE);
        let (body, signature) = (event.body.to_string(), header_of(&event));
        let answer = gateways
            .redirect
            .deliver_signed(&app.anonymous(), &body, &signature)
            .await;
        answer.expect(200, json!({"status": "ok"}));

        let meaning = recordings.answer(&meaning_of(&body, &signature));
        let shown = owner.get("/v1/billing/subscription").await;
        if meaning["class"] == "Invoice" {
            assert_eq!(&meaning["subscription"], ours);
            assert_eq!(shown.body["status"], "past_due");
            continue;
        }
        assert_eq!(&meaning["id"], ours, "{meaning:#}");
        for same in ["status", "cancel_at_period_end"] {
            assert_eq!(
                shown.body[same],
                meaning[same],
                "{same} after {}",
                event.kind()
            );
        }
        for time in ["current_period_start", "current_period_end"] {
            assert_eq!(
                shown.body[time],
                rfc3339(&meaning[time]),
                "{time} after {}",
                event.kind()
            );
        }
    }
}

#[tokio::test]
async fn events_in_the_present_shape_mean_here_what_they_mean_to_the_library() {
    hold_against_the_library(Shape::Present).await;
}

#[tokio::test]
async fn events_in_the_older_shape_mean_here_what_they_mean_to_the_library() {
    hold_against_the_library(Shape::Older).await;
}
