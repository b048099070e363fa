//! The leader freezes, others take over, and it goes on.

use std::time::{Duration, Instant};

use harness::{Caller, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Fleet, connected, leader, tell};
use crate::scene::{eventually_serves, question};

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_that_was_frozen_does_nothing_twice_and_lets_in_none_whose_right_ended() {
    let fleet = Fleet::start().await;
    let (urls, owner) = (fleet.urls(), &fleet.scene.owner);
    assert_eq!(leader(&fleet.admins()).await, 0);
    // The one that will freeze knows all of them.
    let signed_out = owner.sign_in_again().await;
    let removed = owner
        .member(&connected(&fleet.database).await, "developer")
        .await;
    let member = owner.member_id_of(&removed.email).await;
    let keys = format!("/v1/environments/{}/api-keys", fleet.scene.env);
    let key = owner
        .create(&keys, json!({"name": "second", "type": "server"}))
        .await;
    let built_in = owner.at(&urls[0]).with_key(&key.text("/key"));
    eventually_serves(&built_in, "v0").await;
    for user in [&signed_out, &removed] {
        user.get("/v1/projects").await.expect_status(200);
    }
    let writer = fleet.write();
    writer.goes_on(10).await;

    fleet.scene.stack.control.suspend();
    let frozen = Instant::now();
    let next = 1 + leader(&fleet.admins()[1..]).await;
    assert!(tell("another one led", frozen) < Duration::from_secs(15));
    let elsewhere = owner.at(&urls[next]);
    signed_out
        .at(&urls[next])
        .act("/v1/auth/logout", Value::Null)
        .await;
    elsewhere.remove(&format!("/v1/members/{member}")).await;
    elsewhere
        .remove(&format!("/v1/api-keys/{}", key.text("/id")))
        .await;
    fleet.serves_anew(&urls[next], "v1").await;
    tell("the edge had moved", frozen);

    // They wait at the frozen one, whose first answers these will be.
    let flags = format!("/v1/projects/{}/flags", fleet.scene.project);
    let flag = json!({"key": "stale", "name": "Stale"});
    let waiting = [
        signed_out.request(Method::GET, "/v1/projects"),
        removed.request(Method::POST, &flags).json(&flag),
    ]
    .map(|request| tokio::spawn(answered(owner.without_credentials(), request)));
    let due = fleet.schedule(&urls[next], "scheduled_disable_at").await;
    fleet.takes_effect(&urls[next], due, "off").await;

    fleet.scene.stack.control.resume();
    for answer in waiting {
        let (status, body) = answer.await.unwrap();
        assert_eq!(status, 401, "{body}");
    }
    // Edges serve what they hold until they learn better, and so does the one built in.
    let resumed = Instant::now();
    eventually("the revoked key is refused", async || {
        (built_in.post("/v1/evaluate", question()).await.status == 401).then_some(())
    })
    .await;
    assert!(tell("the revoked key was refused", resumed) < Duration::from_secs(5));
    assert_eq!(leader(&fleet.admins()).await, next);
    fleet.told_once(1).await;
    fleet.serves_anew(&urls[0], "v2").await;
    writer.goes_on(10).await;
    let written = writer.stop().await;
    assert!(written.failed.is_empty(), "{:?}", written.failed);
    fleet.keeps(&written).await;
}

async fn answered(caller: Caller, request: reqwest::RequestBuilder) -> (u16, Value) {
    let answer = caller.send(request).await;
    (answer.status, answer.body)
}
