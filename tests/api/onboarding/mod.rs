//! First steps: shown, marked, taken back, and completed once; `steps` is about those that tick themselves.

mod steps;

use std::time::Duration;

use harness::{App, User};
use serde_json::{Value, json};

use crate::trail;

const PATH: &str = "/v1/onboarding";
const STEPS: [&str; 5] = [
    "plan_selected",
    "first_flag_created",
    "first_sdk_connected",
    "first_evaluation",
    "tour_completed",
];

/// The steps of an organization of which nothing was ever written.
fn untouched(owner: &User) -> Value {
    json!({
        "org_id": owner.org_id, "plan_selected": false, "first_flag_created": false, "first_sdk_connected": false,
        "first_evaluation": false, "tour_completed": false, "completed": false, "completed_at": null,
        "updated_at": "2026-05-04T12:00:00Z",
    })
}

#[tokio::test]
async fn before_any_write_no_step_is_done_since_the_organization_exists() {
    let (app, owner) = App::with_owner().await;
    app.clock.advance(Duration::from_secs(60));
    owner.get(PATH).await.expect(200, untouched(&owner));
    let answer = owner.patch(PATH, json!({})).await;
    answer.expect(200, untouched(&owner));
    let unknown = json!([{"place": "unknown", "message": "unknown field unknown"}]);
    let answer = owner.patch(PATH, json!({"unknown": true})).await;
    let answer = answer.without_warnings(&unknown);
    answer.expect(200, untouched(&owner));
    let empty = owner.request(reqwest::Method::PATCH, PATH);
    owner.send(empty).await.expect(200, untouched(&owner));
    owner.get(PATH).await.expect(200, untouched(&owner));
}

#[tokio::test]
async fn a_step_is_marked_and_taken_back_alone() {
    let (app, owner) = App::with_owner().await;
    for (step, seconds) in STEPS.iter().zip(1..) {
        app.clock.advance(Duration::from_secs(1));
        let mut expected = untouched(&owner);
        expected["updated_at"] = format!("2026-05-04T12:00:{:02}Z", 2 * seconds - 1).into();
        expected[step] = true.into();
        let marked = owner.patch(PATH, json!({*step: true})).await;
        marked.expect(200, expected.clone());
        owner.get(PATH).await.expect(200, expected.clone());

        app.clock.advance(Duration::from_secs(1));
        expected["updated_at"] = format!("2026-05-04T12:00:{:02}Z", 2 * seconds).into();
        expected[step] = false.into();
        let taken_back = owner.patch(PATH, json!({*step: false})).await;
        taken_back.expect(200, expected);
    }
}

#[tokio::test]
async fn it_is_completed_by_the_last_step_and_stays_so() {
    let (app, owner) = App::with_owner().await;
    for step in &STEPS[..4] {
        let answer = owner.patch(PATH, json!({*step: true})).await;
        assert_eq!(answer.body["completed"], false);
        assert_eq!(answer.body["completed_at"], Value::Null);
    }
    app.clock.advance(Duration::from_secs(1));
    let mut expected = untouched(&owner);
    for step in STEPS {
        expected[step] = true.into();
    }
    expected["completed"] = true.into();
    expected["completed_at"] = "2026-05-04T12:00:01Z".into();
    expected["updated_at"] = "2026-05-04T12:00:01Z".into();
    let completed = owner.patch(PATH, json!({"tour_completed": true})).await;
    completed.expect(200, expected.clone());

    app.clock.advance(Duration::from_secs(1));
    expected["updated_at"] = "2026-05-04T12:00:02Z".into();
    expected["first_evaluation"] = false.into();
    let taken_back = owner.patch(PATH, json!({"first_evaluation": false})).await;
    taken_back.expect(200, expected.clone());

    app.clock.advance(Duration::from_secs(1));
    expected["updated_at"] = "2026-05-04T12:00:03Z".into();
    expected["first_evaluation"] = true.into();
    let again = owner.patch(PATH, json!({"first_evaluation": true})).await;
    again.expect(200, expected);
}

#[tokio::test]
async fn a_step_that_is_no_boolean_is_refused_and_nothing_is_written() {
    let (_app, owner) = App::with_owner().await;
    for step in STEPS {
        for value in [json!("true"), json!(1), json!([true])] {
            let body = json!({"plan_selected": true, "tour_completed": true, step: value});
            let refused = owner.patch(PATH, body).await;
            refused.expect_error(400, &format!("{step} must be a boolean"));
        }
        let refused = owner
            .patch(PATH, json!({"plan_selected": true, step: null}))
            .await;
        refused.expect_error(400, &format!("{step} must not be null"));
    }
    owner.get(PATH).await.expect(200, untouched(&owner));
}

#[tokio::test]
async fn updates_at_the_same_time_all_survive_and_complete_it_once() {
    let (app, owner) = App::with_owner().await;
    let replica = owner.at(&app.another_replica().await);
    let [a, b, c, d, e] = STEPS.map(|step| json!({step: true}));
    let answers: [_; 5] = tokio::join!(
        owner.patch(PATH, a),
        replica.patch(PATH, b),
        owner.patch(PATH, c),
        replica.patch(PATH, d),
        owner.patch(PATH, e),
    )
    .into();
    let completed = answers
        .iter()
        .filter(|answer| answer.expect_status(200).body["completed"] == true)
        .count();
    assert_eq!(completed, 1, "the last one completes it");
    let state = owner.get(PATH).await;
    for field in STEPS.iter().chain(&["completed"]) {
        assert_eq!(state.body[field], true, "{field}");
    }
}

#[tokio::test]
async fn every_member_sees_and_marks_the_steps_of_their_organization_alone() {
    let (app, owner) = App::with_owner().await;
    let stranger = app.signup("stranger").await;
    let viewer = app.member(&owner, "viewer").await;
    let entries = trail::length(&app, &owner).await;
    let answer = viewer.patch(PATH, json!({"tour_completed": true})).await;
    answer.expect_status(200);
    assert_eq!(owner.get(PATH).await.body["tour_completed"], true);
    stranger.get(PATH).await.expect(200, untouched(&stranger));
    assert_eq!(
        trail::length(&app, &owner).await,
        entries,
        "steps are not audited"
    );
}
