//! Archived flags at edges: whether an edge followed, was away or is new, it holds the same.

use harness::{App, Setup, User, eventually};
use protocol::wire::message::Push;
use serde_json::{Value, json};

use super::replica::{Manual, Replica};

async fn act(owner: &User, flag: &str, action: &str) {
    let answer = owner.post(&format!("{flag}/{action}"), Value::Null).await;
    answer.expect(204, Value::Null);
}

/// Keys of the flags that an edge holds of an environment.
fn keys(edge: &Replica, env_id: &str) -> Vec<String> {
    let held = edge.environment(env_id).unwrap();
    held.flags.into_iter().map(|flag| flag.key).collect()
}

async fn holds_what_is_read_at_once(edge: &Replica, app: &App) {
    let fresh = Replica::follow(&app.another_publisher());
    eventually("both hold the same", async || {
        let held = edge.digests();
        (held.len() == 3 && held == fresh.digests()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn an_edge_that_follows_removes_the_flag_and_adds_it_with_its_states() {
    let setup = Setup::new().await;
    let (app, owner, dev) = (&setup.app, &setup.owner, &setup.project.dev);
    let flags = setup.flags();
    for key in ["f", "g"] {
        let body = json!({"key": key, "name": key});
        owner.create(&flags, body).await;
    }
    let flag = format!("{flags}/f");
    let state = format!("{flag}/environments/{dev}");
    let rule = json!({"id": "r", "percentage": 100, "value": true});
    let body = json!({"enabled": true, "rules": [rule], "percentage_rollout": 5_000});
    owner.change(&state, body).await;
    let edge = Replica::follow(&app.publisher);
    eventually("the edge holds all", async || {
        (edge.digests().len() == 3).then_some(())
    })
    .await;
    let before = edge.environment(dev).unwrap().flags;
    for _ in 0..2 {
        act(owner, &flag, "archive").await;
        assert_eq!(keys(&edge, dev), ["g"]);
        holds_what_is_read_at_once(&edge, app).await;
        act(owner, &flag, "restore").await;
        assert_eq!(edge.environment(dev).unwrap().flags, before);
        holds_what_is_read_at_once(&edge, app).await;
    }
    act(owner, &flag, "archive").await;
    owner.remove(&flag).await;
    assert_eq!(keys(&edge, dev), ["g"]);
    owner
        .create(&flags, json!({"key": "f", "name": "Again"}))
        .await;
    act(owner, &flag, "archive").await;
    holds_what_is_read_at_once(&edge, app).await;
    assert_eq!((edge.snapshots(), edge.refused()), (3, 0));
}

#[tokio::test]
async fn an_edge_that_was_away_gets_one_delta_over_all_of_it() {
    let (app, owner) = App::with_owner_and(&[("SNAPSHOT_WAIT", "50ms")]).await;
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let path = |key: &str| format!("{flags}/{key}");
    for key in ["restored", "archived", "again", "deleted", "reused"] {
        let body = json!({"key": key, "name": key});
        owner.create(&flags, body).await;
    }
    let mut edge = Manual::holding_all(&app.publisher, 3).await;
    owner
        .create(&flags, json!({"key": "first", "name": "First"}))
        .await;
    let mut on_its_way = Vec::new();
    for _ in 0..3 {
        on_its_way.push(edge.receive().await);
    }

    for (key, actions) in [
        ("restored", &["archive", "restore"][..]),
        ("archived", &["archive"]),
        ("again", &["archive", "restore", "archive"]),
        ("deleted", &["archive"]),
        ("reused", &["archive"]),
    ] {
        for action in actions {
            act(&owner, &path(key), action).await;
        }
    }
    owner.remove(&path("deleted")).await;
    owner.remove(&path("reused")).await;
    let new = json!({"key": "reused", "name": "New"});
    let new = owner.create(&flags, new).await.text("/id");
    act(&owner, &path("reused"), "archive").await;

    for push in on_its_way {
        edge.apply(push);
    }
    for _ in 0..3 {
        let push = edge.receive().await;
        let Push::Delta(delta) = &push else {
            panic!("{push:?}");
        };
        let mut removed: Vec<_> = delta.removed_flags.iter().map(|flag| &flag.key).collect();
        removed.sort_unstable();
        assert_eq!(removed, ["again", "archived", "deleted", "reused"]);
        let mut removed = delta.removed_flags.iter();
        let reused = removed.find(|flag| flag.key == "reused").unwrap();
        assert_eq!(
            reused.id.uuid().to_string(),
            new,
            "the last that had the key"
        );
        edge.apply(push);
    }
    let fresh = Replica::follow(&app.another_publisher());
    eventually("another edge holds all", async || {
        (fresh.digests().len() == 3).then_some(())
    })
    .await;
    for env_id in [&project.dev, &project.staging, &project.production] {
        let held = edge.environment(env_id);
        assert_eq!(
            protocol::digest::of(held),
            protocol::digest::of(&fresh.environment(env_id).unwrap())
        );
        let keys: Vec<_> = held.flags.iter().map(|flag| flag.key.as_str()).collect();
        assert_eq!(keys, ["first", "restored"]);
    }
}
