//! A change on its way: from the request that makes it to 100 clients of a separate edge, with a database that loses nothing.

use std::rc::Rc;
use std::time::{Duration, Instant};

use harness::Stack;
use serde_json::json;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::sleep;

use crate::{
    cores::Cores,
    events::{Heard, listen, subscribe},
    goals::Goal,
    load::Connection,
    probe::{Probe, millis},
    report::{Figures, Report, percentile},
    requests,
    tenant::{Tenant, key_of},
};

pub const NAME: &str = "propagation";

const SUBSCRIBERS: usize = 100;
const FLAGS: usize = 100;
const WRITES: usize = 200;
/// Not to be counted: connections, statements and caches are made by the first.
const WARM_UP: usize = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// What was measured, ms.
#[derive(Default)]
struct Times {
    events: Vec<f64>,
    last: Vec<f64>,
    answers: Vec<f64>,
    commits: Vec<f64>,
    fsyncs: Vec<f64>,
}

pub async fn run(cores: &Cores, report: &mut Report) {
    let times = cores.everywhere(LocalSet::new().run_until(measure())).await;
    let fsync_p99 = percentile(&times.fsyncs, 99);
    let figures = Figures::from([
        ("last of 100 p50 ms", percentile(&times.last, 50)),
        ("last of 100 p99 ms", percentile(&times.last, 99)),
        ("answer of the PUT p50 ms", percentile(&times.answers, 50)),
        ("answer of the PUT p99 ms", percentile(&times.answers, 99)),
        ("commit p50 ms", percentile(&times.commits, 50)),
        ("commit p99 ms", percentile(&times.commits, 99)),
        ("fsync p50 ms", percentile(&times.fsyncs, 50)),
        ("fsync p99 ms", fsync_p99),
    ]);
    report.judge(
        NAME,
        "PUT of a state to its event, 100 clients, p50",
        "ms",
        Goal::at_most(10.0, 4.0),
        percentile(&times.events, 50),
        figures,
    );
    report.judge(
        NAME,
        "the same, p99 (bounds are on top of the fsync's p99)",
        "ms",
        Goal::at_most(fsync_p99 + 15.0, fsync_p99 + 5.0),
        percentile(&times.events, 99),
        Figures::new(),
    );
}

async fn measure() -> Times {
    let mut stack = Stack::start_with(&[("LOG_LEVEL", "info"), ("RATE_MANAGEMENT", "0")]).await;
    let tenant = Tenant::register(&stack, "bench").await;
    let edge = stack.edge_with(&[("LOG_LEVEL", "info")]).await;
    tenant
        .grow(&stack, FLAGS, &edge.with_key(&tenant.key))
        .await;
    let heard = Rc::new(Heard::default());
    let mut subscribers = JoinSet::new();
    for _ in 0..SUBSCRIBERS {
        let stream = subscribe(&edge.process.address("http"), &tenant.key).await;
        subscribers.spawn_local(listen(stream, Rc::clone(&heard)));
    }
    let control = stack.control.address("http");
    let mut writer = Connection::open(&control).await.expect("it listens");
    let mut probe = Probe::begin(&stack).await;
    let mut times = Times::default();
    for number in 0..WARM_UP + WRITES {
        let flag = key_of(10 + number % (FLAGS - 10));
        let state = json!({"enabled": number.is_multiple_of(2), "percentage_rollout": number});
        let path = tenant.state(&flag);
        let request = requests::managed(&tenant.owner.access_token, "PUT", &path, &state);
        heard.expect(SUBSCRIBERS);
        let began = Instant::now();
        let (status, _) = writer.ask(&request).await.expect("an answer");
        let answered = began.elapsed();
        assert_eq!(status, 200);
        let events = heard.all().await;
        if number < WARM_UP {
            continue;
        }
        let events = events.iter().map(|heard| millis(*heard - began));
        let events: Vec<_> = events.collect();
        times.last.push(percentile(&events, 100));
        times.events.extend(events);
        times.answers.push(millis(answered));
        times.commits.push(probe.commit().await);
        times.fsyncs.push(probe.fsync());
        sleep(PAUSE).await;
    }
    if let Some(ended) = subscribers.try_join_next() {
        ended.expect("clients listen to the end");
    }
    times
}
