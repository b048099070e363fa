//! Requests hidden in the bodies of others. A proxy in front may see another end of a body, so a request whose length is in doubt is
//! refused, or is the last one of its connection.

use axum::{
    Router,
    routing::{get, post},
};

use super::*;
use crate::body::RawBody;

const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

/// All that is answered to a body behind these lengths, in which `N` is the length of everything, and to what is hidden in it.
async fn answered_to(lengths: &str, body: &str) -> String {
    let router = Router::new()
        .route("/read", post(|_: RawBody| async { "read." }))
        .route("/hidden", get(|| async { "hidden." }));
    let server = start_router(router, CALM).await;
    let body = format!("{body}{HIDDEN}");
    let lengths = lengths.replace('N', &body.len().to_string());
    let head = "POST /read HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n";
    read_to_end(send(&server, &format!("{head}{lengths}\r\n{body}")).await).await
}

#[tokio::test]
async fn a_request_hidden_in_a_body_is_not_answered() {
    for (lengths, body) in [
        (
            "content-length: N\r\ntransfer-encoding: chunked\r\n",
            "0\r\n\r\n",
        ),
        (
            "transfer-encoding: chunked\r\ncontent-length: N\r\n",
            "0\r\n\r\n",
        ),
        (
            "transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n",
            "0\r\n\r\n",
        ),
        ("transfer-encoding: xchunked\r\n", "0\r\n\r\n"),
        ("transfer-encoding : chunked\r\n", "0\r\n\r\n"),
        ("x: y\r\n transfer-encoding: chunked\r\n", "0\r\n\r\n"),
        ("transfer-encoding: chunked\r\n", "+0\r\n\r\n"),
        ("transfer-encoding: chunked\r\n", "2\r\n{} 0\r\n\r\n"),
        ("content-length: 2\r\ncontent-length: N\r\n", "{}"),
        ("content-length: 2, N\r\n", "{}"),
        ("content-length: +2\r\n", "{}"),
        ("content-length : 2\r\n", "{}"),
    ] {
        let answers = answered_to(lengths, body).await;
        assert!(
            answers.matches("HTTP/1.1").count() <= 1,
            "{lengths:?}: {answers}"
        );
        assert!(!answers.contains("hidden."), "{lengths:?}: {answers}");
    }
}

#[tokio::test]
async fn a_request_behind_a_body_is_answered() {
    for (lengths, body) in [
        ("content-length: 2\r\n", "{}"),
        ("transfer-encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n"),
    ] {
        let answers = answered_to(lengths, body).await;
        assert!(
            answers.contains("read.") && answers.ends_with("hidden."),
            "{answers}"
        );
    }
}
