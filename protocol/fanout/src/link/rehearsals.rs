//! Tells an edge which rehearsals go on.

use std::convert::Infallible;

use protocol::{rehearsal::MOST, wire::message::ControlMessage};
use tokio::sync::mpsc;

use super::session::SessionError;
use crate::{
    hub::Regions,
    source::{Rehearsed, Source},
};

/// Tells of those in environments that the edge may hold, now and whenever there are others.
pub(super) async fn tell<S: Source>(
    source: &S,
    outgoing: &mpsc::Sender<ControlMessage>,
    regions: &Regions,
    is_signing: bool,
) -> Result<Infallible, SessionError> {
    let mut rehearsals = source.rehearsals();
    // Also that there are none: some may have ended while there was no link.
    rehearsals.mark_changed();
    while is_signing && rehearsals.changed().await.is_ok() {
        let running: Vec<_> = {
            let rehearsals = rehearsals.borrow_and_update();
            let running = rehearsals.iter().filter_map(Rehearsed::running);
            let allowed = running.filter(|running| {
                let env_id = running.signed.rehearsal.env_id;
                source.hub().is_within(env_id, regions)
            });
            allowed.take(MOST).collect()
        };
        // The writer drains the queue for as long as the session lasts.
        drop(outgoing.send(ControlMessage::Rehearsals(running)).await);
    }
    std::future::pending().await
}
