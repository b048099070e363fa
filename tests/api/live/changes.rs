//! What a stream tells, and whom.

use harness::App;
use serde_json::{Value, json};

use super::{EVENTS, Setup, assert_change, fields, follow, told};

#[tokio::test]
async fn a_stream_begins_with_where_it_is() {
    let setup = Setup::with(&[("SSE_RETRY", "3s")]).await;
    let mut stream = setup.owner.stream(EVENTS).await;
    assert_eq!(stream.status, 200);
    let header = |name: &str| stream.headers[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "text/event-stream");
    assert_eq!(header("cache-control"), "no-store");
    assert_eq!(header("x-accel-buffering"), "no");
    let connected = told(&mut stream).await.unwrap();
    assert_eq!(connected.name, "connected");
    let position = connected.id.clone().unwrap();
    assert_eq!(
        connected.data,
        json!({"org_id": setup.owner.org_id, "position": position})
    );
    assert_eq!(stream.retry, Some(3_000));
}

#[tokio::test]
async fn a_change_is_told_with_names_and_no_values() {
    let setup = Setup::new().await;
    let (mut stream, position) = follow(&setup.owner).await;
    let flag_id = setup.flag("checkout").await;
    let created = told(&mut stream).await.unwrap();
    assert_change(&created, "flag.created", &flag_id);
    let at = created.data["at"].clone();
    assert_eq!(
        created.data,
        json!({
            "action": "flag.created", "resource_type": "flag", "resource_id": flag_id, "project_id": setup.project.id,
            "env_id": null, "actor_id": setup.owner.id, "version": 1, "at": at,
        })
    );
    assert_ne!(created.id, Some(position));

    let path = format!(
        "/v1/projects/{}/flags/checkout/environments/{}",
        setup.project.id, setup.project.dev
    );
    setup.owner.change(&path, json!({"enabled": true})).await;
    let updated = told(&mut stream).await.unwrap();
    assert_change(&updated, "flag.state_updated", &flag_id);
    assert_eq!(updated.data["env_id"], Value::from(&*setup.project.dev));
    assert_eq!(fields(&updated.data), fields(&created.data));
    assert_eq!(updated.data["version"], 2);
    let path = format!("/v1/projects/{}/flags/checkout/history", setup.project.id);
    let history = setup.owner.get(&path).await;
    assert_eq!(history.body["data"][0]["version"], 2, "that of the history");

    // The state elsewhere, and the flag itself, have their own.
    let path = format!("/v1/projects/{}/flags/checkout", setup.project.id);
    setup.owner.change(&path, json!({"name": "Checkout"})).await;
    let renamed = told(&mut stream).await.unwrap();
    assert_change(&renamed, "flag.updated", &flag_id);
    assert_eq!(renamed.data["version"], 3);
    let archive = format!("{path}/archive");
    let archived = setup.owner.post(&archive, Value::Null).await;
    archived.expect_status(204);
    let archived = told(&mut stream).await.unwrap();
    assert_change(&archived, "flag.archived", &flag_id);
    setup.owner.remove(&path).await;
    let deleted = told(&mut stream).await.unwrap();
    assert_change(&deleted, "flag.deleted", &flag_id);
    assert_eq!(deleted.data["version"], 5, "the history goes on without it");
}

#[tokio::test]
async fn what_happens_without_a_new_version_is_told_too() {
    let setup = Setup::new().await;
    let (mut stream, _) = follow(&setup.owner).await;
    let body = json!({"email": "new@acme.test", "role": "viewer"});
    let invited = setup.owner.create("/v1/members/invite", body).await;
    let event = told(&mut stream).await.unwrap();
    assert_change(&event, "member.invited", &invited.text("/id"));
    assert_eq!(event.data["version"], Value::Null);
}

#[tokio::test]
async fn what_a_change_of_another_replica_does_is_told() {
    let setup = Setup::new().await;
    let elsewhere = setup.owner.at(&setup.app.another_replica().await);
    let (mut stream, _) = follow(&elsewhere).await;
    let flag_id = setup.flag("checkout").await;
    let created = told(&mut stream).await.unwrap();
    assert_change(&created, "flag.created", &flag_id);
}

#[tokio::test]
async fn another_organization_hears_nothing() {
    let setup = Setup::new().await;
    let stranger = setup.app.signup("stranger").await;
    let (mut theirs, _) = follow(&stranger).await;
    let (mut ours, _) = follow(&setup.owner).await;
    let flag_id = setup.flag("checkout").await;
    assert_change(&told(&mut ours).await.unwrap(), "flag.created", &flag_id);
    let project = stranger
        .create("/v1/projects", json!({"name": "Theirs"}))
        .await;
    let first = told(&mut theirs).await.unwrap();
    assert_change(&first, "project.created", &project.text("/id"));
}

#[tokio::test]
async fn what_a_role_may_not_read_is_not_told() {
    let setup = Setup::new().await;
    setup.owner.prove_address(setup.app.pool()).await;
    let viewer = setup.app.member(&setup.owner, "viewer").await;
    let (mut stream, _) = follow(&viewer).await;
    let webhook = json!({"name": "A webhook", "url": "https://192.0.2.1"});
    setup.owner.create("/v1/webhooks", webhook).await;
    let flag_id = setup.flag("checkout").await;
    assert_change(&told(&mut stream).await.unwrap(), "flag.created", &flag_id);
}

#[tokio::test]
async fn what_a_custom_role_may_not_read_is_not_told() {
    let setup = Setup::new().await;
    setup.app.set_plan(&setup.owner, "enterprise").await;
    let developer = setup.app.member(&setup.owner, "developer").await;
    let keys = ["segments.read"];
    setup.app.hold_to(&setup.owner, &developer, &keys).await;
    let (mut stream, _) = follow(&developer).await;
    setup.flag("checkout").await;
    let path = format!("/v1/projects/{}/segments", setup.project.id);
    let body = json!({"key": "beta", "name": "Beta", "rules": []});
    let segment = setup.owner.create(&path, body).await;
    let event = told(&mut stream).await.unwrap();
    assert_change(&event, "segment.created", &segment.text("/id"));
}

#[tokio::test]
async fn the_twenty_first_stream_of_a_user_is_429() {
    let setup = Setup::new().await;
    let mut streams = Vec::new();
    for _ in 0..20 {
        streams.push(follow(&setup.owner).await);
    }
    let refused = setup.owner.get(EVENTS).await;
    refused.expect_error(429, "too many open streams");
    assert_eq!(refused.header("retry-after"), "5");
    // Others have their own.
    let admin = setup.app.member(&setup.owner, "admin").await;
    follow(&admin).await;
    // One that ends makes room.
    streams.pop();
    harness::eventually("there is room for another", async || {
        let stream = setup.owner.stream(EVENTS).await;
        (stream.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_quiet_stream_gives_signs_of_life() {
    let setup = Setup::with(&[("SSE_HEARTBEAT", "1s")]).await;
    let (mut stream, _) = follow(&setup.owner).await;
    stream.heartbeat().await;
}

#[tokio::test]
async fn events_need_a_token() {
    let app = App::start().await;
    let refused = app.anonymous().get(EVENTS).await;
    refused.expect_error(401, "missing authorization header");
}
