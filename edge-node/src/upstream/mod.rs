//! The link to a control plane: connects, receives, acknowledges, and reconnects for as long as the edge runs.
//!
//! There is one connection at a time, but for a moment when the certificate was renewed. Under TLS 1.3 a handshake
//! succeeds on this side before the other has checked our certificate, so *connected* means that `Welcome` has arrived. A lost or refused connection is retried at the next
//! address, with exponential back-off and full jitter, which ends only when a link has lasted for a while; what is served
//! meanwhile does not change.

#[cfg(test)]
mod authority;
mod backoff;
mod connect;
mod greeting;
mod lookup;
mod order;
mod receive;
mod refill;
mod renewal;
mod room;
mod session;
mod signers;
mod tls;
mod trust;
mod unaccepted;
mod uploads;
mod what_if;

use std::{mem, path::PathBuf, sync::Arc};

use protocol::wire::message::Subscribe;
use quinn::{ConnectionError, Runtime, VarInt};
use serving::error::chain;
use tokio::time::{Instant, sleep};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{backoff::Backoff, connect::SessionError};
use crate::{Edge, downstream::Downstream, identity::Pair, keeper::Keeper};

pub(crate) use self::{
    lookup::{Asks, LinkLookup},
    renewal::Attempts,
    tls::Identity,
    unaccepted::Unaccepted,
    uploads::{Notice, Uplink, Uploader, Uploads, pair as uploads},
};

/// The control plane closes with this code when the database has another history, and wants to be greeted again.
const EPOCH_CHANGED: VarInt = VarInt::from_u32(6);

/// How to reach the control plane, and as whom.
#[derive(Clone, Debug)]
pub struct UpstreamSettings {
    /// `EDGE_UPSTREAM`: `host:port`, tried in turn.
    pub addresses: Vec<String>,
    /// `EDGE_IDENTITY`: folder with `ca.pem`, `edge.pem` and `edge.key`; read for every connection.
    pub identity: PathBuf,
    /// `CONTROL_QUIC_NAME`: the name expected in a control plane's certificate.
    pub server_name: String,
    /// `EDGE_REGION`: narrows the certificate's data regions.
    pub region: Option<String>,
    /// `EDGE_SUBSCRIBE`: which environments to ask for.
    pub subscribe: Subscribe,
    /// `EDGE_MEMORY_LIMIT`: estimated bytes that held environments may take; for on-demand edges.
    pub memory_limit: Option<u64>,
    /// `EDGE_SIGNATURES`: what is done where nobody signs.
    pub signatures: Signatures,
}

/// Whether contents without signatures are taken from a control plane that does not sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signatures {
    /// They are.
    Optional,
    /// They are not: the edge goes on with what it holds.
    Required,
}

/// Everything that connections share.
pub(crate) struct Upstream {
    pub(crate) settings: UpstreamSettings,
    /// The network and the timers of connections.
    pub(crate) runtime: Arc<dyn Runtime>,
    pub(crate) edge: Edge,
    /// Absent with `EDGE_CACHE=none`.
    pub(crate) keeper: Option<Keeper>,
    pub(crate) renewals: Attempts,
    /// The pushes that are being applied.
    pub(crate) applying: TaskTracker,
    pub(crate) downstream: Downstream,
}

impl Upstream {
    /// Keeps the edge connected until `stop` is cancelled.
    pub(crate) async fn run(self, mut asks: Asks, mut uploads: Uploads, stop: CancellationToken) {
        let mut backoff = Backoff::default();
        let mut reported = String::new();
        for address in self.settings.addresses.iter().cycle() {
            let mut was_connected = false;
            let begun = Instant::now();
            let connected =
                self.stay_connected(address, &mut asks, &mut uploads, &mut was_connected, &stop);
            let Some(ended) = connected.await else {
                return;
            };
            if was_connected {
                backoff.ended(begun.elapsed());
                reported.clear();
            }
            let unaccepted = Unaccepted::of(&ended);
            let is_renewed = unaccepted == Some(Unaccepted::Expired) && !self.has_expired();
            let unaccepted = unaccepted.filter(|_| !is_renewed);
            if let Some(unaccepted) = unaccepted {
                self.edge.set_unaccepted(unaccepted);
                self.downstream.refused();
            }
            let pause = match &ended {
                // When it is back matters only if there is no other address.
                SessionError::Drained(retry_after) if self.settings.addresses.len() == 1 => {
                    *retry_after + backoff.after_wish()
                }
                wished if is_renewed || is_wished(wished) => backoff.after_wish(),
                refused if refused.is_refusal() => backoff.after_refusal(),
                _ => backoff.after_failure(),
            };
            report(&ended, unaccepted, address, &mut reported);
            if stop.run_until_cancelled(sleep(pause)).await.is_none() {
                return;
            }
        }
    }

    /// Stays connected to one address; why the connection ended, or `None` once `stop` is cancelled.
    async fn stay_connected(
        &self,
        address: &str,
        asks: &mut Asks,
        uploads: &mut Uploads,
        was_connected: &mut bool,
        stop: &CancellationToken,
    ) -> Option<SessionError> {
        let connecting = connect::connect(self, address);
        let mut link = match stop.run_until_cancelled(connecting).await? {
            Ok(link) => link,
            Err(error) => return Some(error),
        };
        loop {
            if let Some(keeper) = &self.keeper {
                keeper.connecting(link.certificate);
            }
            let session = session::run(self, &link, asks, uploads, was_connected);
            let ended = stop.run_until_cancelled(session).await;
            asks.disconnected();
            self.edge.set_connected(false);
            let Some(SessionError::Renewed(next)) = ended else {
                link.close().await;
                return ended;
            };
            // The next greeting does not wait for the farewell.
            tokio::spawn(mem::replace(&mut link, *next).close());
        }
    }

    /// Whether the certificate that this edge has now has ended, which need not be that of a link.
    fn has_expired(&self) -> bool {
        let pair = Pair::read(&self.settings.identity).ok();
        let validity = pair.and_then(|pair| pair.validity().ok());
        let now_ms = self.edge.parts().clock.now_ms();
        validity.is_none_or(|validity| validity.until_ms <= now_ms)
    }
}

/// Whether the control plane asked for a new link, in place of one with which nothing is wrong.
fn is_wished(ended: &SessionError) -> bool {
    match ended {
        SessionError::Drained(_) => true,
        SessionError::Connection(ConnectionError::ApplicationClosed(close)) => {
            close.error_code == EPOCH_CHANGED
        }
        _ => false,
    }
}

/// Logs a reason as a warning only once: a control plane that is down for hours is not news every few seconds.
fn report(
    ended: &SessionError,
    unaccepted: Option<Unaccepted>,
    address: &str,
    reported: &mut String,
) {
    if let SessionError::Drained(_) = ended {
        tracing::info!(peer = address, "control plane is going away");
        return;
    }
    metrics::counter!("halyard_edge_link_failures_total").increment(1);
    let error = chain(ended);
    if error == *reported {
        tracing::debug!(peer = address, error, "no link to the control plane");
        return;
    }
    match unaccepted {
        // This does not change by itself: an operator must act.
        Some(unaccepted) => tracing::error!(peer = address, error, "{}", unaccepted.told()),
        None => tracing::warn!(peer = address, error, "no link to the control plane"),
    }
    *reported = error;
}
