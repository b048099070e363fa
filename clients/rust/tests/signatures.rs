//! A client with pins holds what one of the keys signed of the environment, and nothing else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod greeting;
mod sample;
mod server;

use std::{
    path::Path,
    sync::LazyLock,
    time::{Duration, SystemTime},
};

use halyard::{Builder, Client, StartError, State, snapshot::Snapshot};
use tokio::time::sleep;
use uuid::Uuid;

use self::{
    greeting::{greeting, says},
    sample::{ID, environment},
    server::{KEY, Server, eventually, signing::pin},
};

const HOUR: i64 = 3_600_000;

const MISSING: &str =
    "the edge's contents are not signed by a key that is pinned: there is no signature";
const UNKNOWN: &str = "the edge's contents are not signed by a key that is pinned: the signature \
                       is by a key that is not trusted";
const WRONG: &str = "the edge's contents are not signed by a key that is pinned: the signature is \
                     not that of the contents";
const OLDER: &str = "the edge's contents are not signed by a key that is pinned: it was signed \
                     before what is held";
const UNPROVEN: &str = "nothing proves that what the edge serves is current";
const ANOTHER: &str = "the edge's contents are signed, but those of another environment";

/// When this program began, in Unix milliseconds.
static NOW: LazyLock<i64> = LazyLock::new(|| {
    #[expect(
        clippy::disallowed_methods,
        reason = "the clock of the client's machine"
    )]
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    i64::try_from(since.unwrap().as_millis()).unwrap()
});

/// A server that signs with the first key.
async fn server() -> Server {
    let server = Server::start(environment(1, vec![says("v1")])).await;
    server.sign(1, *NOW);
    server
}

fn pinned(server: &Server, keys: &[u8]) -> Builder {
    let keys = keys.iter().map(|key| pin(*key));
    server.client().pin(&ID.to_string(), keys)
}

fn last_error(client: &Client) -> String {
    client.status().last_error.as_deref().unwrap_or("").into()
}

async fn is_stale(client: &Client, why: &str) {
    eventually(why, || {
        matches!(client.status().state, State::Stale { .. }) && last_error(client) == why
    })
    .await;
}

/// Nobody starts with what the server serves.
async fn is_refused(server: &Server, why: &str) {
    let client = pinned(server, &[1]).start_timeout(Duration::from_millis(400));
    let refused = client.start().await.unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("there are no flags in time: {why}")
    );
}

#[tokio::test]
async fn what_a_pinned_key_signed_is_held_with_the_changes_that_follow() {
    let server = server().await;
    let client = pinned(&server, &[1]).start().await.unwrap();
    assert_eq!(greeting(&client), "v1");
    for (at_ms, value) in [
        (*NOW + 1, "v2"),
        (*NOW + HOUR, "v3"),
        (*NOW + HOUR - 1, "v4"),
    ] {
        server.sign(1, at_ms);
        server.send_delta(&server.change(says(value)));
        eventually(value, || greeting(&client) == value).await;
    }
    assert_eq!(
        (server.fetched(), last_error(&client)),
        ((1, 1), String::new())
    );
}

#[tokio::test]
async fn a_start_with_what_no_pinned_key_signed_fails_and_says_why() {
    let server = server().await;
    server.sign(2, *NOW);
    is_refused(&server, UNKNOWN).await;
    server.sign_nothing();
    is_refused(&server, MISSING).await;

    server.sign(1, *NOW);
    server.keep_signature();
    server.replace(environment(2, vec![says("v1")]));
    is_refused(&server, WRONG).await;
    server.replace(environment(1, vec![says("forged")]));
    is_refused(&server, WRONG).await;
    server.replace(environment(1, vec![says("v1")]));
    assert!(
        pinned(&server, &[1]).start().await.is_ok(),
        "what was signed"
    );
}

#[tokio::test]
async fn a_forged_change_is_not_applied_and_the_edge_is_asked_with_pauses() {
    let server = server().await;
    let client = pinned(&server, &[1]).start().await.unwrap();
    eventually("it is ready", || client.status().state == State::Ready).await;
    server.keep_signature();
    let mut changes = client.subscribe();
    server.send_delta(&server.change(says("forged")));
    is_stale(&client, WRONG).await;
    assert_eq!(server.fetched(), (2, 1), "the whole was fetched once");
    sleep(Duration::from_secs(3)).await;
    let (fetched, streams) = server.fetched();
    assert!((3..=7).contains(&fetched), "{fetched}");
    assert!(streams <= fetched, "{streams} streams");
    assert_eq!(greeting(&client), "v1");

    server.sign(1, *NOW);
    eventually("what is signed", || greeting(&client) == "forged").await;
    assert_eq!(changes.next().await.unwrap().version, 2, "the only change");
    eventually("it is ready", || client.status().state == State::Ready).await;
}

#[tokio::test]
async fn a_change_that_is_not_signed_is_fetched_once_as_a_whole_that_is() {
    let server = server().await;
    let client = pinned(&server, &[1]).start().await.unwrap();
    eventually("it is ready", || client.status().state == State::Ready).await;
    server.sign_nothing();
    let delta = server.change(says("v2"));
    server.send_delta(&delta);
    server.sign(1, *NOW);
    eventually("the whole", || greeting(&client) == "v2").await;
    eventually("it is ready", || client.status().state == State::Ready).await;
    assert_eq!(
        (last_error(&client), server.fetched()),
        (MISSING.to_owned(), (2, 1))
    );

    server.send_delta(&server.change(says("v3")));
    eventually("changes go on", || greeting(&client) == "v3").await;
    assert_eq!(server.fetched(), (2, 1));

    for (value, streams) in [("v4", 1), ("v5", 2)] {
        server.sign_nothing();
        server.send_delta(&server.change(says(value)));
        server.sign(1, *NOW);
        eventually(value, || greeting(&client) == value).await;
        assert_eq!(server.fetched().1, streams, "two of them end the stream");
        assert_eq!(last_error(&client), MISSING);
    }
}

#[tokio::test]
async fn nobody_goes_back_to_what_was_signed_long_before() {
    let server = server().await;
    let client = pinned(&server, &[1]).start().await.unwrap();
    eventually("it is ready", || client.status().state == State::Ready).await;
    server.sign(1, *NOW - HOUR);
    server.send_delta(&server.change(says("old")));
    is_stale(&client, OLDER).await;
    server.replace(environment(3, vec![says("old")]));
    sleep(Duration::from_secs(2)).await;
    assert_eq!(greeting(&client), "v1");

    server.sign(1, *NOW + HOUR);
    server.replace(environment(1, vec![says("restored")]));
    eventually("what is signed later", || greeting(&client) == "restored").await;
}

#[tokio::test]
async fn what_nothing_proves_to_be_current_answers_and_is_stale() {
    let server = server().await;
    let signed = *NOW - HOUR;
    server.sign(1, signed);
    let client = pinned(&server, &[1]).start().await.unwrap();
    is_stale(&client, UNPROVEN).await;
    assert_eq!(greeting(&client), "v1");
    let since = SystemTime::UNIX_EPOCH + Duration::from_millis(signed.unsigned_abs());
    let stale = State::Stale { since };
    assert_eq!(client.status().state, stale);
    // By a key that is not pinned, of another environment or version, of long ago, and nothing at all.
    server.send_proof(ID, 1, 2, *NOW);
    server.send_proof(Uuid::from_u128(2), 1, 1, *NOW);
    server.send_proof(ID, 2, 1, *NOW);
    server.send_proof(ID, 1, 1, signed + 1);
    sleep(Duration::from_millis(300)).await;
    assert_ne!(client.status().state, State::Ready);

    server.send_proof(ID, 1, 1, *NOW);
    eventually("it is proven", || client.status().state == State::Ready).await;
    // A change is as new as its signature.
    server.send_delta(&server.change(says("v2")));
    eventually("the change", || greeting(&client) == "v2").await;
    is_stale(&client, UNPROVEN).await;
    server.send_proof(ID, 2, 1, *NOW);
    eventually("it is proven", || client.status().state == State::Ready).await;
    assert_eq!(server.fetched(), (1, 1));
}

/// Another environment of the installation, of any version.
fn another(version: u64) -> Snapshot {
    let mut another = environment(version, vec![says("another")]);
    another.head.env_id = Uuid::from_u128(2).into();
    another
}

#[tokio::test]
async fn nobody_starts_with_another_environment_that_the_same_key_signed() {
    let server = server().await;
    server.replace(another(1));
    let client = server.client().start().await.unwrap();
    assert_eq!(greeting(&client), "another", "it is served");
    is_refused(&server, ANOTHER).await;
    server.sign(2, *NOW);
    is_refused(&server, UNKNOWN).await;
    server.sign(1, *NOW);
    server.replace(environment(1, vec![says("v1")]));
    assert!(pinned(&server, &[1]).start().await.is_ok());
}

#[tokio::test]
async fn another_environment_does_not_replace_what_is_held() {
    let server = server().await;
    let client = pinned(&server, &[1]).start().await.unwrap();
    eventually("it is ready", || client.status().state == State::Ready).await;
    server.sign(1, *NOW + HOUR);
    // As a change, which does not fit, and as a whole.
    server.replace(another(1));
    server.send_delta(&server.change(says("another")));
    is_stale(&client, ANOTHER).await;
    assert_eq!(server.fetched(), (2, 1));
    assert_eq!(greeting(&client), "v1");

    server.replace(environment(3, vec![says("v3")]));
    eventually("what is pinned", || greeting(&client) == "v3").await;
}

#[tokio::test]
async fn keys_are_rotated_where_both_are_pinned() {
    let server = server().await;
    let both = pinned(&server, &[1, 2]).start().await.unwrap();
    let old = pinned(&server, &[1]).start().await.unwrap();
    for client in [&both, &old] {
        eventually("it is ready", || client.status().state == State::Ready).await;
    }
    server.sign(2, *NOW);
    server.send_delta(&server.change(says("v2")));
    eventually("the change", || greeting(&both) == "v2").await;
    is_stale(&old, UNKNOWN).await;
    assert_eq!(greeting(&old), "v1");
    let new = pinned(&server, &[2]).start().await.unwrap();
    assert_eq!(greeting(&new), "v2");
}

/// Writes a local copy as clients without pins do.
async fn copy(server: &Server, path: &Path, value: &str) {
    let client = server.client().local_copy(path).start().await.unwrap();
    server.send_delta(&server.change(says(value)));
    eventually("the change", || greeting(&client) == value).await;
    client.close().await;
}

fn from_copy(path: &Path, key: u8) -> Builder {
    let client = Client::builder(KEY, "http://127.0.0.1:9").local_copy(path);
    client
        .pin(&ID.to_string(), [pin(key)])
        .start_timeout(Duration::from_millis(1))
}

#[tokio::test]
async fn a_local_copy_is_used_if_a_pinned_key_signed_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flags");
    let server = server().await;
    copy(&server, &path, "v2").await;
    let client = from_copy(&path, 1).start().await.unwrap();
    assert_eq!(greeting(&client), "v2");
    assert_eq!(greeting(&Client::from_snapshot_file(&path).unwrap()), "v2");

    let why = "the local copy is not used: its contents are not signed by a key that is pinned";
    let client = from_copy(&path, 2).start_without_waiting().unwrap();
    assert_eq!(greeting(&client), "none");
    assert_eq!(
        last_error(&client),
        format!("{why}: the signature is by a key that is not trusted")
    );

    server.sign_nothing();
    copy(&server, &path, "v3").await;
    let client = from_copy(&path, 1).start_without_waiting().unwrap();
    assert_eq!(greeting(&client), "none");
    assert_eq!(last_error(&client), format!("{why}: there is no signature"));

    server.sign(1, *NOW);
    server.replace(another(3));
    copy(&server, &path, "another").await;
    let client = from_copy(&path, 1).start_without_waiting().unwrap();
    assert_eq!(greeting(&client), "none");
    assert_eq!(
        last_error(&client),
        "the local copy is not used: its contents are signed, but those of another environment"
    );

    server.replace(environment(3, vec![says("v3")]));
    let client = pinned(&server, &[1]).local_copy(&path).start();
    client.await.unwrap().close().await;
    let client = from_copy(&path, 1).start().await.unwrap();
    assert_eq!(greeting(&client), "v3", "it was replaced");
}

#[tokio::test]
async fn what_an_edge_serves_is_not_older_than_the_local_copy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flags");
    let server = server().await;
    copy(&server, &path, "v2").await;
    server.sign(1, *NOW - HOUR);
    server.replace(environment(3, vec![says("old")]));
    let client = pinned(&server, &[1]).local_copy(&path).start();
    let client = client.await.unwrap();
    is_stale(&client, OLDER).await;
    assert_eq!(greeting(&client), "v2");
}

#[tokio::test]
async fn without_pins_signatures_are_not_looked_at() {
    let server = server().await;
    server.keep_signature();
    let client = server.client().start().await.unwrap();
    let after = [Some(2), None, Some(3)];
    for (key, value) in after.into_iter().zip(["v2", "v3", "v4"]) {
        match key {
            Some(key) => server.sign(key, 0),
            None => server.sign_nothing(),
        }
        server.send_delta(&server.change(says(value)));
        eventually(value, || greeting(&client) == value).await;
        server.send_proof(ID, 1, 9, 0);
    }
    server.sign(9, 0);
    server.keep_signature();
    server.replace(environment(1, vec![says("replaced")]));
    server.send_refetch();
    eventually("the whole", || greeting(&client) == "replaced").await;
    assert_eq!(client.status().state, State::Ready);
    assert_eq!(last_error(&client), "");
    assert_eq!(server.fetched(), (2, 1));
}

#[tokio::test]
async fn pins_that_are_none_are_a_setting_that_cannot_be_used() {
    let id = ID.to_string();
    let key = "the signing key \"MCowBQYD\"… is no Ed25519 public key in base64url";
    for (id, keys, why) in [
        (&*id, vec![pin(1), "MCowBQYDK2VwAyEA".to_owned()], key),
        (&id, vec![], "there are no signing keys to pin"),
        (
            "production",
            vec![pin(1)],
            "the environment id \"producti\"… is no UUID",
        ),
    ] {
        let builder = Client::builder(KEY, "http://127.0.0.1:9").pin(id, keys);
        let refused = builder.start().await.unwrap_err();
        assert!(matches!(refused, StartError::Settings(_)), "{refused:?}");
        assert_eq!(refused.to_string(), why);
    }
}
