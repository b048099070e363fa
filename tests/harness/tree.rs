//! Relays, and edges that connect to relays in place of control planes.

use crate::{
    ports::PortSetting,
    stack::{Edge, Stack},
};

const RELAY_PORTS: &[PortSetting] = &[
    PortSetting {
        name: "http",
        setting: "EDGE_HTTP_ADDR",
    },
    PortSetting {
        name: "admin",
        setting: "EDGE_ADMIN_ADDR",
    },
    PortSetting {
        name: "relay",
        setting: "EDGE_RELAY_ADDR",
    },
];

impl Stack {
    /// Enrolls a relay, starts it, and waits until it is ready. It connects to any of `upstream`: control planes, or
    /// relays.
    pub async fn relay_below(&mut self, upstream: &[&str]) -> Edge {
        let mut relay = self.enrolled_relay_below(upstream, None);
        relay.start().await;
        relay
    }

    /// Enrolls a relay that does not run yet, for one data region or all.
    pub fn enrolled_relay_below(&mut self, upstream: &[&str], region: Option<&str>) -> Edge {
        let region: Vec<_> = region.into_iter().flat_map(|of| ["--region", of]).collect();
        let arguments = [&["--relay"], &region[..]].concat();
        let upstream = upstream.join(",");
        let mut relay = self.enrolled_edge_with(&arguments, &[("EDGE_UPSTREAM", &upstream)]);
        relay.process.listen_on(RELAY_PORTS);
        relay
    }

    /// The same with certificates that are valid for this time, below the control plane.
    pub fn enrolled_relay_valid_for(&mut self, life: &str) -> Edge {
        let mut relay = self.enrolled_edge_with(&["--relay", "--valid-for", life], &[]);
        relay.process.listen_on(RELAY_PORTS);
        relay
    }

    /// Enrolls an edge that connects to any of `upstream`, starts it, and waits until it is ready.
    pub async fn edge_below(&mut self, upstream: &[&str]) -> Edge {
        let mut edge = self.enrolled_edge_below(upstream, &[]);
        edge.start().await;
        edge
    }

    /// Enrolls such an edge that does not run yet, with more settings.
    pub fn enrolled_edge_below(
        &mut self,
        upstream: &[&str],
        settings: &[(&'static str, &str)],
    ) -> Edge {
        let upstream = upstream.join(",");
        let settings = [&[("EDGE_UPSTREAM", upstream.as_str())], settings].concat();
        self.enrolled_edge(&settings)
    }
}

impl Edge {
    /// Where edges connect to this relay, once it was started.
    #[must_use]
    pub fn relay_address(&self) -> String {
        self.process.address("relay")
    }
}
