//! What an operator sees of an edge: readiness and gauges. Events are counted where they happen.

mod load;
mod table;

use std::time::Duration;

use serde_json::json;
use serving::{
    admin::{Readiness, ReadyCheck},
    listener::Places,
};
use tokio_util::sync::CancellationToken;

use self::load::Load;
pub use self::table::METRICS;
use crate::{Edge, upstream::Unaccepted};

/// The answer of `/ready`.
pub(crate) fn ready_check(edge: Edge) -> ReadyCheck {
    ReadyCheck::new(move || {
        let readiness = if edge.is_ready() {
            Readiness::Ready(json!({
                "status": "ready",
                "connected": edge.is_connected(),
                "link": link(&edge),
                "environments": edge.parts().current.count(),
                "snapshot_age_ms": edge.age().map(|age| age.as_millis()),
            }))
        } else {
            Readiness::NotReady(match edge.unaccepted() {
                None => "no snapshot yet".to_owned(),
                Some(unaccepted) => format!(
                    "no snapshot, and the certificate of this edge is not accepted: {}",
                    unaccepted.as_str()
                ),
            })
        };
        std::future::ready(readiness)
    })
}

/// How the link to the control plane stands.
fn link(edge: &Edge) -> &'static str {
    match edge.unaccepted() {
        Some(unaccepted) => unaccepted.as_str(),
        None if edge.is_connected() => "connected",
        None => "none",
    }
}

/// Updates the gauges until `stop` is cancelled.
pub(crate) async fn report(edge: Edge, places: Places, stop: CancellationToken) {
    let mut load = Load::default();
    let mut ticks = tokio::time::interval(Duration::from_secs(1));
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        metrics::gauge!("halyard_edge_connected").set(f64::from(u8::from(edge.is_connected())));
        for why in Unaccepted::ALL {
            let is_so = edge.unaccepted() == Some(why);
            metrics::gauge!("halyard_edge_certificate_refused", "reason" => why.as_str())
                .set(f64::from(u8::from(is_so)));
        }
        metrics::gauge!("halyard_edge_ready").set(f64::from(u8::from(edge.is_ready())));
        metrics::gauge!("halyard_edge_environments").set(f64::from(
            u32::try_from(edge.parts().current.count()).unwrap_or(u32::MAX),
        ));
        metrics::gauge!("halyard_edge_usage_batches").set(f64::from(
            u32::try_from(edge.parts().usage.count()).unwrap_or(u32::MAX),
        ));
        #[expect(clippy::cast_precision_loss, reason = "an estimate")]
        metrics::gauge!("halyard_edge_held_bytes").set(edge.parts().current.held_bytes() as f64);
        let rehearsals = u32::try_from(edge.parts().rehearsals.running().len());
        metrics::gauge!("halyard_edge_rehearsals").set(rehearsals.unwrap_or(u32::MAX));
        #[expect(clippy::cast_precision_loss, reason = "at most some megabytes")]
        metrics::gauge!("halyard_edge_sampled_bytes").set(edge.sampled_bytes() as f64);
        metrics::gauge!("halyard_edge_streams").set(edge.parts().streams.count());
        metrics::gauge!("halyard_edge_load_ratio").set(load.measure().max(places.taken()));
        if let Some(age) = edge.age() {
            metrics::gauge!("halyard_edge_snapshot_age_seconds").set(age.as_secs_f64());
        }
    }
}
