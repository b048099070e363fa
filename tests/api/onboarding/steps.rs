//! Steps that tick themselves.

use std::time::Duration;

use base::ids::{OrgId, ProjectId};
use domain::{
    events::Actor,
    flags::{edit, input::NewFlag},
    unit::Unit,
};
use harness::{App, Caller, User, eventually};
use serde_json::{Value, json};

use super::{PATH, STEPS, untouched};

/// On a machine that is busy with other tests an edge may need longer than the default to report.
const PATIENT: (&str, &str) = ("USAGE_FLUSH_WAIT", "10s");

async fn steps(user: &User) -> Value {
    user.get(PATH).await.expect_status(200).body.clone()
}

async fn create_flag(owner: &User, project: &str, key: &str) -> u16 {
    let body = json!({"key": key, "name": "F", "flag_type": "boolean"});
    let path = format!("/v1/projects/{project}/flags");
    owner.post(&path, body).await.status
}

async fn evaluate(sdk: &Caller, key: &str) {
    let body = json!({"flag_key": key, "context": {"key": "user-1"}});
    sdk.act("/v1/evaluate", body).await;
}

/// Waits until the edge has reported and a step is as expected.
async fn until(owner: &User, step: &str, is_done: bool) {
    eventually("the step is as expected", async || {
        let reported = owner.get("/v1/metrics/evaluations").await;
        reported.expect_status(200);
        (steps(owner).await[step] == is_done).then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_first_flag_ticks_with_its_creation() {
    let (app, owner) = App::with_owner().await;
    let project = owner.default_project().await.id;
    app.clock.advance(Duration::from_secs(1));
    assert_eq!(create_flag(&owner, &project, "not a key").await, 400);
    assert_eq!(steps(&owner).await, untouched(&owner));

    assert_eq!(create_flag(&owner, &project, "a").await, 201);
    let mut expected = untouched(&owner);
    expected["first_flag_created"] = true.into();
    expected["updated_at"] = "2026-05-04T12:00:01Z".into();
    assert_eq!(steps(&owner).await, expected);

    // Once it is done, nothing more happens, and nothing is undone either.
    app.clock.advance(Duration::from_secs(1));
    assert_eq!(create_flag(&owner, &project, "a").await, 409);
    assert_eq!(create_flag(&owner, &project, "b").await, 201);
    for key in ["a", "b"] {
        let path = format!("/v1/projects/{project}/flags/{key}");
        owner.remove(&path).await;
    }
    assert_eq!(steps(&owner).await, expected);
    let stranger = app.signup("stranger").await;
    assert_eq!(steps(&stranger).await["first_flag_created"], false);
}

#[tokio::test]
async fn a_flag_that_was_not_committed_ticks_nothing() {
    let (app, owner) = App::with_owner().await;
    let project = ProjectId::parse(&owner.default_project().await.id).unwrap();
    let org_id = OrgId::parse(&owner.org_id).unwrap();
    for is_committed in [false, true] {
        let now = app.clock.now();
        let new: NewFlag = serde_json::from_value(json!({"key": "a", "name": "A"})).unwrap();
        let unit = Unit::begin(app.db(), org_id, Actor::System, now);
        let mut unit = unit.await.unwrap();
        let locked = unit.lock_project(&app.clock, project).await.unwrap();
        let flag = new.check(now).unwrap();
        let made = edit::create(&mut locked.unwrap(), flag).await.unwrap();
        if is_committed {
            assert!(unit.commit(made).await.unwrap().change.is_some());
        } else {
            drop(unit);
        }
        assert_eq!(steps(&owner).await["first_flag_created"], is_committed);
    }
}

#[tokio::test]
async fn a_key_that_is_used_and_a_flag_that_is_evaluated_tick() {
    let (app, owner) = App::with_owner_and(&[PATIENT]).await;
    let stranger = app.signup("stranger").await;
    let project = owner.default_project().await;
    let sdk = app.anonymous().with_key(&owner.api_key(&project.dev).await);

    // A key that no flag has is asked for: that is an SDK, and no evaluation of a flag.
    app.clock.advance(Duration::from_secs(1));
    evaluate(&sdk, "nowhere").await;
    until(&owner, "first_sdk_connected", true).await;
    let mut expected = untouched(&owner);
    expected["first_sdk_connected"] = true.into();
    expected["updated_at"] = "2026-05-04T12:00:01Z".into();
    assert_eq!(steps(&owner).await, expected);

    assert_eq!(create_flag(&owner, &project.id, "a").await, 201);
    app.clock.advance(Duration::from_secs(1));
    eventually("the edge serves the flag", async || {
        evaluate(&sdk, "a").await;
        let counted = owner.get("/v1/metrics/evaluations").await;
        let counters = counted.body["counters"].as_array().unwrap();
        let is_served = |counter: &Value| counter["reason"] == "DISABLED";
        counters.iter().any(is_served).then_some(())
    })
    .await;
    until(&owner, "first_evaluation", true).await;
    expected["first_flag_created"] = true.into();
    expected["first_evaluation"] = true.into();
    expected["updated_at"] = "2026-05-04T12:00:02Z".into();
    assert_eq!(steps(&owner).await, expected);

    // It is known for good: later reports write nothing.
    app.clock.advance(Duration::from_secs(120));
    evaluate(&sdk, "a").await;
    until(&owner, "first_evaluation", true).await;
    assert_eq!(steps(&owner).await, expected);
    assert_eq!(steps(&stranger).await, untouched(&stranger));
}

#[tokio::test]
async fn a_step_that_was_taken_back_waits_for_somebody_to_mark_it() {
    let (app, owner) = App::with_owner_and(&[PATIENT]).await;
    let project = owner.default_project().await;
    let taken = json!({"first_flag_created": false, "first_sdk_connected": false, "first_evaluation": false});
    owner.patch(PATH, taken).await.expect_status(200);
    assert_eq!(create_flag(&owner, &project.id, "a").await, 201);
    let sdk = app.anonymous().with_key(&owner.api_key(&project.dev).await);
    eventually("the edge has reported", async || {
        evaluate(&sdk, "a").await;
        let counted = owner.get("/v1/metrics/evaluations").await;
        (counted.body["total_evaluations"] != 0).then_some(())
    })
    .await;
    assert_eq!(steps(&owner).await, untouched(&owner));

    let marked = json!({"first_flag_created": true});
    owner.patch(PATH, marked).await.expect_status(200);
    let now = steps(&owner).await;
    assert_eq!(now["first_flag_created"], true);
    assert_eq!(now["first_evaluation"], false);
}

#[tokio::test]
async fn the_last_step_completes_it_also_when_it_ticks_itself() {
    let (app, owner) = App::with_owner().await;
    let project = owner.default_project().await.id;
    for step in STEPS.iter().filter(|step| **step != "first_flag_created") {
        let marked = owner.patch(PATH, json!({*step: true})).await;
        assert_eq!(marked.expect_status(200).body["completed"], false);
    }
    app.clock.advance(Duration::from_secs(1));
    assert_eq!(create_flag(&owner, &project, "a").await, 201);
    let now = steps(&owner).await;
    assert_eq!(now["completed"], true);
    assert_eq!(now["completed_at"], "2026-05-04T12:00:01Z");
}

#[tokio::test]
async fn first_flags_at_the_same_time_beside_marks_by_hand_all_survive() {
    let (app, owner) = App::with_owner().await;
    let replica = owner.at(&app.another_replica().await);
    let project = owner.default_project().await.id;
    let other = owner.post("/v1/projects", json!({"name": "Other"})).await;
    let other = other.text("/id");
    let (one, two, marked) = tokio::join!(
        create_flag(&owner, &project, "a"),
        create_flag(&owner, &other, "a"),
        replica.patch(PATH, json!({"tour_completed": true})),
    );
    assert_eq!((one, two, marked.status), (201, 201, 200));
    let now = steps(&owner).await;
    assert_eq!(now["first_flag_created"], true);
    assert_eq!(now["tour_completed"], true);
}

#[tokio::test]
async fn a_flag_that_is_not_the_first_waits_for_nobody_who_marks_steps() {
    let (app, owner) = App::with_owner().await;
    let project = owner.default_project().await.id;
    assert_eq!(create_flag(&owner, &project, "a").await, 201);
    let mut held = app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM onboarding WHERE org_id = $1::uuid FOR UPDATE")
        .bind(&owner.org_id)
        .execute(&mut *held)
        .await
        .unwrap();
    assert_eq!(create_flag(&owner, &project, "b").await, 201);
    held.rollback().await.unwrap();
}
