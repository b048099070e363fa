//! How a database that was put back is noticed, and what it costs to know that it was not.

use harness::{App, eventually};
use protocol::snapshot::Digest;
use protocol::wire::frame;
use protocol::wire::message::{EdgeMessage, Epoch, Held};
use serde_json::json;
use sqlx::Executor;
use uuid::Uuid;

use super::peer::{Identity, Peer, closed, hello, holding};
use super::replica::Replica;

const NO_BUILT_IN_EDGE: &[(&str, &str)] = &[("CONTROL_BUILTIN_EDGE", "false")];

/// Looks that are waited for where nothing should happen.
const LOOKS: i64 = 5;

/// How often looks went through an index, as the database counts them, and how many entries they read of it.
async fn scans(app: &App, index: &str) -> (i64, i64) {
    let scans = "SELECT idx_scan, idx_tup_read FROM pg_stat_user_indexes WHERE indexrelname = $1";
    let scans = sqlx::query_as(scans).bind(index);
    scans.fetch_one(app.pool()).await.unwrap()
}

/// Looks alone read by it.
const CHANGED: &str = "environments_changed_in_idx";
const REMOVED: &str = "removed_environments_changed_in_idx";

/// Waits for some looks that began after now.
async fn some_looks(app: &App) {
    let (before, _) = scans(app, CHANGED).await;
    eventually("there were some looks", async || {
        let (now, _) = scans(app, CHANGED).await;
        (now >= before + LOOKS).then_some(())
    })
    .await;
}

/// The marks of all readers, and the transactions that wrote them.
async fn marks(app: &App) -> Vec<(Uuid, Uuid, String)> {
    let marks = "SELECT reader_id, mark, xmin::text FROM replica_marks ORDER BY reader_id";
    sqlx::query_as(marks).fetch_all(app.pool()).await.unwrap()
}

async fn reason(app: &App) -> String {
    let reason = sqlx::query_scalar("SELECT reason FROM database_history");
    reason.fetch_one(app.pool()).await.unwrap()
}

/// Has a new edge greet with this, which is refused; the next one finds another epoch.
async fn proves_a_rewind(app: &App, epoch: Epoch, holds: Vec<Held>) {
    let address = app.serve_edges().await;
    let identity = Identity::enroll(app, "edge-2", None).await;
    let connection = identity.connect(address).await.unwrap();
    let (mut sending, _receiving) = connection.open_bi().await.unwrap();
    // What it is told before it is refused may be lost with the connection.
    let hello_of_before = EdgeMessage::Hello(holding(epoch, holds));
    let bytes = frame::encode(&hello_of_before).unwrap();
    sending.write_all(&bytes).await.unwrap();
    let (code, _) = closed(&connection).await;
    assert_eq!(code, 6);
    let next = identity.join(address, hello()).await;
    assert_ne!(next.welcome.epoch, epoch);
    assert_eq!(
        reason(app).await,
        "rewound: an edge holds what was never drawn"
    );
}

#[tokio::test]
async fn an_edge_that_holds_other_contents_of_a_version_proves_a_rewind() {
    let app = App::start().await;
    app.signup("acme").await;
    let address = app.serve_edges().await;
    let identity = Identity::enroll(&app, "edge-1", None).await;
    let mut edge = identity.join(address, hello()).await;
    let mut holds = edge.take_wholes(3).await;
    let epoch = edge.welcome.epoch;
    let again = identity.join(address, holding(epoch, holds.clone())).await;
    assert_eq!(again.welcome.epoch, epoch, "it holds what there is");
    holds[1].digest = Digest([9; 32]);
    proves_a_rewind(&app, epoch, holds).await;
}

#[tokio::test]
async fn what_an_edge_holds_is_compared_where_nobody_knew_the_digest() {
    let (app, owner) = App::with_owner_and(NO_BUILT_IN_EDGE).await;
    let project = owner.default_project().await;
    let address = app.serve_edges().await;
    let mut edge = Peer::enroll(&app, "edge-1", address, hello()).await;
    let epoch = edge.welcome.epoch;
    let mut holds = edge.take_wholes(3).await;
    drop(edge);
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "new", "name": "New", "flag_type": "boolean"});
    let answer = owner.create(&flags, flag).await;
    // The contents of the version before, as the version that there is.
    let version = answer.header("x-snapshot-version").parse().unwrap();
    holds.iter_mut().for_each(|held| held.version = version);
    proves_a_rewind(&app, epoch, holds).await;
}

#[tokio::test]
async fn contents_that_do_not_add_up_are_corrected_at_everybody_who_was_sent_them() {
    let (app, owner) = App::with_owner_and(NO_BUILT_IN_EDGE).await;
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    for key in ["a", "b"] {
        let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
        owner.create(&flags, flag).await;
    }
    let first = Replica::follow(&app.publisher);
    let has_a = |edge: &Replica| {
        let dev = edge.environment(&project.dev)?;
        Some(dev.flags.iter().any(|flag| flag.key == "a"))
    };
    eventually("it holds the flag", async || has_a(&first)?.then_some(())).await;

    // Changes that drew no version, which no delta has, and one that did.
    let lost = "UPDATE flags SET key = 'c' WHERE key = 'a'";
    app.pool().execute(lost).await.unwrap();
    let state = format!("{flags}/b/environments/{}", project.dev);
    owner.change(&state, json!({"enabled": true})).await;
    assert_eq!(has_a(&first), Some(true), "nobody told it");

    let second = Replica::follow(&app.publisher);
    eventually("a new edge gets what there is", async || {
        (!has_a(&second)?).then_some(())
    })
    .await;
    eventually("so does the one that was there before", async || {
        (!has_a(&first)?).then_some(())
    })
    .await;
    assert_eq!(
        reason(&app).await,
        "rewound: a version has other contents than it had"
    );
}

#[tokio::test]
async fn a_replica_leaves_a_mark_with_what_it_finds_and_none_while_nothing_changes() {
    let (app, owner) = App::with_owner().await;
    some_looks(&app).await;
    let before = marks(&app).await;
    assert_eq!(before.len(), 1, "one replica reads");
    some_looks(&app).await;
    assert_eq!(marks(&app).await, before, "nothing was written");

    // A transaction of somebody else holds the horizon back.
    let mut held = app.pool().begin().await.unwrap();
    held.execute("SELECT pg_current_xact_id()").await.unwrap();
    let project = owner.default_project().await;
    owner.api_key(&project.dev).await;
    some_looks(&app).await;
    let after = marks(&app).await;
    assert_eq!(after[0].0, before[0].0);
    assert_ne!(after[0].1, before[0].1, "the change was found");
    some_looks(&app).await;
    assert_eq!(marks(&app).await, after, "and is not found again");
    held.rollback().await.unwrap();
}

#[tokio::test]
async fn a_database_without_the_mark_of_a_replica_is_another_history() {
    let app = App::start().await;
    app.signup("acme").await;
    some_looks(&app).await;
    let lost = "UPDATE replica_marks SET mark = gen_random_uuid()";
    app.pool().execute(lost).await.unwrap();
    eventually("another history begins", async || {
        (reason(&app).await == "rewound: what a replica has seen is gone").then_some(())
    })
    .await;
    let id = "SELECT id FROM database_history";
    let begun: Uuid = sqlx::query_scalar(id).fetch_one(app.pool()).await.unwrap();
    some_looks(&app).await;
    let now: Uuid = sqlx::query_scalar(id).fetch_one(app.pool()).await.unwrap();
    assert_eq!(now, begun, "it goes on");
}

#[tokio::test]
async fn a_look_reads_what_changed_alone_after_a_restore_into_another_cluster() {
    let app = App::start().await;
    app.signup("acme").await;
    some_looks(&app).await;
    // As rows of another cluster are, which was further, without statistics.
    let restored = "UPDATE environments SET changed_in = '9000000000000'";
    app.pool().execute(restored).await.unwrap();
    eventually("the rows have numbers of this cluster", async || {
        let ahead = "SELECT count(*) FROM environments WHERE changed_in > pg_current_xact_id()";
        let ahead: i64 = sqlx::query_scalar(ahead)
            .fetch_one(app.pool())
            .await
            .unwrap();
        (ahead == 0).then_some(())
    })
    .await;
    some_looks(&app).await;
    let (_, before) = scans(&app, CHANGED).await;
    some_looks(&app).await;
    let (_, now) = scans(&app, CHANGED).await;
    assert_eq!(now, before, "nothing changed");
}

#[tokio::test]
async fn a_look_at_everything_reads_no_removals() {
    let (app, owner, project) = App::with_project().await;
    let environments = format!("/v1/projects/{}/environments", project.id);
    for number in 0..5 {
        let body = json!({"name": "Gone", "slug": format!("gone-{number}")});
        let made = owner.post(&environments, body).await.text("/id");
        let path = format!("{environments}/{made}");
        owner.remove(&path).await;
    }
    some_looks(&app).await;
    let (_, before) = scans(&app, REMOVED).await;
    assert!(before >= 5, "as each was removed");
    let second = app.another_publisher();
    let edge = Replica::follow(&second);
    eventually("the other replica has looked at everything", async || {
        (edge.digests().len() == 3).then_some(())
    })
    .await;
    some_looks(&app).await;
    let (_, now) = scans(&app, REMOVED).await;
    assert_eq!(now, before);
}
