//! Asks for environments that are served all the same, so that they come whole: those missing in the cache, and those without a
//! signature, which SDKs may want to see.
//!
//! What is served is prepared for evaluation, and the frame it came in cannot be made of it again. A few are asked for
//! at a time, and the next when these have come.

use std::{convert::Infallible, future::pending, time::Duration};

use fanout::{AskedFor, Wanted};
use protocol::{ids::EnvId, wire::message::EdgeMessage};
use tokio::time::timeout;

use super::{connect::SessionError, session::Session};

/// How often it is looked what has come.
const LOOK: Duration = Duration::from_millis(200);

/// Asks for what the cache lacks, for as long as the session lasts.
pub(super) async fn ask(session: &Session<'_>) -> Result<Infallible, SessionError> {
    let Some(keeper) = &session.upstream.keeper else {
        return pending().await;
    };
    let mut wants = keeper.wants();
    loop {
        for env_id in wants.next().await {
            metrics::counter!("halyard_edge_cache_refills_total").increment(1);
            session.resync(env_id).await;
        }
    }
}

/// Asks for what came from a control plane or a cache without signatures, or was signed by somebody who signs no more. Nothing
/// can lose its signature while somebody signs.
pub(super) async fn ask_for_signatures(session: &Session<'_>) -> Result<Infallible, SessionError> {
    let current = &session.upstream.edge.parts().current;
    let (wanted, mut asked) = (Wanted::default(), AskedFor::at_most(16));
    loop {
        let mut unsigned = current.unsigned();
        if !unsigned.is_empty() {
            let environments = unsigned.len();
            tracing::info!(environments, "asking for what is held without a signature");
        }
        while !unsigned.is_empty() {
            wanted.set(unsigned);
            // Those that did not come are asked for again after a while.
            for env_id in timeout(LOOK, asked.next(&wanted)).await.unwrap_or_default() {
                session.resync(env_id).await;
            }
            unsigned = current.unsigned();
        }
        session.signers_changed.notified().await;
    }
}

impl Session<'_> {
    async fn resync(&self, env_id: EnvId) {
        // The writer drains the queue for as long as the session lasts.
        drop(self.outgoing.send(EdgeMessage::Resync { env_id }).await);
    }
}
