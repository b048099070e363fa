//! Edges behind a balancer are restarted one after the other, and nobody notices.

use std::{env, sync::Arc, time::Duration};

use harness::{Edge, eventually};
use tokio::time::{Instant, sleep};

use super::balancer::Balancer;
use crate::scene::Scene;

/// Requests in all, unless `HALYARD_ROLLING_REQUESTS` says another number.
const REQUESTS: u64 = 20_000;
const CLIENTS: usize = 8;

const SETTINGS: &[(&str, &str)] = &[("SHUTDOWN_DELAY", "2s"), ("RATE_EVALUATION", "0")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_behind_a_balancer_loses_no_request() {
    let mut scene = Scene::start_with(SETTINGS).await;
    let mut second = scene.stack.edge_with(SETTINGS).await;
    let balancer = Balancer::new([&scene.edge, &second], &scene.key);
    restart_under_load(&balancer, [&mut scene.edge, &mut second]).await;
}

/// Restarts one edge and then the other.
async fn restart_under_load(balancer: &Arc<Balancer>, edges: [&mut Edge; 2]) {
    let requests =
        env::var("HALYARD_ROLLING_REQUESTS").map_or(REQUESTS, |text| text.parse().unwrap());
    let began = Instant::now();
    let load = balancer.start(CLIENTS);
    let share = |of: u64| requests / 4 * of;
    let [first, second] = edges;
    answered(balancer, share(1)).await;
    restart(first).await;
    eventually("the balancer asks the first one again", || async {
        balancer.asks_all().then_some(())
    })
    .await;
    answered(balancer, share(2)).await;
    restart(second).await;
    answered(balancer, requests).await;
    balancer.end();
    load.join_all().await;

    println!(
        "{} requests in {:?}, connections {:?}",
        balancer.answered(),
        began.elapsed(),
        balancer.connections()
    );
    let failures = balancer.failures();
    assert!(
        failures.is_empty(),
        "{} failures: {:?}",
        failures.len(),
        failures.first()
    );
}

async fn answered(balancer: &Balancer, requests: u64) {
    let mut before = balancer.answered();
    while balancer.answered() < requests {
        sleep(Duration::from_secs(1)).await;
        let now = balancer.answered();
        assert!(
            now > before,
            "nothing is answered: {:?}",
            balancer.failures().first()
        );
        before = now;
    }
}

/// Stops an edge as an orchestrator does, and starts it again.
pub async fn restart(edge: &mut Edge) {
    edge.process.ask_to_stop();
    eventually("the edge ends", || {
        let ended = !edge.process.runs();
        async move { ended.then_some(()) }
    })
    .await;
    assert!(edge.process.wait().success());
    edge.start().await;
}
