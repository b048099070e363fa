//! Time limits, and the bound of connections.

use std::time::Duration;

use crate::settings::{
    Reader,
    spans::{DAY, MILLISECOND},
};

/// The time limits of serving and of draining.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// `HEADER_TIMEOUT`: time that a client has to send a request head: the first from when it connects, others from their first byte; default
    /// `30s`.
    pub header_timeout: Duration,
    /// `KEEP_ALIVE_TIMEOUT`: time that a connection may stay open without a request after the first one; default `75s`.
    pub keep_alive_timeout: Duration,
    /// `SLOW_READER_TIMEOUT`: time that a client has to begin to read what waits for it; what it reads earns it more of it;
    /// default `30s`.
    pub slow_reader_timeout: Duration,
    /// `CONNECTIONS_PER_NETWORK`: connections of a client address, a /56 of IPv6; 0 for no bound; default 4,000.
    pub connections_per_network: usize,
    /// Time that requests in flight have to finish once `stop` is cancelled.
    pub drain_deadline: Duration,
}

impl Limits {
    /// Reads what both servers let operators set.
    pub fn load(reader: &mut Reader<'_>, drain_deadline: Duration) -> Self {
        let connections_per_network = reader.parse("CONNECTIONS_PER_NETWORK", 4_000);
        let mut seconds =
            |name, seconds| reader.duration(name, Duration::from_secs(seconds), MILLISECOND..=DAY);
        Self {
            header_timeout: seconds("HEADER_TIMEOUT", 30),
            keep_alive_timeout: seconds("KEEP_ALIVE_TIMEOUT", 75),
            slow_reader_timeout: seconds("SLOW_READER_TIMEOUT", 30),
            connections_per_network,
            drain_deadline,
        }
    }
}
