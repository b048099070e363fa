//! The end of a trial is announced.

use std::time::Duration;

use domain::{lifecycle::settings::LifecycleSettings, orgs::model::Plan};
use harness::App;

use super::{DAY, SETTINGS, lifecycle, lifecycle_with, notices};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn the_end_of_a_trial_is_announced_three_days_before_once() {
    let (app, owner) = App::with_owner().await;
    app.clock.advance(11 * DAY - SECOND);
    lifecycle(&app).end_trials().await.unwrap();
    assert_eq!(notices(&app).await, []);
    app.clock.advance(SECOND);
    let (one, other) = (lifecycle(&app), lifecycle(&app));
    let (first, second) = tokio::join!(one.end_trials(), other.end_trials());
    first.unwrap();
    second.unwrap();
    app.mails().await;
    app.clock.advance(DAY);
    lifecycle(&app).end_trials().await.unwrap();
    let soon = "The trial of your organization on Halyard ends soon".to_owned();
    assert_eq!(notices(&app).await, [(owner.email.clone(), soon)]);
    let mail = app.mail_to(&owner.email).await;
    assert_eq!(mail.link(), "http://127.0.0.1:8080/settings/billing");
    assert!(mail.text.contains("ends on 2026-05-18"), "{}", mail.text);
}

#[tokio::test]
async fn a_trial_that_ended_unannounced_is_only_told_to_have_ended() {
    let (app, owner) = App::with_owner().await;
    app.clock.advance(14 * DAY);
    lifecycle(&app).end_trials().await.unwrap();
    lifecycle(&app).end_trials().await.unwrap();
    let ended = "The trial of your organization on Halyard has ended".to_owned();
    assert_eq!(notices(&app).await, [(owner.email.clone(), ended)]);
}

#[tokio::test]
async fn a_trial_that_is_no_longer_than_the_notice_is_not_announced() {
    let app = App::start_with(&[("TRIAL_LENGTH", "3d")]).await;
    app.signup("acme").await;
    app.clock.advance(DAY);
    lifecycle(&app).end_trials().await.unwrap();
    assert_eq!(notices(&app).await, []);
}

#[tokio::test]
async fn a_notice_of_0_announces_nothing() {
    let app = App::start().await;
    app.signup("acme").await;
    let never = LifecycleSettings {
        trial_notice: Duration::ZERO,
        ..SETTINGS
    };
    app.clock.advance(13 * DAY);
    lifecycle_with(&app, never).end_trials().await.unwrap();
    assert_eq!(notices(&app).await, []);
}

#[tokio::test]
async fn a_trial_that_an_operator_begins_anew_is_announced_anew() {
    let (app, owner) = App::with_owner().await;
    app.clock.advance(12 * DAY);
    lifecycle(&app).end_trials().await.unwrap();
    app.mails().await;
    app.clock.advance(2 * DAY);
    lifecycle(&app).end_trials().await.unwrap();
    app.mails().await;
    app.set_plan_as_operator(&owner, Plan::Trial).await;
    lifecycle(&app).end_trials().await.unwrap();
    app.clock.advance(12 * DAY);
    lifecycle(&app).end_trials().await.unwrap();
    let subjects = notices(&app).await.into_iter().map(|(_, subject)| subject);
    let soon = "The trial of your organization on Halyard ends soon";
    let expected = [
        soon,
        "The trial of your organization on Halyard has ended",
        soon,
    ];
    assert_eq!(subjects.collect::<Vec<_>>(), expected);
}
