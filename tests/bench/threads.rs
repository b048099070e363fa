//! Whether threads that answer requests hold each other up: the same requests, without a network, by one thread and by two at once.
//! What all of them write to would have both wait, and more of them wait longer.

use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;

use edge_node::Front;
use tokio::runtime::Builder;

use crate::in_process::{bodies, front, requests, send};
use crate::report::{Figures, Report, median};

pub const NAME: &str = "threads";

/// Of each thread in a round.
const REQUESTS: u32 = 20_000;
const ROUNDS: usize = 15;

/// To be run on all cores.
pub fn run(report: &mut Report) {
    let front = front();
    let rounds: Vec<_> = (0..=ROUNDS)
        .map(|_| (round(&front, 1), round(&front, 2)))
        .skip(1)
        .collect();
    let of_one = median(rounds.iter().map(|(one, _)| *one));
    let of_two = median(rounds.iter().map(|(_, two)| *two));
    report.tell(
        NAME,
        "a request while another thread answers too, to one alone",
        "times",
        median(rounds.iter().map(|(one, two)| two / one)),
        Figures::from([("one thread ns", of_one), ("two threads ns", of_two)]),
    );
}

/// The time of a request, ns, while so many threads answer. Each has a connection of its own.
fn round(front: &Front, threads: usize) -> f64 {
    let start = Barrier::new(threads);
    let times = thread::scope(|scope| {
        let answering: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| answer(Arc::new(front.clone()), &start)))
            .collect();
        let times = answering.into_iter().map(|thread| thread.join());
        times
            .map(|time| time.expect("it answers"))
            .collect::<Vec<_>>()
    });
    median(times.into_iter())
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
