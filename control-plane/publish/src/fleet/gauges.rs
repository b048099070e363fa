//! The edges connected to this replica, as Prometheus gauges.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::Arc,
};

use fanout::Hub;
use metrics::{gauge, histogram};
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
        histogram!("halyard_hub_lock_seconds").record(held_for.total);
        gauge!("halyard_environments_left_out").set(small(self.hub.left_out()));
        let edges = self.hub.edges(Some(&[]));
        self.shown.replace(|| {
            for edge in &edges {
                let gauge = |name: &'static str| gauge!(name, "edge" => edge.name.clone());
                gauge("halyard_connected_edge").set(1);
                gauge("halyard_connected_edge_rtt_seconds")
                    .set(edge.rtt_ms.unwrap_or(0.0) / 1_000.0);
                gauge("halyard_connected_edge_streams").set(edge.streams);
                gauge("halyard_connected_edge_environments").set(small(edge.held));
                gauge("halyard_connected_edge_environments_behind").set(small(edge.behind));
            }
        });
        ready(Ok(()))
    }

    pub(super) fn render(&self) -> String {
        self.shown.render()
    }
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
