//! The edges connected to this replica, as Prometheus gauges.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::Arc,
};

use fanout::{ConnectedEdge, Hub};
use metrics::{counter, gauge};
use serving::telemetry::PassingGauges;

use base::telemetry::METRICS_OF_EDGES;

/// The gauges of the edges connected to this replica, removed when an edge disconnects.
#[derive(Debug)]
pub(crate) struct Gauges {
    hub: Arc<Hub>,
    shown: PassingGauges,
}

impl Gauges {
    pub(crate) fn new(hub: Arc<Hub>) -> Self {
        let shown = PassingGauges::new(METRICS_OF_EDGES);
        Self { hub, shown }
    }

    /// Sets the gauges to the present state.
    pub(crate) fn update(self: Arc<Self>) -> Ready<Result<(), Infallible>> {
        let held_for = self.hub.lock_held_for();
        gauge!("halyard_hub_lock_longest_seconds").set(held_for.longest);
        let total = u64::try_from(held_for.total.as_micros()).unwrap_or(u64::MAX);
        counter!("halyard_hub_lock_microseconds_total").increment(total);
        gauge!("halyard_environments_left_out").set(small(self.hub.left_out()));
        let edges = self.hub.edges(Some(&[]));
        self.shown.replace(|| {
            for edge in &edges {
                set(&edge.name, edge.rtt_ms, &Counts::of(edge));
            }
        });
        ready(Ok(()))
    }

    pub(super) fn render(&self) -> String {
        self.shown.render()
    }
}

struct Counts {
    streams: u32,
    environments: usize,
    behind: usize,
}

impl Counts {
    fn of(edge: &ConnectedEdge) -> Self {
        Self {
            streams: edge.streams,
            environments: edge.held,
            behind: edge.behind,
        }
    }
}

fn set(edge: &str, rtt_ms: Option<f64>, counts: &Counts) {
    let gauge = |name: &'static str| gauge!(name, "edge" => edge.to_owned());
    gauge("halyard_edge_connected").set(1);
    gauge("halyard_edge_rtt_seconds").set(rtt_ms.unwrap_or(0.0) / 1_000.0);
    gauge("halyard_edge_streams").set(counts.streams);
    gauge("halyard_edge_environments").set(small(counts.environments));
    gauge("halyard_edge_environments_behind").set(small(counts.behind));
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
