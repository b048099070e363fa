//! Costs without a network, timed by criterion; allocations, counted.

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use allocation_counter::measure;
use axum::body::{Body, to_bytes};
use axum::http::Request;
use bytes::Bytes;
use criterion::Criterion;
use edge_node::{Edge, EdgeSettings, Front, Listing, Outcome};
use futures_util::FutureExt;
use harness::places;
use protocol::digest;
use protocol::eval::{Context, Environment, Scratch, evaluate};
use protocol::signature::{PublicKey, SigningKey};
use protocol::snapshot::Snapshot;
use protocol::wire::frame;
use protocol::wire::message::{Epoch, Push};
use serde_json::{Value, json};
use serving::clock::Clock;
use serving::layers;
use serving::listener::Application;
use serving::settings::Reader;
use tokio::runtime::Runtime;

use crate::{
    goals::Goal,
    report::{Figures, Report},
    snapshots::{KEY, environment, toggled},
    tenant::{context, key_of},
};

pub const NAME: &str = "in-process";
pub const DELTA: &str = "delta";

const USERS: usize = 64;
const FLAGS: usize = 1_000;
const LARGE: usize = 10_000;
pub const PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 4_711);
/// Allocations are counted over so many requests.
const COUNTED: u32 = 100;

/// Measures on a thread of its own: criterion waits, and this program's one runtime must not.
pub fn apart<T: Send>(work: impl FnOnce(&mut Timer) -> T + Send) -> T {
    std::thread::scope(|scope| {
        let measuring = scope.spawn(|| work(&mut Timer::new()));
        measuring.join().expect("measuring does not panic")
    })
}

/// Criterion, and where it stores what it finds.
pub struct Timer {
    criterion: Criterion,
    folder: std::path::PathBuf,
}

impl Timer {
    fn new() -> Self {
        let folder = places::target().join("criterion");
        Self {
            criterion: Criterion::default()
                .without_plots()
                .sample_size(30)
                .warm_up_time(Duration::from_secs(1))
                .measurement_time(Duration::from_secs(3))
                .output_directory(&folder),
            folder,
        }
    }

    /// The median time of one call, ns.
    pub fn time(&mut self, name: &str, mut call: impl FnMut()) -> f64 {
        self.criterion
            .bench_function(name, |bencher| bencher.iter(&mut call));
        median_in(&self.folder.join(name))
    }

    /// The same for what measures the time of so many calls itself.
    fn time_of(&mut self, name: &str, mut calls: impl FnMut(u64) -> Duration) -> f64 {
        self.criterion
            .bench_function(name, |bencher| bencher.iter_custom(&mut calls));
        median_in(&self.folder.join(name))
    }
}

fn median_in(folder: &Path) -> f64 {
    let text = std::fs::read(folder.join("new/estimates.json")).expect("criterion stores it");
    let estimates: Value = serde_json::from_slice(&text).expect("JSON");
    let median = estimates["median"]["point_estimate"].as_f64();
    median.expect("criterion estimates it")
}

/// One evaluation, and one whole request.
pub fn run(report: &mut Report) {
    let (nanos, allocations) = apart(one_evaluation);
    report.judge(
        NAME,
        "an evaluation of two conditions and a rollout",
        "ns",
        Goal::at_most(40.0, 25.0),
        nanos,
        Figures::new(),
    );
    let none = Goal::at_most(0.0, 0.0);
    report.judge(
        NAME,
        "allocations of an evaluation",
        "",
        none,
        allocations,
        Figures::new(),
    );
    let (nanos, allocations) = apart(one_question);
    report.judge(
        NAME,
        "a question: key, look-up, parsing, evaluation, answer",
        "ns",
        Goal::at_most(450.0, 330.0),
        nanos,
        Figures::from([("allocations", allocations)]),
    );
    let (nanos, allocations) = apart(whole_request);
    report.tell(
        NAME,
        "the same with what is around it, without a network",
        "ns",
        nanos,
        Figures::from([("allocations", allocations)]),
    );
}

fn one_evaluation(timer: &mut Timer) -> (f64, f64) {
    let nanos = time_evaluation(timer, "evaluation");
    let mut count = 0;
    evaluations(|evaluate| {
        // What is kept for the next evaluation is allocated by the first ones.
        (0..COUNTED).for_each(|_| evaluate());
        count = measure(|| (0..COUNTED).for_each(|_| evaluate())).count_total;
    });
    (nanos, each(count))
}

/// The time of one evaluation of two conditions and a rollout, ns.
pub fn time_evaluation(timer: &mut Timer, name: &str) -> f64 {
    let mut nanos = 0.0;
    evaluations(|evaluate| nanos = timer.time(name, evaluate));
    nanos
}

/// Hands over an evaluation, each time for another user.
fn evaluations(measure: impl FnOnce(&mut dyn FnMut())) {
    let environment = Environment::prepare(&environment(FLAGS)).expect("it can be prepared");
    // The model with two conditions and a rollout.
    let flag = environment.flag(&key_of(4)).expect("the flag");
    let texts: Vec<_> = (0..USERS).map(|user| context(user).to_string()).collect();
    let contexts: Vec<Context<'_>> = texts
        .iter()
        .map(|text| serde_json::from_str(text).expect("a context"))
        .collect();
    let mut scratch = Scratch::default();
    let mut users = contexts.iter().cycle();
    measure(&mut || {
        let context = users.next().expect("an endless list");
        black_box(evaluate(
            &environment,
            flag,
            black_box(context),
            &mut scratch,
        ));
    });
}

fn one_question(timer: &mut Timer) -> (f64, f64) {
    let runtime = runtime();
    let _entered = runtime.enter();
    let front = front();
    let bodies: Vec<_> = bodies().into_iter().map(Bytes::from).collect();
    let mut bodies = bodies.iter().cycle();
    let mut ask = || {
        let body = bodies.next().expect("an endless list").clone();
        let answer = front.evaluate(KEY.as_bytes(), body);
        // Nothing in it waits.
        let answer = answer.now_or_never().expect("an answer at once");
        black_box(answer.expect("no refusal"))
    };
    let answer: Value = serde_json::from_slice(&ask()).expect("JSON");
    assert_eq!(answer["flag_key"], key_of(4), "{answer}");

    let nanos = timer.time("question", || drop(ask()));
    let counted = measure(|| (0..COUNTED).for_each(|_| drop(ask())));
    (nanos, each(counted.count_total))
}

pub fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}

fn whole_request(timer: &mut Timer) -> (f64, f64) {
    let runtime = runtime();
    let _entered = runtime.enter();
    let front = Arc::new(front());
    let bodies = bodies();
    let answer = runtime.block_on(ask(&front, request(&bodies[0])));
    assert_eq!(answer["flag_key"], key_of(4), "{answer}");

    let nanos = timer.time_of("request", |times| {
        let requests = requests(&bodies, times);
        let began = Instant::now();
        send(&runtime, &front, requests);
        began.elapsed()
    });
    let requests = requests(&bodies, u64::from(COUNTED));
    let counted = measure(|| send(&runtime, &front, requests));
    (nanos, each(counted.count_total))
}

/// The body of an evaluation, for each user.
pub fn bodies() -> Vec<String> {
    let body = |user| json!({"flag_key": key_of(4), "context": context(user)});
    (0..USERS).map(|user| body(user).to_string()).collect()
}

fn each(count: u64) -> f64 {
    let count = u32::try_from(count).expect("few allocations");
    f64::from(count) / f64::from(COUNTED)
}

/// An edge of this process that serves the mix, as `halyard-edge` does.
pub fn front() -> Front {
    front_of(environment(FLAGS))
}

/// One that serves an environment.
pub fn front_of(snapshot: Snapshot) -> Front {
    let settings =
        std::collections::BTreeMap::from([("RATE_EVALUATION".to_owned(), u32::MAX.to_string())]);
    let mut reader = Reader::new(&settings);
    let settings = EdgeSettings::load(&mut reader);
    reader.finish().expect("settings");
    let edge = Edge::new(settings, Clock::system(), None);
    edge.expect(Epoch([1; 16]), &Listing::default());
    let digest = digest::of(&snapshot);
    let outcome = edge.apply(&Push::Snapshot(snapshot, digest));
    assert!(matches!(outcome, Outcome::Applied { .. }), "{outcome:?}");
    edge.front(layers::common(edge.router()))
}

/// Single evaluations by as many users, over and over.
pub fn requests(bodies: &[String], times: u64) -> Vec<Request<Body>> {
    let bodies = bodies.iter().cycle();
    let times = usize::try_from(times).expect("criterion's number of times");
    bodies.take(times).map(|body| request(body)).collect()
}

fn request(body: &str) -> Request<Body> {
    Request::post("/v1/evaluate")
        .header("host", "edge.test")
        .header("x-api-key", KEY)
        .header("content-type", "application/json")
        .header("content-length", body.len())
        .body(Body::from(body.to_owned()))
        .expect("a request")
}

/// Answers them one after the other.
pub fn send(runtime: &Runtime, front: &Arc<Front>, requests: Vec<Request<Body>>) {
    runtime.block_on(async {
        for request in requests {
            black_box(Arc::clone(front).answer(request, PEER).await);
        }
    });
}

async fn ask(front: &Arc<Front>, request: Request<Body>) -> Value {
    let answer = Arc::clone(front).answer(request, PEER).await;
    assert_eq!(answer.status(), 200);
    let body = to_bytes(answer.into_body(), usize::MAX).await;
    serde_json::from_slice(&body.expect("a body")).expect("JSON")
}

/// One changed flag among 10,000: its size on the link, the time that applying it takes, and what its signature adds on the
/// way from a control plane to an edge and an SDK, of which each follows the change and the latter two verify it.
pub fn run_delta(report: &mut Report) {
    let (bytes, nanos, signature_nanos) = apart(|timer| {
        let snapshot = environment(LARGE);
        let held = Environment::prepare(&snapshot).expect("it can be prepared");
        let delta = toggled(&snapshot, LARGE / 2);
        let frame = frame::encode(&Push::Delta(delta.clone())).expect("a small message");
        let nanos = timer.time("delta", || {
            black_box(held.apply(black_box(&delta))).expect("it applies");
        });
        let key = SigningKey::from_seed(&[1; 32]).expect("a seed");
        let trusted = [PublicKey::new(&key.public_key()).expect("a key")];
        // From now on it is followed.
        black_box(held.contents());
        let contents = held.apply(&delta).expect("it applies").contents();
        let signature = key.sign(&contents, 1);
        let followed = timer.time("delta, followed", || {
            let next = held.apply(black_box(&delta)).expect("it applies");
            black_box(next.contents());
        });
        let signed = timer.time("signing", || {
            black_box(key.sign(black_box(&contents), 1));
        });
        let verified = timer.time("verifying", || {
            let verified = signature.verify(black_box(&contents), &trusted);
            verified.expect("it was signed");
        });
        let added = 3.0 * (followed - nanos) + signed + 2.0 * verified;
        (frame.len(), nanos, added)
    });
    let bytes = u32::try_from(bytes).expect("a small message");
    report.judge(
        DELTA,
        "bytes on the link for one changed flag",
        "B",
        Goal::at_most(1_000.0, 450.0),
        bytes.into(),
        Figures::new(),
    );
    report.judge(
        DELTA,
        "applying it at 10,000 flags",
        "ms",
        Goal::at_most(1.0, 0.15),
        nanos / 1e6,
        Figures::new(),
    );
    report.judge(
        DELTA,
        "its signature, from a control plane to an SDK",
        "ms",
        // Of the 6.5 ms that a change takes to 100 clients, 5 in 100.
        Goal::at_most(0.325, 0.1),
        signature_nanos / 1e6,
        Figures::new(),
    );
}
