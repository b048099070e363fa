//! Where the control plane listens.

use std::{net::SocketAddr, time::Duration};

use serving::settings::Reader;

/// Addresses and time-outs of listeners.
#[derive(Clone, Debug)]
pub struct ListenSettings {
    /// `CONTROL_HTTP_ADDR`: the API; default `127.0.0.1:8080`.
    pub http: SocketAddr,
    /// `CONTROL_QUIC_ADDR`: edges, UDP; default `127.0.0.1:8443`.
    pub quic: SocketAddr,
    /// `CONTROL_ADMIN_ADDR`: metrics and probes; default `127.0.0.1:9090`.
    pub admin: SocketAddr,
    /// `CONTROL_BUILTIN_EDGE`: whether the evaluation paths are served too; default `true`.
    pub builtin_edge: bool,
    /// `HEADER_TIMEOUT`: time a client has to send its request head; default `30s`.
    pub header_timeout: Duration,
}

impl ListenSettings {
    pub(super) fn load(reader: &mut Reader<'_>) -> Self {
        Self {
            http: reader.parse(
                "CONTROL_HTTP_ADDR",
                SocketAddr::from(([127, 0, 0, 1], 8080)),
            ),
            quic: reader.parse(
                "CONTROL_QUIC_ADDR",
                SocketAddr::from(([127, 0, 0, 1], 8443)),
            ),
            admin: reader.parse(
                "CONTROL_ADMIN_ADDR",
                SocketAddr::from(([127, 0, 0, 1], 9090)),
            ),
            builtin_edge: reader.bool("CONTROL_BUILTIN_EDGE", true),
            header_timeout: reader.duration("HEADER_TIMEOUT", Duration::from_secs(30)),
        }
    }
}
