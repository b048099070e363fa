//! Answers that are given before the body of the request was read.

use axum::{Router, routing::post};
use tokio::time::Instant;

use super::*;
use crate::body::{MAX_BODY, RawBody};

async fn refuse() -> (axum::http::StatusCode, &'static str) {
    (axum::http::StatusCode::UNAUTHORIZED, "refused.")
}

async fn start_refusing() -> Server {
    let read = |_: RawBody| async { "read." };
    let router = Router::new()
        .route("/refuse", post(refuse))
        .route("/read", post(read));
    start_router(router, CALM).await
}

fn head(path: &str, length: usize, more: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{more}\r\n"
    )
}

/// Reads a refusal, and returns whether it says that the connection ends.
async fn says_close(client: &mut TcpStream) -> bool {
    let answer = read_until(client, "refused.").await;
    assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
    answer.to_ascii_lowercase().contains("connection: close")
}

/// The connection can still be used.
async fn is_kept(client: &mut TcpStream) {
    let text = head("/read", 2, "") + "{}";
    client.write_all(text.as_bytes()).await.unwrap();
    let answer = read_until(client, "read.").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[tokio::test]
async fn a_body_that_comes_after_the_refusal_costs_no_connection() {
    let server = start_refusing().await;
    let mut client = send(&server, "").await;
    for body in ["{}", "{\"later\": 1}"] {
        let head = head("/refuse", body.len(), "");
        client.write_all(head.as_bytes()).await.unwrap();
        sleep(Duration::from_millis(50)).await;
        client.write_all(body.as_bytes()).await.unwrap();
        assert!(!says_close(&mut client).await);
    }
    is_kept(&mut client).await;
}

#[tokio::test]
async fn the_largest_body_that_anybody_reads_is_dropped_too() {
    let server = start_refusing().await;
    let mut client = send(&server, &head("/refuse", MAX_BODY, "")).await;
    client.write_all(&vec![b' '; MAX_BODY]).await.unwrap();
    assert!(!says_close(&mut client).await);
    is_kept(&mut client).await;
}

#[tokio::test]
async fn what_is_dropped_is_read_at_a_bounded_rate() {
    let server = start_refusing().await;
    let mut client = send(&server, &head("/refuse", MAX_BODY, "")).await;
    let begun = Instant::now();
    client.write_all(&vec![b' '; MAX_BODY]).await.unwrap();
    read_until(&mut client, "refused.").await;
    // A mebibyte at 8 a second, but for its first 64 KiB. Never sooner, however fast the machine.
    let least = Duration::from_secs(1) * 15 / 16 / 8;
    assert!(begun.elapsed() >= least, "{:?}", begun.elapsed());
}

#[tokio::test]
async fn a_larger_body_ends_the_connection_and_the_answer_says_so() {
    let server = start_refusing().await;
    let length = 4 * MAX_BODY;
    let mut client = send(&server, &head("/refuse", length, "")).await;
    // All of it arrives before the client reads, and the answer is still there.
    client.write_all(&vec![b' '; length]).await.unwrap();
    assert!(says_close(&mut client).await);
    assert_eq!(read_to_end(client).await, "");
}

#[tokio::test]
async fn a_body_that_does_not_come_ends_the_connection_and_the_answer_says_so() {
    let server = start_refusing().await;
    let mut client = send(&server, &head("/refuse", 2, "")).await;
    assert!(says_close(&mut client).await);
    client.shutdown().await.unwrap();
    assert_eq!(read_to_end(client).await, "");
}

#[tokio::test]
async fn a_client_that_waits_to_be_asked_is_refused_at_once() {
    let server = start_refusing().await;
    let head = head("/refuse", 2, "expect: 100-continue\r\n");
    let mut client = send(&server, &head).await;
    assert!(says_close(&mut client).await);
}

#[tokio::test]
async fn a_body_in_chunks_is_dropped_to_its_end() {
    let server = start_refusing().await;
    let begun = "POST /refuse HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n";
    let mut client = send(&server, begun).await;
    sleep(Duration::from_millis(50)).await;
    client.write_all(b"0\r\n\r\n").await.unwrap();
    assert!(!says_close(&mut client).await);
    is_kept(&mut client).await;
}
