//! Sets that are applied at a time, by the right that whoever asked for it has then.

use std::time::Duration;

use harness::{Response, Setup, eventually};
use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::{are_on, both_on, draft, step, with_flags};

fn at(setup: &Setup, minutes: i64) -> String {
    let time = setup.app.clock.now() + time::Duration::minutes(minutes);
    time.format(&Rfc3339).unwrap()
}

/// The set, once it is no longer scheduled.
async fn settled(setup: &Setup, set: &str) -> Response {
    eventually("the set is decided", async || {
        let found = setup.owner.get(set).await;
        (found.body["status"] != "scheduled").then_some(found)
    })
    .await
}

#[tokio::test]
async fn a_scheduled_set_is_applied_at_its_time() {
    let setup = with_flags().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    let time = at(&setup, 10);
    let scheduled = step(owner, &set, "apply", json!({"at": time})).await;
    scheduled.expect_status(200);
    assert_eq!(scheduled.body["status"], "scheduled");
    assert_eq!(scheduled.body["apply_at"], json!(time));
    assert_eq!(scheduled.body["scheduled_by"], json!(owner.id));
    assert_eq!(are_on(&setup, "dev").await, [false, false]);
    app.clock.advance(Duration::from_secs(601));
    let applied = settled(&setup, &set).await;
    assert_eq!(applied.body["status"], "applied");
    assert_eq!(applied.body["applied_by"], json!(owner.id));
    assert_eq!(are_on(&setup, "dev").await, [true, true]);
}

#[tokio::test]
async fn a_scheduled_set_can_be_reopened_or_applied_before() {
    let setup = with_flags().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    step(owner, &set, "apply", json!({"at": at(&setup, 10)}))
        .await
        .expect_status(200);
    let reopened = step(owner, &set, "reopen", Value::Null).await;
    assert_eq!(reopened.body["apply_at"], Value::Null);
    app.clock.advance(Duration::from_secs(601));
    step(owner, &set, "apply", json!({"at": at(&setup, 10)}))
        .await
        .expect_status(200);
    assert_eq!(are_on(&setup, "dev").await, [false, false]);
    step(owner, &set, "apply", json!({}))
        .await
        .expect_status(200);
    assert_eq!(are_on(&setup, "dev").await, [true, true]);
}

#[tokio::test]
async fn what_the_scheduler_may_no_longer_do_fails_and_says_why() {
    let setup = with_flags().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let developer = app.member(owner, "developer").await;
    let gone = app.member(owner, "developer").await;
    let mut sets = Vec::new();
    for (member, changes) in [
        (&developer, both_on(&["dev"])),
        (&gone, both_on(&["production"])),
    ] {
        let set = draft(member, &project.id, changes).await;
        step(member, &set, "apply", json!({"at": at(&setup, 10)}))
            .await
            .expect_status(200);
        sets.push(set);
    }
    let member = owner.member_id_of(&developer.email).await;
    owner
        .put(&format!("/v1/members/{member}"), json!({"role": "viewer"}))
        .await
        .expect_status(204);
    let member = owner.member_id_of(&gone.email).await;
    owner.remove(&format!("/v1/members/{member}")).await;
    app.clock.advance(Duration::from_secs(601));
    for (set, words) in [
        (
            &sets[0],
            "the change has states of environments where you may not change flags",
        ),
        (
            &sets[1],
            "whoever scheduled it is no longer a member of the organization",
        ),
    ] {
        let failed = settled(&setup, set).await;
        assert_eq!(failed.body["status"], "failed");
        assert_eq!(failed.body["failure"], words);
    }
    assert_eq!(are_on(&setup, "dev").await, [false, false]);
    assert_eq!(are_on(&setup, "production").await, [false, false]);
}

#[tokio::test]
async fn what_has_changed_until_then_is_not_overwritten() {
    let setup = with_flags().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let changes = json!({"flags": [{"key": "checkout", "name": "Later"}]});
    let set = draft(owner, &project.id, changes).await;
    step(owner, &set, "apply", json!({"at": at(&setup, 10)}))
        .await
        .expect_status(200);
    owner
        .change(
            &format!("{}/checkout", setup.flags()),
            json!({"name": "Sooner"}),
        )
        .await;
    app.clock.advance(Duration::from_secs(601));
    let failed = settled(&setup, &set).await;
    let words = failed.text("/failure");
    assert!(
        words.starts_with("what the change set changes has changed since"),
        "{words}"
    );
    step(owner, &set, "reopen", Value::Null)
        .await
        .expect_status(200);
}

#[tokio::test]
async fn times_that_make_no_sense_are_400_and_access_tokens_403() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    for (time, words) in [
        (
            json!("soon"),
            "at must be a time such as 2026-01-02T15:04:05Z",
        ),
        (json!(at(&setup, 0)), "at must be in the future"),
        (
            json!(at(&setup, 60 * 24 * 367)),
            "at must be at most a year ahead",
        ),
    ] {
        step(owner, &set, "apply", json!({"at": time}))
            .await
            .expect_error(400, words);
    }
    let token = owner
        .create("/v1/me/tokens", json!({"name": "deploy"}))
        .await;
    let by_token = owner.with_token(&token.text("/token"));
    let refused = step(&by_token, &set, "apply", json!({"at": at(&setup, 10)})).await;
    refused.expect_error(
        403,
        "an access token schedules nothing: apply the change set when it is time",
    );
    step(&by_token, &set, "apply", json!({}))
        .await
        .expect_status(200);
}

#[tokio::test]
async fn nobody_schedules_over_what_has_changed_since_the_draft() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let changes = json!({"flags": [{"key": "checkout", "name": "Later"}]});
    let set = draft(owner, &project.id, changes).await;
    let flag = format!("{}/checkout", setup.flags());
    owner.change(&flag, json!({"name": "Sooner"})).await;
    let version = owner.get(&format!("{set}/diff")).await.body["version"].clone();
    let body = json!({"at": at(&setup, 10), "seen_version": version});
    let refused = step(owner, &set, "apply", body).await;
    refused.expect_status(409);
    assert_eq!(refused.body["conflicts"][0]["field"], "name");
    step(owner, &set, "apply", json!({"seen_version": version}))
        .await
        .expect_status(200);
}

#[tokio::test]
async fn a_scheduled_set_waits_for_the_place_of_its_organization_and_not_for_those_of_others() {
    let setup = with_flags().await;
    let Setup { app, owner, .. } = &setup;
    let shop = owner
        .create("/v1/projects", json!({"name": "Shop"}))
        .await
        .text("/id");
    let stranger = app.signup("rival").await;
    let theirs = stranger.default_project().await.id;
    let new = json!({"flags": [{"key": "new", "name": "New"}]});
    let mut sets = Vec::new();
    for (caller, project_id) in [(owner, &shop), (&stranger, &theirs)] {
        let set = draft(caller, project_id, new.clone()).await;
        step(caller, &set, "apply", json!({"at": at(&setup, 10)}))
            .await
            .expect_status(200);
        sets.push(set);
    }
    // A change of the whole other project has the place, and waits for its lock.
    let mut holder = app.pool().begin().await.unwrap();
    setup.lock_project(&mut holder).await;
    let writing = {
        let (owner, content) = (
            owner.clone(),
            format!("/v1/projects/{}/content", setup.project.id),
        );
        tokio::spawn(async move { owner.post(&content, new).await })
    };
    app.until_waiting_for_locks(1).await;
    app.clock.advance(Duration::from_secs(601));
    // Any change wakes the job, which would look after some seconds.
    let flags = format!("/v1/projects/{theirs}/flags");
    stranger
        .create(&flags, json!({"key": "waker", "name": "Waker"}))
        .await;
    eventually("the set of others is applied", async || {
        let found = stranger.get(&sets[1]).await;
        (found.body["status"] == "applied").then_some(())
    })
    .await;
    assert_eq!(owner.get(&sets[0]).await.body["status"], "scheduled");
    holder.rollback().await.unwrap();
    writing.await.unwrap().expect_status(200);
    let applied = settled(&setup, &sets[0]).await;
    assert_eq!(applied.body["status"], "applied");
}
