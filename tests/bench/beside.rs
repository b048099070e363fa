//! A control plane whose built-in edge answers 10,000 evaluations a second: how long people wait for the management API.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use harness::Stack;
use serde_json::json;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::interval;

use crate::{
    cores::Cores,
    goals::Goal,
    load::Connection,
    probe::millis,
    report::{Figures, Report, percentile},
    requests,
    tenant::{Tenant, context, key_of},
};

pub const NAME: &str = "beside";

const FLAGS: usize = 1_000;
const CONNECTIONS: usize = 64;
const RATE: u32 = 10_000;
const LASTS: Duration = Duration::from_secs(10);
/// People ask so often.
const PAUSE: Duration = Duration::from_millis(20);

pub async fn run(cores: &Cores, report: &mut Report) {
    let unlimited = u32::MAX.to_string();
    let settings = [
        ("LOG_LEVEL", "info"),
        ("RATE_MANAGEMENT", "0"),
        ("RATE_EVALUATION", &unlimited),
    ];
    let stack = cores.everywhere(Stack::start_with(&settings)).await;
    let tenant = Tenant::register(&stack, "bench").await;
    tenant.grow(&stack, FLAGS, &stack.anonymous()).await;
    let alone = LocalSet::new().run_until(manage(&stack, &tenant)).await;
    let (beside, rate) = LocalSet::new().run_until(loaded(&stack, &tenant)).await;
    report.judge(
        NAME,
        "management beside 10,000 evaluations a second, p99",
        "ms",
        Goal::at_most(20.0, 20.0),
        percentile(&beside, 99),
        Figures::from([
            ("p50 ms", percentile(&beside, 50)),
            ("alone p50 ms", percentile(&alone, 50)),
            ("alone p99 ms", percentile(&alone, 99)),
            ("evaluations /s", rate),
        ]),
    );
}

/// The times of management while others evaluate, and how many evaluations there were a second.
async fn loaded(stack: &Stack, tenant: &Tenant) -> (Vec<f64>, f64) {
    let address = stack.control.address("http");
    let answered = Rc::new(Cell::new(0_u32));
    let mut connections = JoinSet::new();
    for user in 0..CONNECTIONS {
        let body = json!({"flag_key": key_of(user * 7 % FLAGS), "context": context(user)});
        let request = requests::post(&tenant.key, "/v1/evaluate", &body);
        connections.spawn_local(evaluate(address.clone(), request, Rc::clone(&answered)));
    }
    let began = Instant::now();
    let times = manage(stack, tenant).await;
    let rate = f64::from(answered.get()) / began.elapsed().as_secs_f64();
    if let Some(ended) = connections.try_join_next() {
        ended.expect("connections do not end");
    }
    (times, rate)
}

/// Evaluates at an even pace, for ever.
async fn evaluate(address: String, request: Bytes, answered: Rc<Cell<u32>>) {
    let mut connection = Connection::open(&address).await.expect("it listens");
    let connections = u32::try_from(CONNECTIONS).expect("a few");
    let mut due = interval(Duration::from_secs(1) * connections / RATE);
    loop {
        due.tick().await;
        let (status, _) = connection.ask(&request).await.expect("an answer");
        assert_eq!(status, 200);
        answered.set(answered.get() + 1);
    }
}

/// What people do: they change a state, look at a flag, and at a page of flags. The time of each, ms.
async fn manage(stack: &Stack, tenant: &Tenant) -> Vec<f64> {
    let address = stack.control.address("http");
    let mut connection = Connection::open(&address).await.expect("it listens");
    let token = &tenant.owner.access_token;
    let mut times = Vec::new();
    let began = Instant::now();
    let mut due = interval(PAUSE);
    for number in 0.. {
        if began.elapsed() > LASTS {
            break;
        }
        due.tick().await;
        let flag = key_of(10 + number % (FLAGS - 10));
        let request = match number % 3 {
            0 => {
                let state = json!({"enabled": number.is_multiple_of(2), "percentage_rollout": number % 10_000});
                requests::managed(token, "PUT", &tenant.state(&flag), &state)
            }
            1 => requests::listed(token, &format!("{}/{flag}", tenant.flags())),
            _ => requests::listed(token, &format!("{}?limit=100", tenant.flags())),
        };
        let asked = Instant::now();
        let (status, _) = connection.ask(&request).await.expect("an answer");
        assert_eq!(status, 200);
        times.push(millis(asked.elapsed()));
    }
    times
}
