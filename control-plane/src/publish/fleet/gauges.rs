//! The edges connected to this replica, as Prometheus gauges.

use std::{collections::HashSet, mem, sync::Arc, time::Duration};

use metrics::gauge;
use tokio::time::{MissedTickBehavior, interval};

use super::ConnectedEdge;
use crate::publish::hub::Hub;

const PERIOD: Duration = Duration::from_secs(5);

/// Updates the gauges until dropped. They are zero for edges that have left.
pub(in crate::publish) async fn tell(hub: Arc<Hub>) {
    let mut ticks = interval(PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut told: HashSet<String> = HashSet::new();
    loop {
        ticks.tick().await;
        let edges = hub.edges(None);
        let present = edges.iter().map(|edge| edge.name.clone()).collect();
        let before = mem::replace(&mut told, present);
        for gone in before.difference(&told) {
            set(gone, 0, None, &Counts::default());
        }
        for edge in &edges {
            set(&edge.name, 1, edge.rtt_ms, &Counts::of(edge));
        }
    }
}

#[derive(Default)]
struct Counts {
    streams: u32,
    environments: usize,
    behind: usize,
}

impl Counts {
    fn of(edge: &ConnectedEdge) -> Self {
        Self {
            streams: edge.streams,
            environments: edge.environments.len(),
            behind: edge
                .environments
                .iter()
                .filter(|held| held.is_behind())
                .count(),
        }
    }
}

fn set(edge: &str, connected: u32, rtt_ms: Option<f64>, counts: &Counts) {
    let gauge = |name: &'static str| gauge!(name, "edge" => edge.to_owned());
    gauge("halyard_edge_connected").set(connected);
    gauge("halyard_edge_rtt_seconds").set(rtt_ms.unwrap_or(0.0) / 1_000.0);
    gauge("halyard_edge_streams").set(counts.streams);
    gauge("halyard_edge_environments").set(small(counts.environments));
    gauge("halyard_edge_environments_behind").set(small(counts.behind));
}

fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
