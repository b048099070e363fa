//! What Halyard costs: each benchmark measures release builds as real processes, beside a reference server where that is what its
//! goal is told in. `./dev bench [NAME…]` builds what is measured, and runs this. `docs/performance.md` says how to read it.
//!
//! It asserts no time: the figures are judged in a table.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "people read what it finds"
)]

mod beside;
mod cold_start;
mod cores;
mod events;
mod files;
mod goals;
mod growth;
mod in_process;
mod load;
mod machine;
mod million;
mod paths;
mod peer;
mod probe;
mod propagation;
mod proxy;
mod releases;
mod report;
mod requests;
mod sdk;
mod snapshots;
mod streams;
mod tenant;
mod threads;
mod usage;
mod writes;

use std::env;
use std::process::ExitCode;

use cores::Cores;
use machine::Machine;
use report::Report;

/// The names of those that do not ask evaluations over HTTP.
const OTHERS: &[&str] = &[
    in_process::NAME,
    in_process::DELTA,
    growth::NAME,
    threads::NAME,
    peer::NAME,
    proxy::NAME,
    cold_start::NAME,
    files::NAME,
    propagation::NAME,
    sdk::NAME,
    streams::NAME,
    million::NAME,
    writes::NAME,
    writes::LISTS,
    beside::NAME,
];

/// Which benchmarks are run: those whose names contain one of these, or all.
struct Plan(Vec<String>);

impl Plan {
    /// Who misspells one is told the names that there are.
    fn new(mut wanted: Vec<String>) -> Result<Self, String> {
        let names: Vec<_> = paths::names().chain(OTHERS.iter().copied()).collect();
        if wanted.iter().any(|name| name == "all") {
            wanted.clear();
        }
        let is_known = |wanted: &&String| names.iter().any(|name| name.contains(wanted.as_str()));
        match wanted.iter().find(|wanted| !is_known(wanted)) {
            Some(unknown) => Err(format!(
                "there is no benchmark `{unknown}`; there are {}",
                names.join(", ")
            )),
            None => Ok(Self(wanted)),
        }
    }

    fn wants(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|wanted| name.contains(wanted.as_str()))
    }
}

// One thread: where it runs is where what it starts begins.
#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let prepared =
        Plan::new(env::args().skip(1).collect()).and_then(|plan| Ok((plan, Cores::choose()?)));
    let (plan, cores) = match prepared {
        Ok(prepared) => prepared,
        Err(problem) => {
            eprintln!("{problem}");
            return ExitCode::FAILURE;
        }
    };
    let mut report = Report::begin(Machine::look().await);
    paths::run(|name| plan.wants(name), &cores, &mut report).await;
    if plan.wants(in_process::NAME) {
        in_process::run(&mut report);
    }
    if plan.wants(threads::NAME) {
        cores.everywhere(async { threads::run(&mut report) }).await;
    }
    if plan.wants(peer::NAME) {
        peer::run(&mut report);
    }
    if plan.wants(proxy::NAME) {
        proxy::run(&cores, &mut report).await;
    }
    if plan.wants(cold_start::NAME) {
        cold_start::run(&cores, &mut report).await;
    }
    if plan.wants(files::NAME) {
        files::run(&cores, &mut report).await;
    }
    if plan.wants(propagation::NAME) {
        propagation::run(&cores, &mut report).await;
    }
    if plan.wants(sdk::NAME) {
        cores.everywhere(async { sdk::run(&mut report) }).await;
    }
    if plan.wants(streams::NAME) {
        streams::run(&cores, &mut report).await;
    }
    if plan.wants(in_process::DELTA) {
        in_process::run_delta(&mut report);
    }
    if plan.wants(growth::NAME) {
        growth::run(&mut report);
    }
    if plan.wants(million::NAME) {
        million::run(&cores, &mut report).await;
    }
    if plan.wants(writes::NAME) {
        cores.everywhere(writes::run(&mut report)).await;
    }
    if plan.wants(writes::LISTS) {
        cores.everywhere(writes::run_lists(&mut report)).await;
    }
    if plan.wants(beside::NAME) {
        beside::run(&cores, &mut report).await;
    }
    report.finish();
    ExitCode::SUCCESS
}
