//! Requests as bytes, made before they are sent.

use bytes::Bytes;
use serde_json::Value;

/// A body to a path of an edge, with an API key.
pub fn post(key: &str, path: &str, body: &Value) -> Bytes {
    with_body("POST", path, &format!("x-api-key: {key}"), body)
}

/// A query to a path of an edge, with an API key, and more headers that end with their line.
pub fn get(key: &str, path: &str, headers: &str) -> Bytes {
    format!("GET {path} HTTP/1.1\r\nhost: edge.test\r\nx-api-key: {key}\r\n{headers}\r\n").into()
}

/// A call of the management API.
pub fn managed(token: &str, method: &str, path: &str, body: &Value) -> Bytes {
    with_body(
        method,
        path,
        &format!("authorization: Bearer {token}"),
        body,
    )
}

/// A query of the management API.
pub fn listed(token: &str, path: &str) -> Bytes {
    format!("GET {path} HTTP/1.1\r\nhost: bench.test\r\nauthorization: Bearer {token}\r\n\r\n")
        .into()
}

/// A body, with a header that says who sends it.
pub fn with_body(method: &str, path: &str, credential: &str, body: &Value) -> Bytes {
    let body = body.to_string();
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: bench.test\r\n{credential}\r\ncontent-type: application/json\r\n\
         content-length: {length}\r\n\r\n{body}"
    )
    .into()
}
