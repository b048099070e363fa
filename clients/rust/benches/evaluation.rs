//! What an evaluation takes in this process: `cargo bench -p halyard`.

#[path = "../tests/sample/mod.rs"]
mod sample;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use halyard::{Client, Context};
use serde_json::Value;

use self::sample::{environment, flag, with_rule};

/// Flags of the environment.
const FLAGS: usize = 10_000;

fn evaluations(criterion: &mut Criterion) {
    let mut flags: Vec<_> = (0..FLAGS)
        .map(|number| with_rule(&format!("flag-{number:05}")))
        .collect();
    flags.extend([
        flag("text", r#""a text""#),
        flag("json", r#"{"a":[1,2,3]}"#),
        flag("number", "2.5"),
    ]);
    let client = Client::from_snapshot(environment(1, flags)).expect("an environment");
    let user = Context::builder("user-1").with("plan", "pro").build();
    let mut group = criterion.benchmark_group("evaluation");
    group.bench_function("bool_with_a_rule", |bencher| {
        bencher.iter(|| client.bool(black_box("flag-05000"), black_box(&user), false));
    });
    group.bench_function("number", |bencher| {
        bencher.iter(|| client.number(black_box("number"), black_box(&user), 0.0));
    });
    group.bench_function("string", |bencher| {
        bencher.iter(|| client.string(black_box("text"), black_box(&user), ""));
    });
    group.bench_function("json", |bencher| {
        bencher.iter(|| client.json(black_box("json"), black_box(&user), Value::Null));
    });
    group.bench_function("bool_of_no_flag", |bencher| {
        bencher.iter(|| client.bool(black_box("absent"), black_box(&user), false));
    });
    group.finish();
}

criterion_group!(benches, evaluations);
criterion_main!(benches);
