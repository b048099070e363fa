//! How a client follows an edge.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod greeting;
mod sample;
mod server;

use std::time::Duration;

use axum::http::StatusCode;
use halyard::{Client, Context, StartError, State};

use self::{
    greeting::{greeting, says},
    sample::{environment, flag},
    server::{KEY, Server, eventually},
};

async fn server() -> Server {
    Server::start(environment(
        1,
        vec![flag("greeting", r#""v1""#), flag("on", "true")],
    ))
    .await
}

#[tokio::test]
async fn a_change_is_applied_and_told_without_another_fetch() {
    let server = server().await;
    let client = server.client().application("shop").start().await.unwrap();
    assert_eq!(greeting(&client), "v1");
    eventually("it is ready", || client.status().state == State::Ready).await;
    let mut changes = client.subscribe();
    for (version, value) in [(2, "v2"), (3, "v3")] {
        server.send_delta(&server.change(says(value)));
        let changed = changes.next().await.unwrap();
        assert_eq!(
            (changed.version, changed.flags),
            (version, vec!["greeting".to_owned()])
        );
        assert_eq!(greeting(&client), value);
        assert_eq!(client.status().version, Some(version));
    }
    assert_eq!(server.fetched(), (1, 1));
    drop(client);
    assert_eq!(changes.next().await, None, "the client ended");
}

#[tokio::test]
async fn what_is_older_than_what_is_held_is_ignored() {
    let server = server().await;
    let client = server.client().start().await.unwrap();
    let mut changes = client.subscribe();
    let old = server.change(says("v2"));
    server.send_delta(&old);
    changes.next().await;
    server.send_delta(&server.change(says("v3")));
    changes.next().await;
    server.send_delta(&old);
    server.send_delta(&server.change(says("v4")));
    changes.next().await;
    assert_eq!(greeting(&client), "v4");
    assert_eq!(server.fetched(), (1, 1));
}

#[tokio::test]
async fn after_a_gap_the_whole_is_fetched() {
    let server = server().await;
    let client = server.client().start().await.unwrap();
    server.change(says("lost"));
    server.send_delta(&server.change(says("v3")));
    eventually("the gap is closed", || greeting(&client) == "v3").await;
    assert_eq!(client.status().version, Some(3));
    server.send_delta(&server.change(says("v4")));
    eventually("changes go on", || greeting(&client) == "v4").await;
    assert_eq!(server.fetched(), (2, 1));
}

#[tokio::test]
async fn a_change_that_leads_elsewhere_is_not_answered_from() {
    let server = server().await;
    let client = server.client().start().await.unwrap();
    let mut delta = server.change(says("v2"));
    delta.flags = vec![says("wrong")];
    let mut seen = client.subscribe();
    server.send_delta(&delta);
    assert_eq!(seen.next().await.unwrap().version, 2);
    assert_eq!(greeting(&client), "v2");
    let status = client.status();
    assert_eq!(
        status.last_error.as_deref(),
        Some("the digest differs after applying")
    );
    assert_eq!((status.state, server.fetched().0), (State::Ready, 2));
}

#[tokio::test]
async fn a_replaced_environment_is_fetched_also_if_it_is_older() {
    let server = server().await;
    let client = server.client().start().await.unwrap();
    server.send_delta(&server.change(says("v2")));
    eventually("the change", || greeting(&client) == "v2").await;
    server.replace(environment(1, vec![says("restored")]));
    let mut changes = client.subscribe();
    server.send_refetch();
    let changed = changes.next().await.unwrap();
    assert_eq!(
        (changed.version, changed.flags),
        (1, vec!["greeting".to_owned(), "on".to_owned()])
    );
    assert_eq!(greeting(&client), "restored");
    assert!(!client.bool("on", &Context::default(), false), "it is gone");
}

#[tokio::test]
async fn damage_is_never_answered_from_and_does_not_end_the_client() {
    let server = server().await;
    let client = server.client().start().await.unwrap();
    for (name, data) in [("delta", "%%%"), ("delta", "AAAA"), ("refetch", "{")] {
        let (_, streams) = server.fetched();
        server.send(name, data);
        eventually("it is told", || {
            matches!(client.status().state, State::Stale { .. })
        })
        .await;
        assert!(client.status().last_error.unwrap().contains("damaged"));
        assert_eq!(greeting(&client), "v1");
        eventually("it comes back", || server.fetched().1 > streams).await;
    }
    server.send("news", "of a later version");
    server.send_delta(&server.change(says("v2")));
    eventually("changes go on", || greeting(&client) == "v2").await;
}

#[tokio::test]
async fn without_an_edge_answers_go_on_and_later_changes_come() {
    let server = server().await;
    let client = server.client().start().await.unwrap();
    eventually("it is ready", || client.status().state == State::Ready).await;
    server.refuse(Some(StatusCode::SERVICE_UNAVAILABLE));
    eventually("it is stale", || {
        matches!(client.status().state, State::Stale { .. })
    })
    .await;
    assert_eq!(greeting(&client), "v1");
    server.change(says("v2"));
    server.refuse(None);
    eventually("the change is there", || greeting(&client) == "v2").await;
    assert_eq!(client.status().state, State::Ready);
}

#[tokio::test]
async fn a_refused_key_is_told_and_not_tried_again_soon() {
    let server = server().await;
    let client = server.client().start().await.unwrap();
    server.refuse(Some(StatusCode::UNAUTHORIZED));
    eventually("it is refused", || client.status().state == State::Refused).await;
    let why = client.status().last_error.unwrap();
    assert_eq!(
        &*why,
        "the edge answers 401 Unauthorized: as the test wants"
    );
    assert_eq!(greeting(&client), "v1");
    server.refuse(None);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(server.fetched().1, 1);

    server.refuse(Some(StatusCode::FORBIDDEN));
    let refused = server.client().start().await.unwrap_err();
    assert!(matches!(refused, StartError::Refused(_)), "{refused}");
}

#[tokio::test]
async fn a_start_without_an_edge_ends_in_time_and_says_why() {
    let client = Client::builder(KEY, "http://127.0.0.1:9");
    let refused = client
        .start_timeout(Duration::from_millis(300))
        .start()
        .await;
    let refused = refused.unwrap_err();
    assert!(matches!(refused, StartError::Timeout(_)));
    assert!(refused.to_string().contains("refused"), "{refused}");
}

#[tokio::test]
async fn a_silent_stream_is_opened_again() {
    let server = server().await;
    let client = server.client().stream_silence(Duration::from_millis(200));
    let client = client.start().await.unwrap();
    eventually("another stream", || server.fetched().1 > 1).await;
    assert_eq!(
        client.status().last_error.as_deref(),
        Some("the stream is silent")
    );
}
