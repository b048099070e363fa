//! The last changes, and after how long each edge served them.

use harness::user::DefaultProject;
use harness::{App, User, eventually};
use serde_json::{Value, json};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::{flag, switch, waves};
use crate::publish::replica::{Manual, Replica};

async fn kill(owner: &User, project: &DefaultProject, key: &str) -> u64 {
    let path = format!("/v1/projects/{}/flags/{key}/kill", project.id);
    let killed = owner.post(&path, json!({"env_id": project.dev})).await;
    killed.expect_status(200);
    killed.header("x-snapshot-version").parse().unwrap()
}

/// What edges said of a version, in words that events and the list share.
fn times(wave: &Value) -> Vec<(String, u64)> {
    let edges = wave["acknowledged"].as_array().unwrap().iter();
    let mut times: Vec<_> = edges
        .map(|edge| {
            let name = edge["edge"].as_str().unwrap().to_owned();
            (name, edge["after_ms"].as_u64().unwrap())
        })
        .collect();
    times.sort();
    times
}

#[tokio::test]
async fn the_wave_of_a_kill_is_listed_with_the_times_that_the_stream_told() {
    let (app, owner, project) = App::with_project().await;
    let (other, third) = (app.another_publisher(), app.another_publisher());
    let _edges = [Replica::follow(&other), Replica::follow(&third)];
    flag(&owner, &project, "checkout").await;
    let mut stream = owner.stream("/v1/events").await;
    // Until the replicas have noticed each other there is one edge.
    let told = loop {
        switch(&owner, &project, "checkout", true).await;
        let version = kill(&owner, &project, "checkout").await;
        let last = loop {
            let wave = stream.next_named("wave").await.data;
            let is_meant = wave["version"] == version && wave["env_id"] == *project.dev;
            if is_meant && wave["lagging"] == json!([]) {
                break wave;
            }
        };
        if times(&last).len() == 3 {
            break last;
        }
    };
    let query = format!("?env_id={}&limit=100", project.dev);
    let wave = eventually("the wave is recorded", || async {
        let recorded = waves(&owner, &query).await;
        let mut recorded = recorded.into_iter();
        recorded.find(|wave| wave["version"] == told["version"] && times(wave).len() == 3)
    })
    .await;
    assert_eq!(times(&wave), times(&told));
    assert!(wave["bytes"].as_u64().unwrap() > 20);
    assert!(wave["published_ms"].is_u64());
    for edge in wave["acknowledged"].as_array().unwrap() {
        assert_eq!(edge["region"], Value::Null);
    }
    let mut shown = wave.clone();
    for volatile in [
        "acknowledged",
        "bytes",
        "committed_at",
        "published_ms",
        "resource_id",
    ] {
        assert!(!shown[volatile].take().is_null(), "{volatile}");
    }
    assert_eq!(
        shown,
        json!({
            "env_id": project.dev, "version": told["version"], "priority": true, "killed": true,
            "action": "flag.killed", "resource_type": "flag", "resource_id": null, "resource_key": "checkout",
            "project_id": project.id, "actor_id": owner.id, "committed_at": null, "published_ms": null,
            "bytes": null, "acknowledged": null, "lagging": [],
        })
    );
}

#[tokio::test]
async fn an_edge_that_does_not_serve_a_change_is_named() {
    let (app, owner) = App::with_owner_and(&[("EDGES_WAIT", "300ms")]).await;
    let project = owner.default_project().await;
    flag(&owner, &project, "checkout").await;
    let other = app.another_publisher();
    let mut slow = Manual::holding_all(&other, 3).await;
    let query = format!("?env_id={}&limit=1", project.dev);
    let push = loop {
        switch(&owner, &project, "checkout", false).await;
        let push = slow.receive().await;
        let newest = waves(&owner, &query).await.remove(0);
        if newest["lagging"].as_array().unwrap().len() == 1 {
            break push;
        }
        slow.apply(push);
        switch(&owner, &project, "checkout", true).await;
        let push = slow.receive().await;
        slow.apply(push);
    };
    slow.apply(push);
    eventually("it serves it", || async {
        let newest = waves(&owner, &query).await.remove(0);
        (newest["lagging"] == json!([]) && times(&newest).len() == 2).then_some(())
    })
    .await;
}

#[tokio::test]
async fn all_environments_of_the_organization_are_listed_and_none_of_others() {
    let (app, owner, project) = App::with_project().await;
    let stranger = app.signup("stranger").await;
    flag(&owner, &project, "checkout").await;
    let theirs = stranger.default_project().await;
    flag(&stranger, &theirs, "secret").await;
    let all = waves(&owner, "?limit=100").await;
    let own = [&project.dev, &project.staging, &project.production];
    for wave in &all {
        assert!(
            own.iter().any(|env_id| wave["env_id"] == ***env_id),
            "{wave}"
        );
    }
    let at = |wave: &Value| {
        let at = wave["committed_at"].as_str().unwrap();
        OffsetDateTime::parse(at, &Rfc3339).unwrap()
    };
    assert!(all.iter().map(at).rev().is_sorted(), "the newest first");
    assert_eq!(waves(&owner, "?limit=1").await.len(), 1);

    let foreign = format!("/v1/edges/waves?env_id={}", theirs.dev);
    let refused = owner.get(&foreign).await;
    refused.expect(404, json!({"error": "environment not found"}));
}

#[tokio::test]
async fn a_limit_that_is_none_is_400_and_an_environment_that_is_none_404() {
    let (_app, owner) = App::with_owner().await;
    for limit in ["0", "101", "-1"] {
        let refused = owner.get(&format!("/v1/edges/waves?limit={limit}")).await;
        let words = "limit must be an integer from 1 to 100";
        refused.expect(400, json!({"error": words}));
    }
    let refused = owner.get("/v1/edges/waves?limit=many").await;
    refused.expect_status(400);
    let refused = owner.get("/v1/edges/waves?env_id=dev").await;
    refused.expect(404, json!({"error": "environment not found"}));
}

#[tokio::test]
async fn a_role_that_may_not_read_flags_sees_waves_without_what_was_changed() {
    let (app, owner, project) = App::with_project().await;
    flag(&owner, &project, "checkout").await;
    switch(&owner, &project, "checkout", true).await;
    app.set_plan(&owner, "enterprise").await;
    let admin = app.member(&owner, "admin").await;
    app.hold_to(&owner, &admin, &["environments.read"]).await;
    let query = format!("?env_id={}", project.dev);
    let known = |wave: &Value| wave["resource_key"] == "checkout";
    let own = waves(&owner, &query).await.into_iter().find(known).unwrap();
    let same = |wave: &Value| wave["version"] == own["version"];
    let seen = waves(&admin, &query).await.into_iter().find(same).unwrap();
    for field in [
        "action",
        "resource_type",
        "resource_id",
        "resource_key",
        "actor_id",
    ] {
        assert_eq!(seen[field], Value::Null, "{field}");
    }
}
