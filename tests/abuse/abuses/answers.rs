//! Answers that are large, or that nobody reads.

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::attacker::Attacker;
use crate::measure::Abuse;

/// A state of nearly a megabyte.
fn large_state(number: usize) -> Value {
    let rules: Vec<Value> = (0..14)
        .map(|rule| json!({"value": {"number": number, "rule": rule, "text": "v".repeat(60_000)}}))
        .collect();
    json!({"enabled": true, "rules": rules})
}

/// Makes an audit trail of large changes.
async fn fill_the_trail(attacker: &Attacker) {
    attacker.make_flag("a", "json").await;
    for number in 0..60 {
        let request = attacker.managed(Method::PUT, &attacker.state("a"));
        attacker
            .is_accepted(request.json(&large_state(number)))
            .await;
    }
}

const TRAIL: &str = "/v1/audit?limit=100";

/// Pages of the audit trail whose entries are as large as they can be made.
pub struct LargeAuditPages;

impl Abuse for LargeAuditPages {
    const NAME: &str = "audit-pages";

    async fn prepare(attacker: &Attacker) -> Self {
        fill_the_trail(attacker).await;
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        attacker
            .flood(8, |_| attacker.managed(Method::GET, TRAIL))
            .await;
    }
}

/// Connections that ask and do not read.
pub struct ReadersThatDoNotRead;

impl Abuse for ReadersThatDoNotRead {
    const NAME: &str = "readers";

    async fn prepare(attacker: &Attacker) -> Self {
        fill_the_trail(attacker).await;
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        let address = attacker.control.trim_start_matches("http://");
        let token = &attacker.owner.access_token;
        let head =
            format!("GET {TRAIL} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\n\r\n");
        let head = &head;
        join_all((0..200).map(|number| async move {
            sleep(Duration::from_millis(50 * number)).await;
            loop {
                let Ok(mut stream) = TcpStream::connect(address).await else {
                    continue;
                };
                if stream.write_all(head.as_bytes()).await.is_ok() {
                    // As long as it is let.
                    let ended = async {
                        while stream.write_all(b"").await.is_ok() && is_open(&stream).await {}
                    };
                    drop(timeout(Duration::from_secs(60), ended).await);
                }
            }
        }))
        .await;
    }
}

/// Whether the other side has neither ended nor reset the connection; looks once a second.
async fn is_open(stream: &TcpStream) -> bool {
    sleep(Duration::from_secs(1)).await;
    matches!(stream.take_error(), Ok(None))
}

/// Numbers that are short in a body and long in the database.
pub struct LongNumbers;

impl Abuse for LongNumbers {
    const NAME: &str = "numbers";

    async fn prepare(attacker: &Attacker) -> Self {
        attacker.make_flag("n", "json").await;
        Self
    }

    async fn attack(&self, attacker: &Attacker) {
        let numbers = vec!["1e308"; 10_000].join(",");
        let body = format!("{{\"enabled\": true, \"default_value\": [{numbers}]}}");
        attacker
            .flood(8, |number| {
                let request = if number % 4 == 0 {
                    attacker.managed(Method::GET, TRAIL)
                } else {
                    let request = attacker.managed(Method::PUT, &attacker.state("n"));
                    request
                        .header("content-type", "application/json")
                        .body(body.clone())
                };
                request.timeout(Duration::from_secs(30))
            })
            .await;
    }
}
