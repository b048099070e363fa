//! Certificates of connected edges: sessions of revoked or expired ones end, and edges are recorded as seen.

use std::collections::HashMap;

use protocol::wire::relay::Refusal;

use super::Publisher;
use crate::edges::store;
use base::db;

impl Publisher {
    /// Ends the sessions of edges, here and below relays, whose certificates were revoked or have expired.
    pub(super) async fn check_certificates(self) -> db::Result<()> {
        let connected = self.0.hub.fingerprints();
        metrics::gauge!("halyard_edges_connected")
            .set(u32::try_from(connected.len()).unwrap_or(u32::MAX));
        if connected.is_empty() {
            return Ok(());
        }
        let now = self.0.clock.now();
        let mut conn = self.0.db.acquire().await?;
        let known = store::list_of(&mut conn, &connected).await?;
        let known: HashMap<&[u8], _> = known
            .iter()
            .map(|edge| (edge.fingerprint.as_slice(), edge.check(now)))
            .collect();
        for fingerprint in &connected {
            let standing = known.get(fingerprint.as_slice()).copied();
            if let Err(refusal) = standing.unwrap_or(Err(Refusal::Unknown)) {
                self.0.hub.refuse(fingerprint, refusal);
            }
        }
        Ok(())
    }

    /// Records that the connected edges were seen.
    pub(super) async fn record_edges_seen(self) -> db::Result<()> {
        let connected = self.0.hub.fingerprints();
        if connected.is_empty() {
            return Ok(());
        }
        let mut conn = self.0.db.acquire().await?;
        store::touch(&mut conn, &connected, self.0.clock.now()).await
    }
}
