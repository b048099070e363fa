//! Rows that one release wrote, in the hands of the other.

use std::collections::BTreeMap;

use harness::{
    Caller, Receiver, documented, eventually,
    places::Release::{Current, Previous},
};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{Mixed, is_left_out, metric};
use crate::scene::FLAG;

#[tokio::test(flavor = "multi_thread")]
async fn the_previous_release_reads_what_this_one_wrote() {
    if is_left_out() {
        return;
    }
    let mixed = Mixed::start(&[]).await;
    let places = write_all(&mixed).await;
    let (old, new) = (mixed.owner_at(Previous), mixed.owner_at(Current));
    let mut read = 0;
    for operation in documented::operations() {
        let path = filled(&operation.path, &places);
        if operation.method != "GET"
            || operation.is_outside_management()
            || path.contains('{')
            || path == "/v1/events"
        {
            continue;
        }
        let now = new.get(&path).await.status;
        let before = old.get(&path).await.status;
        assert!(now < 500, "{path}: {now}");
        // What is not found is new.
        assert!(
            [now, 404, 405].contains(&before),
            "{path}: {now}, at the previous release {before}"
        );
        read += u32::from(before == 200);
    }
    assert!(read > 30, "{read} pages were read");

    // Sessions go on too.
    let email = &mixed.scene.owner.email;
    let login = json!({"email": email, "password": harness::user::PASSWORD});
    let session = new.without_credentials().act("/v1/auth/login", login).await;
    let token = session.text("/tokens/access_token");
    old.with_token(&token)
        .get("/v1/me")
        .await
        .expect_status(200);
    let refresh = json!({"refresh_token": session.text("/tokens/refresh_token")});
    let refreshed = old
        .without_credentials()
        .act("/v1/auth/refresh", refresh)
        .await;
    let token = refreshed.text("/access_token");
    new.with_token(&token)
        .get("/v1/me")
        .await
        .expect_status(200);
    for admin in [mixed.control.admin(), mixed.scene.stack.admin()] {
        assert_eq!(metric(&admin, "halyard_job_failures_total").await, 0.0);
    }
}

/// Writes what the previous release knows nothing of, and gives what paths name.
async fn write_all(mixed: &Mixed) -> BTreeMap<&'static str, String> {
    let scene = &mixed.scene;
    let owner = mixed.owner_at(Current);
    let org = ["org", "set-plan", &scene.owner.org_id, "enterprise"];
    let _printed = scene.stack.halyard(&org);
    let pool = PgPool::connect(scene.stack.database().url()).await.unwrap();
    scene.owner.prove_address(&pool).await;
    let project = format!("/v1/projects/{}", scene.project);
    let staging = scene.owner.default_project().await.staging;

    let flag = json!({"key": "gone", "name": "Gone"});
    owner
        .create(&format!("{project}/flags?comment=why"), flag)
        .await;
    let archived = owner
        .post(&format!("{project}/flags/gone/archive"), Value::Null)
        .await;
    archived.expect_status(204);
    let member = scene.owner.member_id().await;
    let flag_path = format!("{project}/flags/{FLAG}");
    let flag = owner
        .change(&flag_path, json!({"owner_id": member, "permanent": true}))
        .await;
    let rule = json!({"attribute": "country", "operator": "in", "values": ["NL"]});
    let segment = json!({"key": "beta", "name": "Beta", "match_type": "all", "rules": [rule]});
    owner.create(&format!("{project}/segments"), segment).await;
    let webhook = json!({"name": "Chat", "url": "http://127.0.0.1:9/", "format": "slack", "events": ["segment.*"]});
    let webhook = owner.create("/v1/webhooks", webhook).await;
    let role = json!({"name": "Releases", "permissions": ["flags.read", "flags.toggle"]});
    let role = owner.create("/v1/roles", role).await;

    let environment = json!({"protected": true, "required_approvals": 2});
    owner
        .change(&format!("{project}/environments/{staging}"), environment)
        .await;
    let mut approvals = Vec::new();
    for _ in 0..2 {
        let request = json!({"change_type": "enable", "env_id": staging, "flag_id": flag.text("/id"),
                             "payload": {"enabled": true}, "note": "please"});
        let approval = owner.create("/v1/approvals", request).await;
        approvals.push(approval.text("/id"));
    }
    let comment = json!({"text": "hm"});
    owner
        .create(&format!("/v1/approvals/{}/comments", approvals[0]), comment)
        .await;
    owner
        .act(
            &format!("/v1/approvals/{}/withdraw", approvals[0]),
            json!({}),
        )
        .await;
    for (path, name) in [("/v1/me", "Ada"), ("/v1/organization", "Engines")] {
        let renamed = owner.patch(path, json!({"name": name})).await;
        renamed.expect_status(200);
    }
    BTreeMap::from([
        ("{projectID}", scene.project.clone()),
        ("{envID}", staging),
        ("{flagKey}", FLAG.to_owned()),
        ("{segmentKey}", "beta".to_owned()),
        ("{memberID}", member),
        ("{approvalID}", approvals[0].clone()),
        ("{webhookID}", webhook.text("/id")),
        ("{roleID}", role.text("/id")),
        ("{version}", "1".to_owned()),
    ])
}

fn filled(path: &str, places: &BTreeMap<&str, String>) -> String {
    let mut path = path.to_owned();
    for (name, value) in places {
        path = path.replace(name, value);
    }
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn webhooks_are_delivered_once_by_whichever_release_is_there() {
    if is_left_out() {
        return;
    }
    let mut mixed = Mixed::start(&[]).await;
    let pool = PgPool::connect(mixed.scene.stack.database().url())
        .await
        .unwrap();
    mixed.scene.owner.prove_address(&pool).await;
    let receiver = Receiver::start();
    let (old, new) = (mixed.owner_at(Previous), mixed.owner_at(Current));
    let webhook = json!({"name": "All", "url": receiver.url("/"), "secret": "s3cret"});
    old.create("/v1/webhooks", webhook).await;

    // Deliveries begin a second after the event: nothing was sent by the one that is killed.
    let project = format!("/v1/projects/{}", mixed.scene.project);
    write(&new, &project, "by-new").await;
    mixed.control.process.kill();
    let received = receiver.until(2).await;
    assert_eq!(types(&received), ["flag.created", "segment.created"]);

    mixed.control.process.start().await;
    let flag = json!({"key": "by-old", "name": "A flag"});
    old.create(&format!("{project}/flags"), flag).await;
    mixed.scene.stack.control.kill();
    let received = receiver.until(3).await;
    write(&new, &project, "by-new-again").await;
    let all = receiver.until(5).await;
    assert_eq!(received[2].json()["type"], "flag.created");
    assert_eq!(all[3].json()["flag_key"], "by-new-again");
    assert!(all.iter().all(|one| one.is_signed_with("s3cret")));
    eventually("nothing waits", async || {
        let waiting =
            "SELECT (SELECT COUNT(*) FROM webhook_events) + (SELECT COUNT(*) FROM webhook_queue)";
        let waiting: i64 = sqlx::query_scalar(waiting).fetch_one(&pool).await.unwrap();
        (waiting == 0).then_some(())
    })
    .await;
    assert_eq!(receiver.received().len(), 5);
}

/// A flag, and a segment, whose events the previous release does not know.
async fn write(owner: &Caller, project: &str, key: &str) {
    let flag = json!({"key": key, "name": "A flag"});
    owner.create(&format!("{project}/flags"), flag).await;
    let segment = json!({"key": key, "name": "A segment", "match_type": "all", "rules": []});
    owner.create(&format!("{project}/segments"), segment).await;
}

fn types(received: &[harness::Received]) -> Vec<String> {
    let of_each = received
        .iter()
        .map(|one| one.header("x-webhook-event").to_owned());
    of_each.collect()
}
