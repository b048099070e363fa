//! Watches the certificates of connected edges: ends the sessions of revoked or expired ones, and records when edges
//! were seen.

use std::{collections::HashMap, time::Duration};

use serving::error::chain;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::{
    db,
    edges::{model::Refusal, store},
    publish::{Fingerprint, Handle, hub::Ended},
};

/// A revoked edge is disconnected within this time plus one query; three seconds are promised.
const PERIOD: Duration = Duration::from_secs(1);
/// How often edges are recorded as seen.
const SEEN: Duration = Duration::from_secs(60);

/// Watches for as long as it is polled.
pub(super) async fn watch(handle: Handle) {
    let mut ticks = interval(PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut noted = Instant::now();
    loop {
        ticks.tick().await;
        let connected = handle.0.hub.fingerprints();
        metrics::gauge!("halyard_edges_connected")
            .set(u32::try_from(connected.len()).unwrap_or(u32::MAX));
        if connected.is_empty() {
            continue;
        }
        let note = noted.elapsed() >= SEEN;
        match check(&handle, &connected, note).await {
            Ok(()) if note => noted = Instant::now(),
            Ok(()) => {}
            Err(error) => tracing::debug!(
                error = chain(&error),
                "cannot check the certificates of edges"
            ),
        }
    }
}

async fn check(handle: &Handle, connected: &[Fingerprint], note: bool) -> db::Result<()> {
    let now = handle.0.clock.now();
    let mut conn = handle.0.db.acquire().await?;
    let known = store::list_of(&mut conn, connected).await?;
    let known: HashMap<&[u8], _> = known
        .iter()
        .map(|edge| (edge.fingerprint.as_slice(), edge.check(now)))
        .collect();
    for fingerprint in connected {
        let standing = known.get(fingerprint.as_slice()).copied();
        if let Err(refusal) = standing.unwrap_or(Err(Refusal::Unknown)) {
            handle.0.hub.end(fingerprint, Ended::Refused(refusal));
        }
    }
    if note {
        store::touch(&mut conn, connected, now).await?;
    }
    Ok(())
}
