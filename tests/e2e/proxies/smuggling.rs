//! Requests hidden in the bodies of others. Where a proxy and Halyard saw different ends of a body, what is hidden would be answered in
//! place of somebody else's next request.

use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    time::{Duration, timeout},
};

use super::{
    Installation, behind_each,
    proxy::{API, Proxy},
};

behind_each!(a_request_hidden_in_a_body_reaches_nobody);

const HIDDEN: &str = "GET /v1/hidden HTTP/1.1\r\nhost: api.example.com\r\n\r\n";

async fn a_request_hidden_in_a_body_reaches_nobody(proxy: Proxy) {
    let Some(all) = Installation::start(proxy, &[]).await else {
        return;
    };
    let others = all.proxy.caller(API, all.proxy.client().http1_only());
    // `N` is the length of everything.
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
            "transfer-encoding : chunked\r\ncontent-length: N\r\n",
            "0\r\n\r\n",
        ),
        (
            "transfer-encoding: xchunked\r\ncontent-length: N\r\n",
            "0\r\n\r\n",
        ),
        (
            "content-length: N\r\nx: y\r\n transfer-encoding: chunked\r\n",
            "0\r\n\r\n",
        ),
        ("content-length: 2\r\ncontent-length: N\r\n", "{}"),
        ("content-length: N\r\ncontent-length: 2\r\n", "{}"),
    ] {
        let body = format!("{body}{HIDDEN}");
        let lengths = lengths.replace('N', &body.len().to_string());
        let head = format!(
            "POST /v1/auth/login HTTP/1.1\r\nhost: {API}\r\ncontent-type: application/json\r\n"
        );
        let mut connection = all.proxy.connect(API).await;
        let request = format!("{head}{lengths}\r\n{body}");
        connection.write_all(request.as_bytes()).await.unwrap();
        // Whoever is refused may be cut off.
        let mut answer = [0; 1024];
        drop(timeout(Duration::from_secs(2), connection.read(&mut answer)).await);
        for _ in 0..5 {
            let ready = others.get("/ready").await;
            ready.expect(200, json!({"status": "ready"}));
        }
    }
}
