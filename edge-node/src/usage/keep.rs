//! Collects usage at every interval, and keeps on disk what the control plane does not store at once.

use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::{Edge, keeper::Keeper};

/// Collects until `stop` is cancelled.
pub(crate) async fn run(edge: Edge, keeper: Option<Keeper>, stop: CancellationToken) {
    let mut ticks = interval(edge.parts().settings.usage_flush_interval);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        edge.collect_usage();
        if edge.is_connected() {
            // What the control plane stores within this time is not written to disk.
            stop.run_until_cancelled(sleep(Duration::from_millis(200)))
                .await;
        }
        keep(&edge, keeper.as_ref());
    }
}

/// Has the last counts stored by the control plane if it is reachable, or else on disk. Nothing is counted any more.
pub(crate) async fn finish(edge: &Edge, keeper: Option<&Keeper>) {
    edge.collect_usage();
    if edge.is_connected()
        && timeout(Duration::from_millis(500), edge.flush_usage())
            .await
            .is_err()
    {
        tracing::info!(
            "usage was not stored by the control plane; it is sent again after the next start"
        );
    }
    keep(edge, keeper);
}

fn keep(edge: &Edge, keeper: Option<&Keeper>) {
    if let Some(keeper) = keeper {
        keeper.store_usage(edge.parts().usage.upkeep());
    }
}
