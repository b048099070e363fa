//! 10,000 clients that wait for changes at one edge: the memory that each takes, and how long one change takes to the last.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::BoxStream;
use harness::{Edge, Stack};
use reqwest::Client;
use serde_json::json;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::sleep;

use crate::{
    cold_start::megabytes,
    cores::Cores,
    events::{Heard, listen, subscribe, subscribe_as_sdk},
    goals::Goal,
    load::Connection,
    probe::millis,
    report::{Figures, Report, median, percentile},
    requests,
    tenant::{Tenant, context, key_of},
    usage::Memory,
};

pub const NAME: &str = "streams";

const STREAMS: usize = 10_000;
/// Of one connection of HTTP/2.
const MULTIPLEXED: usize = 100;
const FLAGS: usize = 100;
const CHANGES: usize = 11;
const SETTLE: Duration = Duration::from_secs(2);

/// What the change took, ms, and what others waited for meanwhile.
#[derive(Default)]
struct Times {
    first: Vec<f64>,
    last: Vec<f64>,
    spread: Vec<f64>,
    waits: Vec<f64>,
}

pub async fn run(cores: &Cores, report: &mut Report) {
    serving::open_files::raise_limit();
    let mut stack = Stack::start_with(&[("LOG_LEVEL", "info"), ("RATE_MANAGEMENT", "0")]).await;
    let tenant = Tenant::register(&stack, "bench").await;
    let plenty = (2 * STREAMS).to_string();
    let settings = [
        ("LOG_LEVEL", "info"),
        ("STREAMS_PER_KEY", plenty.as_str()),
        ("STREAMS_PER_ADDRESS", plenty.as_str()),
        ("CONNECTIONS_PER_NETWORK", "0"),
        ("RATE_EVALUATION", "0"),
    ];
    let mut edge = cores.start_server(stack.edge_with(&settings)).await;
    tenant
        .grow(&stack, FLAGS, &edge.with_key(&tenant.key))
        .await;
    let multiplexed = multiplexed(&edge, &tenant).await;
    edge.process.terminate();

    // Another one, since allocators keep what they once had.
    let mut edge = cores.start_server(stack.edge_with(&settings)).await;
    tenant
        .is_served(&edge.with_key(&tenant.key), &key_of(FLAGS - 1))
        .await;
    let of_sdks = of_sdks(&edge, &tenant).await;
    edge.process.terminate();

    let edge = cores.start_server(stack.edge_with(&settings)).await;
    tenant
        .is_served(&edge.with_key(&tenant.key), &key_of(FLAGS - 1))
        .await;
    let (times, bytes) = LocalSet::new()
        .run_until(fan_out(&stack, &edge, &tenant))
        .await;
    tell_memory("HTTP/1.1", bytes, report);
    tell_memory("HTTP/2, 100 on each connection", multiplexed, report);
    tell_memory("of an SDK, HTTP/1.1", of_sdks, report);
    report.judge(
        NAME,
        "one change to 10,000 clients, one core, the last",
        "ms",
        Goal::at_most(135.0, 115.0),
        median(times.last.iter().copied()),
        Figures::from([
            ("first ms", median(times.first.iter().copied())),
            ("first to last ms", median(times.spread.iter().copied())),
            ("evaluation meanwhile p50 ms", percentile(&times.waits, 50)),
            (
                "evaluation meanwhile longest ms",
                percentile(&times.waits, 100),
            ),
        ]),
    );
}

fn tell_memory(kind: &str, bytes: f64, report: &mut Report) {
    report.judge(
        NAME,
        &format!("memory of an idle stream, {kind}"),
        "kB",
        Goal::at_most(6.0, 1.0),
        bytes / 1e3,
        Figures::new(),
    );
}

/// What each of some streams added to the edge.
fn each(before: Memory, after: Memory) -> f64 {
    let streams = u32::try_from(STREAMS).expect("ten thousand");
    (megabytes(after.resident) - megabytes(before.resident)) * 1e6 / f64::from(streams)
}

/// Opens 10,000 streams over HTTP/2 and closes them. The memory of each, in bytes.
async fn multiplexed(edge: &Edge, tenant: &Tenant) -> f64 {
    let before = Memory::of(edge.process.id());
    let url = format!("{}/v1/stream/dev", edge.url());
    let mut held = Vec::new();
    for _ in 0..STREAMS / MULTIPLEXED {
        let http = Client::builder()
            .no_proxy()
            .tls_certs_only([])
            .http2_prior_knowledge()
            .build()
            .expect("a client without special demands can be built");
        let opened = (0..MULTIPLEXED).map(|_| open(&http, &url, &tenant.key));
        let opened = join_all(opened).await;
        held.push((http, opened));
    }
    sleep(SETTLE).await;
    each(before, Memory::of(edge.process.id()))
}

/// Opens 10,000 streams as SDKs do, and closes them. The memory of each, in bytes.
async fn of_sdks(edge: &Edge, tenant: &Tenant) -> f64 {
    let address = edge.process.address("http");
    let before = Memory::of(edge.process.id());
    let mut held = Vec::new();
    for _ in 0..STREAMS {
        held.push(subscribe_as_sdk(&address, &tenant.key).await);
    }
    sleep(SETTLE).await;
    each(before, Memory::of(edge.process.id()))
}

async fn open(http: &Client, url: &str, key: &str) -> BoxStream<'static, reqwest::Result<Bytes>> {
    let answer = http.get(url).header("x-api-key", key).send().await;
    let answer = answer.expect("the edge answers");
    assert_eq!(answer.status(), 200);
    let mut events = answer.bytes_stream().boxed();
    let first = events.next().await.expect("an event");
    assert!(!first.expect("the stream stays").is_empty());
    events
}

async fn fan_out(stack: &Stack, edge: &Edge, tenant: &Tenant) -> (Times, f64) {
    let address = edge.process.address("http");
    let before = Memory::of(edge.process.id());
    let heard = Rc::new(Heard::default());
    let mut clients = JoinSet::new();
    for _ in 0..STREAMS {
        let stream = subscribe(&address, &tenant.key).await;
        clients.spawn_local(listen(stream, Rc::clone(&heard)));
    }
    sleep(SETTLE).await;
    let bytes = each(before, Memory::of(edge.process.id()));

    let waits = Rc::default();
    let asking = tokio::task::spawn_local(ask(address, tenant.key.clone(), Rc::clone(&waits)));
    let control = stack.control.address("http");
    let mut writer = Connection::open(&control).await.expect("it listens");
    let mut times = Times::default();
    for number in 0..=CHANGES {
        let flag = key_of(10 + number);
        let state = json!({"enabled": number.is_multiple_of(2), "percentage_rollout": number + 1});
        let path = tenant.state(&flag);
        let request = requests::managed(&tenant.owner.access_token, "PUT", &path, &state);
        heard.expect(STREAMS);
        let began = Instant::now();
        let (answer, events) = tokio::join!(writer.ask(&request), heard.all());
        assert_eq!(answer.expect("an answer").0, 200);
        let since = |heard: &Instant| millis(*heard - began);
        let first = events.iter().map(since).fold(f64::INFINITY, f64::min);
        let last = events.iter().map(since).fold(0.0, f64::max);
        // The first warms up.
        if number > 0 {
            times.first.push(first);
            times.last.push(last);
            times.spread.push(last - first);
        }
        sleep(Duration::from_millis(200)).await;
    }
    asking.abort();
    if let Some(ended) = clients.try_join_next() {
        ended.expect("clients listen to the end");
    }
    times.waits = waits.take();
    (times, bytes)
}

/// Somebody who evaluates meanwhile.
async fn ask(address: String, key: String, waits: Rc<RefCell<Vec<f64>>>) {
    let body = json!({"flag_key": key_of(4), "context": context(1)});
    let request = requests::post(&key, "/v1/evaluate", &body);
    let mut connection = Connection::open(&address).await.expect("it listens");
    loop {
        let began = Instant::now();
        let (status, _) = connection.ask(&request).await.expect("an answer");
        assert_eq!(status, 200);
        waits.borrow_mut().push(millis(began.elapsed()));
        sleep(Duration::from_millis(2)).await;
    }
}
