//! The load generator: 64 connections that ask one question after the other, from one thread.

mod connection;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::sleep;

pub use self::connection::Connection;
use crate::usage::CpuTime;

const CONNECTIONS: usize = 64;
/// Before anything is counted, in each round.
const LEAD: Duration = Duration::from_millis(300);
const ROUND: Duration = Duration::from_secs(2);

/// A server under load, and what it is asked.
#[derive(Clone)]
pub struct Subject {
    pub process: u32,
    pub address: String,
    /// Each connection sends them all, over and over.
    pub requests: Rc<[Bytes]>,
    /// What each is answered with.
    pub status: u16,
    /// At least so many bytes are in each answer's body.
    pub body: usize,
}

/// What one round showed.
pub struct Round {
    /// Answers a second.
    pub rate: f64,
    /// Time of the server's process for one answer, µs.
    pub cpu: f64,
    pub user: f64,
    /// From sending to having read the answer, µs.
    pub waits: Vec<f64>,
}

#[derive(Default)]
struct Counted {
    is_counting: Cell<bool>,
    answers: Cell<u32>,
    waits: RefCell<Vec<f64>>,
}

/// Has a server work for a while.
///
/// # Panics
/// When an answer is not what it should be: a load of refusals would show nothing.
pub async fn round(subject: &Subject) -> Round {
    LocalSet::new().run_until(loaded(subject)).await
}

async fn loaded(subject: &Subject) -> Round {
    let counted = Rc::new(Counted::default());
    let mut connections = JoinSet::new();
    for first in 0..CONNECTIONS {
        connections.spawn_local(ask(subject.clone(), first, Rc::clone(&counted)));
    }
    sleep(LEAD).await;
    let (began, cpu) = (Instant::now(), CpuTime::of(subject.process));
    counted.is_counting.set(true);
    sleep(ROUND).await;
    counted.is_counting.set(false);
    let cpu = CpuTime::of(subject.process).since(cpu);
    let lasted = began.elapsed();
    if let Some(ended) = connections.try_join_next() {
        ended.expect("connections do not end");
    }
    let answers = f64::from(counted.answers.get());
    let micros = |time: Duration| time.as_secs_f64() * 1e6 / answers;
    Round {
        rate: answers / lasted.as_secs_f64(),
        cpu: micros(cpu.whole()),
        user: micros(cpu.user),
        waits: counted.waits.take(),
    }
}

async fn ask(subject: Subject, first: usize, counted: Rc<Counted>) {
    let mut connection = Connection::open(&subject.address)
        .await
        .expect("the server listens");
    let first = first % subject.requests.len();
    for request in subject.requests.iter().cycle().skip(first) {
        let asked = Instant::now();
        let answer = connection.ask(request).await;
        let (status, body) = answer.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(status, subject.status, "a benchmark needs right answers");
        assert!(body >= subject.body, "only {body} bytes");
        if counted.is_counting.get() {
            counted.answers.set(counted.answers.get() + 1);
            let wait = asked.elapsed().as_secs_f64() * 1e6;
            counted.waits.borrow_mut().push(wait);
        }
    }
}
