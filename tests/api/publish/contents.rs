//! What is published: whole environments, changes, and that both come to the same.

use std::time::Duration;

use harness::user::DefaultProject;
use harness::{App, User, eventually};
use protocol::snapshot::Delta;
use protocol::wire::message::Push;
use serde_json::json;

use super::replica::{Manual, Replica};

/// Waits until the edge holds that many environments.
async fn holds(edge: &Replica, environments: usize) {
    eventually("the edge holds all environments", async || {
        (edge.digests().len() == environments).then_some(())
    })
    .await;
}

fn delta(push: &Push) -> &Delta {
    match push {
        Push::Delta(delta) => delta,
        Push::Snapshot(..) | Push::Removed { .. } => panic!("{push:?}"),
    }
}

async fn create_flag(owner: &User, project: &DefaultProject, key: &str) {
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
    owner.create(&flags, flag).await;
}

async fn delete_flag(owner: &User, project: &DefaultProject, key: &str) {
    let flag = format!("/v1/projects/{}/flags/{key}", project.id);
    owner.remove(&flag).await;
}

async fn switch(owner: &User, project: &DefaultProject, key: &str, env_id: &str, enabled: bool) {
    let state = format!(
        "/v1/projects/{}/flags/{key}/environments/{env_id}",
        project.id
    );
    owner.change(&state, json!({"enabled": enabled})).await;
}

#[tokio::test]
async fn a_write_is_answered_when_edges_serve_it() {
    let (app, owner, project) = App::with_project().await;
    let edge = Replica::follow(&app.publisher);
    holds(&edge, 3).await;

    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "new-flow", "name": "New flow", "flag_type": "boolean"});
    let created = owner.create(&flags, flag).await;
    let dev = edge.environment(&project.dev).unwrap();
    assert_eq!(dev.flags[0].key, "new-flow");
    assert_eq!(
        dev.head.version.to_string(),
        created.header("x-snapshot-version")
    );

    for enabled in [true, false, true] {
        switch(&owner, &project, "new-flow", &project.dev, enabled).await;
        let dev = edge.environment(&project.dev).unwrap();
        assert_eq!(dev.flags[0].state.as_ref().unwrap().enabled, enabled);
    }
    assert_eq!(
        edge.environment(&project.staging).unwrap().flags[0].state,
        None
    );
    assert_eq!((edge.snapshots(), edge.refused()), (3, 0));
    assert_eq!(
        edge.deltas(),
        [1, 1, 1, 1, 1, 1],
        "each environment, then each change of one"
    );
}

#[tokio::test]
async fn new_and_deleted_environments_are_told() {
    let (app, owner, project) = App::with_project().await;
    create_flag(&owner, &project, "a").await;
    let edge = Replica::follow(&app.publisher);
    holds(&edge, 3).await;

    let environments = format!("/v1/projects/{}/environments", project.id);
    let created = owner
        .create(&environments, json!({"name": "Canary", "slug": "canary"}))
        .await;
    let canary = created.text("/id");
    assert_eq!(edge.environment(&canary).unwrap().flags.len(), 1);

    owner
        .change(&format!("{environments}/{canary}"), json!({"slug": "bird"}))
        .await;
    assert_eq!(edge.environment(&canary).unwrap().head.slug, "bird");

    owner.remove(&format!("{environments}/{canary}")).await;
    assert_eq!(edge.environment(&canary), None);

    owner.remove(&format!("/v1/projects/{}", project.id)).await;
    assert_eq!(edge.digests().len(), 0);
}

#[tokio::test]
async fn an_edge_that_is_behind_gets_one_delta_over_many_changes() {
    let (app, owner) = App::with_owner_and(&[("SNAPSHOT_WAIT", "50ms")]).await;
    let project = owner.default_project().await;
    create_flag(&owner, &project, "a").await;
    let mut edge = Manual::holding_all(&app.publisher, 3).await;

    switch(&owner, &project, "a", &project.dev, true).await;
    let first = edge.receive().await;
    for enabled in [false, true, false] {
        switch(&owner, &project, "a", &project.dev, enabled).await;
    }
    edge.apply(first);
    assert!(
        edge.environment(&project.dev).flags[0]
            .state
            .as_ref()
            .unwrap()
            .enabled
    );

    let rest = edge.receive().await;
    assert_eq!(delta(&rest).head.version, delta(&rest).base + 3);
    assert!(delta(&rest).urgent, "it only switches off");
    edge.apply(rest);
    assert!(
        !edge.environment(&project.dev).flags[0]
            .state
            .as_ref()
            .unwrap()
            .enabled
    );
}

#[tokio::test]
async fn a_key_that_is_used_again_names_the_new_flag() {
    let (app, owner) = App::with_owner_and(&[("SNAPSHOT_WAIT", "50ms")]).await;
    let project = owner.default_project().await;
    create_flag(&owner, &project, "a").await;
    switch(&owner, &project, "a", &project.dev, false).await;
    let mut edge = Manual::holding_all(&app.publisher, 3).await;
    let old = edge.environment(&project.dev).flags[0].clone();

    // The edge gets all of it at once: something else is on its way for each environment.
    create_flag(&owner, &project, "b").await;
    let on_their_way = [
        edge.receive().await,
        edge.receive().await,
        edge.receive().await,
    ];
    delete_flag(&owner, &project, "a").await;
    create_flag(&owner, &project, "a").await;
    delete_flag(&owner, &project, "a").await;
    delete_flag(&owner, &project, "b").await;
    create_flag(&owner, &project, "a").await;
    on_their_way.into_iter().for_each(|push| edge.apply(push));

    for _ in 0..3 {
        let push = edge.receive().await;
        let removed: Vec<_> = delta(&push)
            .removed_flags
            .iter()
            .map(|flag| &*flag.key)
            .collect();
        assert_eq!(removed, ["b"]);
        edge.apply(push);
    }
    let dev = edge.environment(&project.dev);
    assert_eq!(dev.flags.len(), 1);
    assert_ne!(dev.flags[0].id, old.id);
    assert_eq!(dev.flags[0].state, None);
}

#[tokio::test]
async fn what_an_edge_could_not_use_is_sent_whole() {
    let (app, owner) = App::with_owner_and(&[("SNAPSHOT_WAIT", "50ms")]).await;
    let project = owner.default_project().await;
    let mut edge = Manual::holding_all(&app.publisher, 3).await;
    create_flag(&owner, &project, "a").await;
    for _ in 0..3 {
        let push = edge.receive().await;
        delta(&push);
    }
    edge.lose(&project.dev);
    let whole = edge.receive().await;
    assert!(matches!(&whole, Push::Snapshot(snapshot, _) if snapshot.flags.len() == 1));
    edge.apply(whole);
}

#[tokio::test]
async fn a_lagging_edge_is_not_waited_for_until_it_acknowledges() {
    let (app, owner) = App::with_owner_and(&[("SNAPSHOT_WAIT", "2s")]).await;
    let project = owner.default_project().await;
    create_flag(&owner, &project, "a").await;
    let mut edge = Manual::holding_all(&app.publisher, 3).await;

    let began = tokio::time::Instant::now();
    switch(&owner, &project, "a", &project.dev, true).await;
    assert!(began.elapsed() >= Duration::from_secs(2));

    let began = tokio::time::Instant::now();
    switch(&owner, &project, "a", &project.dev, false).await;
    assert!(began.elapsed() < Duration::from_secs(2));

    let push = edge.receive().await;
    edge.apply(push);
    let began = tokio::time::Instant::now();
    switch(&owner, &project, "a", &project.dev, true).await;
    assert!(began.elapsed() >= Duration::from_secs(2));
}

#[tokio::test]
async fn an_unreadable_stored_rule_matches_nobody_and_spoils_nothing_else() {
    let (app, owner, project) = App::with_project().await;
    for key in ["a", "b"] {
        create_flag(&owner, &project, key).await;
        switch(&owner, &project, key, &project.dev, true).await;
    }
    let rules =
        json!([{"id": "good", "value": true}, {"id": ["bad"]}, {"id": "last", "value": false}]);
    sqlx::query(
        "UPDATE flag_states SET rules = $1, variants = '{}' WHERE flag_id = (SELECT id FROM flags WHERE key = 'a')",
    )
    .bind(rules)
    .execute(app.pool())
    .await
    .unwrap();
    let another = Replica::follow(&app.another_publisher());
    holds(&another, 3).await;

    let dev = another.environment(&project.dev).unwrap();
    assert_eq!(dev.flags.len(), 2);
    let state = dev.flags[0].state.as_ref().unwrap();
    let rules: Vec<_> = state
        .rules
        .iter()
        .map(|rule| (&*rule.id, rule.priority))
        .collect();
    assert_eq!(rules, [("good", 0), ("", 1), ("last", 2)]);
    assert_eq!(state.rules[1].conditions[0].operator, "unreadable");
    assert_eq!(state.variants, []);
}
