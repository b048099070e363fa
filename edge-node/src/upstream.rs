//! The link to a control plane: joins, receives, acknowledges, and joins again for as long as the edge runs.
//!
//! One connection at a time. Under TLS 1.3 a handshake succeeds on this side before the other has looked at our
//! certificate, so *connected* means that `Welcome` arrived. A lost or refused connection is tried again at the next
//! address, with exponential back-off and full jitter; what is served meanwhile does not change.

mod backoff;
mod frames;
mod lookup;
mod order;
mod receive;
mod session;
mod tls;

use std::path::PathBuf;

use protocol::wire::message::Subscribe;
use serving::error::chain;
use tokio_util::sync::CancellationToken;

use self::{backoff::Backoff, session::Ended};
use crate::{Edge, keeper::Keeper};

pub(crate) use self::{
    lookup::{Asks, LinkLookup},
    tls::{Identity, IdentityError},
};

/// How to reach the control plane, and as whom.
#[derive(Clone, Debug)]
pub struct UpstreamSettings {
    /// `EDGE_UPSTREAM`: `host:port`, tried in turn.
    pub addresses: Vec<String>,
    /// `EDGE_IDENTITY`: folder with `ca.pem`, `edge.pem` and `edge.key`; read anew for every connection.
    pub identity: PathBuf,
    /// `CONTROL_QUIC_NAME`: the name expected in the control plane's certificate.
    pub server_name: String,
    /// `EDGE_REGION`: narrows the data regions of the certificate.
    pub region: Option<String>,
    /// `EDGE_SUBSCRIBE`: which environments to ask for.
    pub subscribe: Subscribe,
}

/// Everything that connections share.
pub(crate) struct Upstream {
    pub(crate) settings: UpstreamSettings,
    pub(crate) edge: Edge,
    /// Absent with `EDGE_CACHE=none`.
    pub(crate) keeper: Option<Keeper>,
}

impl Upstream {
    /// Keeps the edge connected until told to stop.
    pub(crate) async fn run(self, mut asks: Asks, stop: CancellationToken) {
        stop.run_until_cancelled(self.stay_connected(&mut asks))
            .await;
    }

    async fn stay_connected(&self, asks: &mut Asks) {
        let mut backoff = Backoff::default();
        let mut told = String::new();
        for address in self.settings.addresses.iter().cycle() {
            let ended = session::run(self, address, asks).await;
            asks.disconnected();
            self.edge.set_connected(false);
            let pause = match ended {
                Ended::Drained { retry_after } => {
                    tracing::info!(peer = address, "control plane is going away");
                    backoff.reset();
                    match self.settings.addresses.len() {
                        1 => retry_after + backoff.next(),
                        _ => backoff.next(),
                    }
                }
                Ended::Lost {
                    error,
                    was_connected,
                } => {
                    if was_connected {
                        backoff.reset();
                        told.clear();
                    }
                    // Once a reason: a control plane that is away for hours is no news every few seconds.
                    let error = chain(&error);
                    if error == told {
                        tracing::debug!(peer = address, error, "no link to the control plane");
                    } else {
                        tracing::warn!(peer = address, error, "no link to the control plane");
                        told = error;
                    }
                    metrics::counter!("halyard_edge_link_failures_total").increment(1);
                    backoff.next()
                }
            };
            tokio::time::sleep(pause).await;
        }
    }
}
