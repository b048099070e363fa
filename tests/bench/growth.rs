//! How costs grow with an environment, in this process: each is measured at three sizes, and its exponent told. 0 is a cost that
//! does not grow, 1 one that grows as the flags do.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::http::Request;
use bytes::Bytes;
use futures_util::FutureExt;
use protocol::digest;
use protocol::eval::{Context, Environment, Scratch, evaluate};
use protocol::snapshot::Snapshot;
use protocol::wire::{
    frame::{self, FrameHeader},
    message::Push,
};
use serde_json::json;
use serving::listener::Application;

use crate::{
    in_process::{self, apart},
    report::{Figures, Report, median},
    snapshots::{KEY, environment, toggled},
    tenant::{context, key_of},
};

pub const NAME: &str = "growth";

/// Flags of the environment; each ten times the one before, as [`exponent`] assumes.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const NAMES: [&str; 3] = ["1,000 flags µs", "10,000 flags µs", "100,000 flags µs"];

/// A batch of calls takes at least so long, which the clock can tell.
const BATCH: Duration = Duration::from_millis(1);
/// So many batches are measured, or fewer where they take longer than all may.
const BATCHES: usize = 50;
const ENOUGH: Duration = Duration::from_secs(2);

/// What is measured, and its time in µs.
type Cost = (&'static str, f64);

pub fn run(report: &mut Report) {
    let [small, middle, large] = apart(|_| SIZES.map(costs));
    for ((of_small, of_middle), of_large) in small.into_iter().zip(middle).zip(large) {
        let times = [of_small.1, of_middle.1, of_large.1];
        report.tell(
            NAME,
            of_small.0,
            "exponent",
            exponent(times),
            Figures::from_iter(NAMES.into_iter().zip(times)),
        );
    }
}

/// The slope of the line through three times on paper with logarithmic axes: in the middle of equal steps no time has a part in it.
fn exponent([small, _, large]: [f64; 3]) -> f64 {
    (large / small).log10() / 2.0
}

fn costs(flags: usize) -> Vec<Cost> {
    let snapshot = environment(flags);
    let held = Environment::prepare(&snapshot).expect("it can be prepared");
    let change = toggled(&snapshot, flags / 2);
    let push = Push::Snapshot(snapshot.clone(), digest::of(&snapshot));
    let encoded = frame::encode(&push).expect("a message");
    let mut costs = vec![
        (
            "to prepare an environment",
            micros(|| drop(black_box(Environment::prepare(&snapshot)))),
        ),
        (
            "its digest",
            micros(|| {
                black_box(digest::of(&snapshot));
            }),
        ),
        (
            "to encode it for the link",
            micros(|| drop(black_box(frame::encode(&push)))),
        ),
        ("to decode it", micros(|| drop(black_box(decode(&encoded))))),
        (
            "to apply a change of one flag",
            micros(|| drop(black_box(held.apply(&change)))),
        ),
        ("an evaluation of one flag", evaluation(&held)),
    ];
    costs.extend(answers(snapshot));
    costs
}

fn decode(encoded: &[u8]) -> Push {
    let (header, payload) = encoded.split_first_chunk().expect("a header");
    let header = FrameHeader::parse(*header, frame::PUSH_LIMIT).expect("a header");
    frame::decode(header, payload).expect("a message")
}

fn evaluation(environment: &Environment) -> f64 {
    let flag = environment.flag(&key_of(4)).expect("the flag");
    let text = context(0).to_string();
    let context: Context<'_> = serde_json::from_str(&text).expect("a context");
    let mut scratch = Scratch::default();
    micros(|| {
        black_box(evaluate(
            environment,
            flag,
            black_box(&context),
            &mut scratch,
        ));
    })
}

/// What an edge that serves it answers.
fn answers(snapshot: Snapshot) -> [Cost; 2] {
    let runtime = in_process::runtime();
    let _entered = runtime.enter();
    let front = Arc::new(in_process::front_of(snapshot));
    let one = Bytes::from(json!({"flag_key": key_of(4), "context": context(0)}).to_string());
    let question = micros(|| {
        let answer = front.evaluate(KEY.as_bytes(), one.clone()).now_or_never();
        black_box(answer.expect("nothing in it waits").expect("no refusal"));
    });
    let all = json!({"context": context(0)}).to_string();
    let whole = micros(|| {
        runtime.block_on(async {
            let request = Request::post("/v1/client/dev/flags")
                .header("x-api-key", KEY)
                .header("content-type", "application/json")
                .body(Body::from(all.clone()))
                .expect("a request");
            let answer = Arc::clone(&front).answer(request, in_process::PEER).await;
            assert_eq!(answer.status(), 200);
            let body = to_bytes(answer.into_body(), usize::MAX).await;
            black_box(body.expect("a body"));
        });
    });
    [
        ("a question about one flag", question),
        ("a question about all flags", whole),
    ]
}

/// The time of one call, µs: the median of batches.
fn micros(mut call: impl FnMut()) -> f64 {
    let mut batch = 1;
    while timed(batch, &mut call) < BATCH {
        batch *= 2;
    }
    let began = Instant::now();
    let mut times = Vec::new();
    while times.len() < BATCHES && (times.len() < 3 || began.elapsed() < ENOUGH) {
        times.push(timed(batch, &mut call).as_secs_f64() * 1e6 / f64::from(batch));
    }
    median(times)
}

fn timed(calls: u32, call: &mut impl FnMut()) -> Duration {
    let began = Instant::now();
    (0..calls).for_each(|_| call());
    began.elapsed()
}
