//! Whether threads that answer requests hold each other up: two of them answer the same requests at once, without a network, at one edge
//! and at an edge for each. What all threads of an edge write to would have both wait, and more of them wait longer.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;

use edge_node::Front;
use tokio::runtime::Builder;

use crate::{
    in_process::{bodies, front, requests, send},
    report::{Figures, Report, median},
};

pub const NAME: &str = "threads";

/// Of each thread in a round.
const REQUESTS: u32 = 20_000;
const ROUNDS: usize = 15;

/// To be run on all cores.
pub fn run(report: &mut Report) {
    let (first, second) = (front(), front());
    let rounds: Vec<_> = (0..=ROUNDS)
        .map(|_| {
            [
                round(&[&first]),
                round(&[&first; 2]),
                round(&[&first, &second]),
            ]
        })
        .skip(1)
        .collect();
    let time = |kind: usize| median(rounds.iter().map(|times| times[kind]));
    report.tell(
        NAME,
        "a request of two threads at one edge, to an edge for each",
        "times",
        median(rounds.iter().map(|[_, shared, apart]| shared / apart)),
        Figures::from([
            ("one thread ns", time(0)),
            ("two at one edge ns", time(1)),
            ("two at an edge each ns", time(2)),
        ]),
    );
}

/// The time of a request, ns, while a thread answers for each of these. Each has a connection of its own.
fn round(fronts: &[&Front]) -> f64 {
    let start = Barrier::new(fronts.len());
    let times = thread::scope(|scope| {
        let answering = fronts.iter().map(|&front| {
            let start = &start;
            scope.spawn(move || answer(Arc::new(front.clone()), start))
        });
        let answering: Vec<_> = answering.collect();
        let times = answering.into_iter().map(|thread| thread.join());
        times
            .map(|time| time.expect("it answers"))
            .collect::<Vec<_>>()
    });
    median(times)
}

fn answer(front: Arc<Front>, start: &Barrier) -> f64 {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let requests = requests(&bodies(), REQUESTS.into());
    start.wait();
    let began = Instant::now();
    send(&runtime, &front, requests);
    began.elapsed().as_secs_f64() * 1e9 / f64::from(REQUESTS)
}
