//! The edges connected to this replica, as Prometheus gauges.

use std::{
    collections::HashSet,
    convert::Infallible,
    future::{Ready, ready},
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use metrics::gauge;

use super::ConnectedEdge;
use crate::publish::hub::Hub;

/// The gauges of all edges that were ever connected. They are zero for those that have left.
#[derive(Debug)]
pub(in crate::publish) struct Gauges {
    hub: Arc<Hub>,
    known: Mutex<HashSet<String>>,
}

impl Gauges {
    pub(in crate::publish) fn new(hub: Arc<Hub>) -> Self {
        let known = Mutex::default();
        Self { hub, known }
    }

    /// Sets them to what is now.
    pub(in crate::publish) fn update(self: Arc<Self>) -> Ready<Result<(), Infallible>> {
        gauge!("halyard_environments_left_out").set(small(self.hub.left_out()));
        let edges = self.hub.edges(None);
        let present = edges.iter().map(|edge| edge.name.clone()).collect();
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let before = mem::replace(&mut *known, present);
        for gone in before.difference(&known) {
            set(gone, 0, None, &Counts::default());
        }
        for edge in &edges {
            set(&edge.name, 1, edge.rtt_ms, &Counts::of(edge));
        }
        ready(Ok(()))
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
