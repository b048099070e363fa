//! What an evaluation and a start take in this process: `cargo bench -p halyard`.

#![expect(clippy::print_stderr, reason = "a report for the terminal")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot go on has failed"
)]

#[path = "../tests/sample/mod.rs"]
mod sample;
#[path = "../tests/server/mod.rs"]
mod server;

use std::{hint::black_box, path::Path};

use criterion::{Criterion, criterion_group, criterion_main};
use halyard::{Client, Context, snapshot::Snapshot};
use serde_json::Value;

use tokio::runtime::Runtime;

use self::{
    sample::{environment, flag, with_rule},
    server::Server,
};

/// Flags of the environment.
const FLAGS: usize = 10_000;

fn contents() -> Snapshot {
    let mut flags: Vec<_> = (0..FLAGS)
        .map(|number| with_rule(&format!("flag-{number:05}")))
        .collect();
    flags.extend([
        flag("text", r#""a text""#),
        flag("json", r#"{"a":[1,2,3]}"#),
        flag("number", "2.5"),
    ]);
    environment(1, flags)
}

fn evaluations(criterion: &mut Criterion) {
    let client = Client::from_snapshot(contents()).expect("an environment");
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

/// Has a client write its local copy.
fn write_copy(path: &Path) {
    Runtime::new().expect("a runtime").block_on(async {
        let server = Server::start(contents()).await;
        let client = server.client().local_copy(path).start().await;
        client.expect("flags").close().await;
    });
}

fn starts(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("flags");
    write_copy(&path);
    let start = || Client::from_snapshot_file(&path).expect("a copy");
    let mut client = None;
    let held = allocation_counter::measure(|| client = Some(start()));
    let file = path.metadata().map_or(0, |file| file.len());
    eprintln!(
        "{FLAGS} flags: {} bytes held, {file} in the file",
        held.bytes_current
    );
    drop(client);
    let mut group = criterion.benchmark_group("start");
    group.sample_size(20);
    group.bench_function("from_a_local_copy", |bencher| bencher.iter(start));
    group.finish();
}

criterion_group!(benches, evaluations, starts);
criterion_main!(benches);
