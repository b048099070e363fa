//! Keys that can no longer be used: what edges hold of them, what they count for, how many are listed.

use std::time::Duration;

use domain::api_keys::retire::retire;
use harness::{App, User, eventually};
use serde_json::{Value, json};
use sqlx::query_scalar;

use super::{collection, create, item};
use crate::publish::replica::Replica;

/// These tests let days pass.
const LONG_SESSIONS: [(&str, &str); 1] = [("TOKEN_TTL_MINUTES", "10000")];
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// How many keys the edge holds of an environment, and at which version.
fn held(edge: &Replica, env_id: &str) -> Option<(usize, u64)> {
    let environment = edge.environment(env_id)?;
    Some((environment.keys.len(), environment.head.version))
}

async fn holds(edge: &Replica, env_id: &str, keys: usize) -> u64 {
    eventually("the edge holds the keys", async || {
        let (held, version) = held(edge, env_id)?;
        (held == keys).then_some(version)
    })
    .await
}

/// Bytes that count for the environments, all of which are of keys here.
async fn counted(app: &App) -> i64 {
    query_scalar("SELECT SUM(state_bytes)::bigint FROM environments")
        .fetch_one(app.pool())
        .await
        .unwrap()
}

async fn rotate(owner: &User, key: &Value, grace: u32) -> Value {
    let path = format!("{}/rotate", item(key));
    let rotated = owner.act(&path, json!({"grace_period_hours": grace})).await;
    json!({"id": rotated.body["new_key_id"]})
}

#[tokio::test]
async fn expired_keys_leave_the_edges_and_stay_listed() {
    let (app, owner) = App::with_owner_and(&LONG_SESSIONS).await;
    let dev = owner.default_project().await.dev;
    let keys = collection(&owner).await;
    let edge = Replica::follow(&app.publisher);
    let mut key = create(&owner, &keys).await;
    for _ in 0..3 {
        key = rotate(&owner, &key, 1).await;
    }
    let before = holds(&edge, &dev, 4).await;
    let list = owner.get(&keys).await.body;

    // They have expired, but the clock of an edge may be slow.
    app.clock.advance(Duration::from_secs(3_601));
    retire(app.db(), &app.clock).await.unwrap();
    assert_eq!(held(&edge, &dev), Some((4, before)));

    app.clock.advance(Duration::from_secs(60));
    retire(app.db(), &app.clock).await.unwrap();
    let after = holds(&edge, &dev, 1).await;
    assert!(after > before);
    assert_eq!(edge.refused(), 0, "a delta took them away");
    assert_eq!(owner.get(&keys).await.body, list);

    // Nothing is left to do.
    retire(app.db(), &app.clock).await.unwrap();
    let fresh = Replica::follow(&app.another_publisher());
    assert_eq!(holds(&fresh, &dev, 1).await, after);
}

#[tokio::test]
async fn usable_keys_count_towards_the_size_of_their_environment() {
    let (app, owner) = App::with_owner_and(&LONG_SESSIONS).await;
    let keys = collection(&owner).await;
    let counts_as = async |usable: i64| assert_eq!(counted(&app).await, 64 * usable);

    let first = create(&owner, &keys).await;
    counts_as(1).await;
    let second = rotate(&owner, &first, 1).await;
    counts_as(2).await;
    let third = rotate(&owner, &second, 0).await;
    counts_as(2).await;
    app.clock.advance(DAY);
    retire(app.db(), &app.clock).await.unwrap();
    counts_as(1).await;
    owner.remove(&item(&first)).await;
    counts_as(1).await;
    owner.remove(&item(&third)).await;
    counts_as(0).await;

    app.execute(
        "UPDATE environments SET state_bytes = 48 * 1024 * 1024",
        &[],
    )
    .await;
    let refused = owner.post(&keys, json!({"name": "more"})).await;
    refused.expect_error(400, "the compiled environment would exceed 48 MiB");
}

#[tokio::test]
async fn the_oldest_ended_keys_are_forgotten() {
    let (app, owner) = App::with_owner().await;
    let keys = collection(&owner).await;
    create(&owner, &keys).await;
    app.execute(
        "INSERT INTO api_keys (id, org_id, env_id, name, type, key_prefix, hash, changed_version, created_at, revoked_at)
         SELECT gen_random_uuid(), org_id, env_id, n::text, 'server', 'srv_', sha256(n::text::bytea), 1,
                created_at - interval '2 days', created_at - interval '1 day' + n * interval '1 second'
         FROM api_keys, generate_series(1, 1005) AS n",
        &[],
    )
    .await;
    let total = async || owner.get(&keys).await.body["total"].clone();
    assert_eq!(total().await, json!(1_006));
    create(&owner, &keys).await;
    assert_eq!(
        total().await,
        json!(1_002),
        "two that are usable, and a thousand"
    );
    let oldest: i64 =
        query_scalar("SELECT MIN(name::bigint) FROM api_keys WHERE revoked_at IS NOT NULL")
            .fetch_one(app.pool())
            .await
            .unwrap();
    assert_eq!(oldest, 6);
}
