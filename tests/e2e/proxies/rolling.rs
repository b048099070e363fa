//! Edges behind a proxy are restarted one after the other, and no request is lost.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

use futures_util::future::join_all;
use harness::{Caller, Edge};
use tokio::time::sleep;

use super::{Installation, behind_each, proxy::Proxy};
use crate::{scene::question, stopping::restart};

const CLIENTS: usize = 8;

/// More than nginx leaves out an edge that was gone, or the others take to notice that one is ready again.
const NOTICED: Duration = Duration::from_secs(6);

/// More than the proxies that ask whether an edge is ready take to notice that it is not.
const DELAY: (&str, &str) = ("SHUTDOWN_DELAY", "5s");

behind_each!(a_rolling_restart_of_edges_loses_no_request);

async fn a_rolling_restart_of_edges_loses_no_request(proxy: Proxy) {
    let settings = [DELAY, ("RATE_EVALUATION", "0")];
    let Some(mut all) = Installation::start(proxy, &settings).await else {
        return;
    };
    let clients: [Caller; CLIENTS] = std::array::from_fn(|number| {
        let client = all.proxy.client();
        all.sdk(if number % 2 == 0 {
            client.http1_only()
        } else {
            client
        })
    });
    let (answered, is_over) = (AtomicU64::new(0), AtomicBool::new(false));
    let load = join_all(clients.iter().map(async |client| {
        while !is_over.load(Ordering::Relaxed) {
            let answer = client.act("/v1/evaluate", question()).await;
            assert_eq!(answer.body["value"], "v0");
            answered.fetch_add(1, Ordering::Relaxed);
        }
    }));
    let restarts = async {
        for edge in [&mut all.scene.edge, &mut all.second] {
            let edge: &mut Edge = edge;
            restart(edge).await;
            sleep(NOTICED).await;
        }
        is_over.store(true, Ordering::Relaxed);
    };
    tokio::join!(load, restarts);
    println!("{proxy:?}: {answered:?} requests");
    assert!(answered.into_inner() > 1_000);
}
