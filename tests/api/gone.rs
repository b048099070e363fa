//! Clients that hang up, and people who no longer belong to an organization: what they can take from it, and from others.

use std::time::Duration;

use base::ids::OrgId;
use base::limits::{self, Bound, Limiter};
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use harness::{Setup, eventually};
use serde_json::{Value, json};
use sqlx::Connection;
use tokio::time::timeout;

/// The connections of an organization.
const SHARE: i64 = 5;

/// As many writers of the project as its organization has connections, which wait for its lock.
async fn writers(setup: &Setup) -> Vec<tokio::task::JoinHandle<()>> {
    let writers = (0..SHARE).map(|number| {
        let (owner, segments) = (setup.owner.clone(), setup.segments());
        let body = segment(&format!("w{number}"));
        tokio::spawn(async move { drop(owner.post(&segments, body).await) })
    });
    let writers = writers.collect();
    setup.app.until_waiting_for_locks(SHARE).await;
    writers
}

fn segment(key: &str) -> Value {
    json!({"key": key, "name": key, "rules": []})
}

#[tokio::test]
async fn writers_who_hang_up_keep_their_share() {
    let setup = Setup::new().await;
    let other = setup.app.signup("umbrella").await;
    let others_project = other.default_project().await;
    let mut session = setup.app.session().await;
    let mut held = session.begin().await.unwrap();
    setup.lock_project(&mut held).await;

    for writer in writers(&setup).await {
        writer.abort();
    }
    let segments = setup.segments();
    for round in 0..8 {
        let bodies = (0..5).map(|number| segment(&format!("s{round}-{number}")));
        let impatient = bodies.map(|body| {
            let writing = setup.owner.post(&segments, body);
            timeout(Duration::from_millis(100), writing)
        });
        join_all(impatient).await;
        assert!(setup.app.waiting_for_locks().await <= SHARE);
    }
    let environments = format!("/v1/projects/{}/environments", others_project.id);
    other.get(&environments).await.expect_status(200);
    let others = format!("/v1/projects/{}/segments", others_project.id);
    other.create(&others, segment("mine")).await;
    assert!(setup.app.waiting_for_locks().await <= SHARE);

    held.rollback().await.unwrap();
    eventually("nobody waits any more", async || {
        (setup.app.waiting_for_locks().await == 0).then_some(())
    })
    .await;
    setup.owner.create(&segments, segment("afterwards")).await;
}

#[tokio::test]
async fn a_place_that_a_connection_holds_is_taken_until_nothing_runs_on_it() {
    const LOCK: &str = "SELECT pg_advisory_xact_lock(1)";
    let setup = Setup::new().await;
    let mut session = setup.app.session().await;
    let mut held = session.begin().await.unwrap();
    sqlx::query(LOCK).execute(&mut *held).await.unwrap();

    let org_id = OrgId::parse(&setup.owner.org_id).unwrap();
    let places = Limiter::new(limits::LONG_PAGES);
    let mut conn = setup.app.db().acquire().await.unwrap();
    conn.hold(places.try_enter(org_id).unwrap());
    let asking = tokio::spawn(async move { sqlx::query(LOCK).execute(&mut **conn).await });
    setup.app.until_waiting_for_locks(1).await;
    asking.abort();
    assert!(asking.await.unwrap_err().is_cancelled());
    assert_eq!(places.try_enter(org_id).unwrap_err().bound, Bound::Share);
    assert_eq!(setup.app.waiting_for_locks().await, 1);

    held.rollback().await.unwrap();
    eventually("the place is free", async || {
        places.try_enter(org_id).is_ok().then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_dead_session_takes_no_place_of_its_organization() {
    let setup = Setup::new().await;
    let removed = setup.app.member(&setup.owner, "developer").await;
    let member = format!("/v1/members/{}", removed.member_id().await);
    setup.owner.remove(&member).await;
    let refused = removed.get("/v1/projects").await;
    refused.expect_error(401, "invalid or expired token");

    let mut session = setup.app.session().await;
    let mut held = session.begin().await.unwrap();
    setup.lock_project(&mut held).await;
    let writers = writers(&setup).await;
    // More than may wait for a connection of the organization.
    let mut asking: FuturesUnordered<_> = (0..80).map(|_| removed.get("/v1/projects")).collect();
    while let Some(answer) = asking.next().await {
        answer.expect_error(401, "invalid or expired token");
    }
    assert_eq!(setup.app.waiting_for_locks().await, SHARE);
    held.rollback().await.unwrap();
    for writer in writers {
        writer.await.unwrap();
    }
    // A session that is opened afterwards is another one.
    setup.owner.get("/v1/projects").await.expect_status(200);
}
