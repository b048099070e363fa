//! An edge that starts from its cache, with 10,000 flags and nobody to ask: how long until it answers, and what it takes
//! when it is idle.

use std::time::{Duration, Instant};

use harness::Stack;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::{
    cores::Cores,
    goals::Goal,
    load::Connection,
    report::{Figures, Report, median, percentile},
    requests,
    tenant::{Tenant, context, key_of},
    usage::Memory,
};

pub const NAME: &str = "cold-start";

const FLAGS: usize = 10_000;
const STARTS: usize = 15;
const PATIENCE: Duration = Duration::from_secs(60);
/// After that the edge has settled.
const IDLE: Duration = Duration::from_secs(3);

/// Starts it over and over.
pub async fn run(cores: &Cores, report: &mut Report) {
    let mut stack = Stack::start_with(&[("LOG_LEVEL", "info")]).await;
    let tenant = Tenant::register(&stack, "bench").await;
    let settings = [("LOG_LEVEL", "info")];
    let mut edge = cores.start_server(stack.edge_with(&settings)).await;
    tenant
        .grow(&stack, FLAGS, &edge.with_key(&tenant.key))
        .await;
    sleep(IDLE).await;
    let fed = Memory::of(edge.process.id());
    // What is measured is the edge and its cache alone.
    stack.control.terminate();

    let flag = key_of(FLAGS / 2);
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        edge.process.terminate();
        let began = Instant::now();
        cores.start_server_now(|| edge.process.start_unwatched());
        first_answer(&edge.process.address("http"), &tenant.key, &flag).await;
        starts.push(began.elapsed().as_secs_f64() * 1e3);
    }
    sleep(IDLE).await;
    let idle = Memory::of(edge.process.id());
    report.judge(
        NAME,
        "exec to first right answer, 10,000 flags in the cache",
        "ms",
        Goal::at_most(40.0, 12.0),
        median(starts.iter().copied()),
        extremes(&starts),
    );
    report.judge(
        NAME,
        "idle memory, 10,000 flags from the cache",
        "MB",
        Goal::at_most(30.0, 15.0),
        megabytes(idle.resident),
        Figures::from([
            ("proportional MB", megabytes(idle.proportional)),
            ("anonymous MB", megabytes(idle.anonymous)),
            ("filled over the link, resident MB", megabytes(fed.resident)),
        ]),
    );
}

/// The fastest and the slowest of some times, ms.
pub fn extremes(times: &[f64]) -> Figures {
    Figures::from([
        ("fastest ms", percentile(times, 0)),
        ("slowest ms", percentile(times, 100)),
    ])
}

/// Waits until the edge at an address tells what a flag is. Before that it refuses.
pub async fn first_answer(address: &str, key: &str, flag: &str) {
    let body = json!({"flag_key": flag, "context": context(1)});
    let request = requests::post(key, "/v1/evaluate", &body);
    until_answered(address, &request, |body| {
        let answer: Value = serde_json::from_slice(body).expect("JSON");
        assert_eq!(answer["flag_key"], flag);
        answer["reason"] != "NOT_FOUND"
    })
    .await;
}

/// Asks a server that is just starting, until it answers 200 with the right body.
pub async fn until_answered(address: &str, request: &[u8], is_right: impl Fn(&[u8]) -> bool) {
    let asking = async {
        loop {
            if let Ok(mut connection) = Connection::open(address).await
                && let Ok((200, body)) = connection.fetch(request).await
                && is_right(&body)
            {
                return;
            }
            sleep(Duration::from_micros(200)).await;
        }
    };
    timeout(PATIENCE, asking)
        .await
        .expect("it starts from its cache");
}

#[expect(
    clippy::cast_precision_loss,
    reason = "megabytes are told with three digits"
)]
pub fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
