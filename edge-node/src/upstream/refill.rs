//! Asks for environments that are served but missing in the cache, so that they come whole and are stored.
//!
//! What is served is prepared for evaluation, and the frame it came in cannot be made of it again. A few are asked for
//! at a time, and the next when these are on disk.

use std::{convert::Infallible, future::pending};

use protocol::wire::message::EdgeMessage;

use super::{connect::SessionError, session::Session};

/// Asks for as long as the session lasts.
pub(super) async fn ask(session: &Session<'_>) -> Result<Infallible, SessionError> {
    let Some(keeper) = &session.upstream.keeper else {
        return pending().await;
    };
    let mut wants = keeper.wants();
    loop {
        for env_id in wants.next().await {
            metrics::counter!("halyard_edge_cache_refills_total").increment(1);
            // The writer drains the queue for as long as the session lasts.
            drop(session.outgoing.send(EdgeMessage::Resync { env_id }).await);
        }
    }
}
