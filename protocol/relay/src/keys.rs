//! API keys for edges below: a key that this relay does not serve is looked up above.

use fanout::{Lookup, NotNow, Regions};
use protocol::snapshot::KeyHash;
use tokio::sync::Semaphore;

use super::{Located, Relay};

/// Looks up keys for one edge.
#[derive(Debug)]
pub struct KeysBelow {
    relay: Relay,
    regions: Regions,
    permits: Semaphore,
}

impl KeysBelow {
    pub(super) fn new(relay: Relay, regions: Regions) -> Self {
        Self {
            relay,
            regions,
            // No edge may use all that the link has.
            permits: Semaphore::new(32),
        }
    }
}

impl Lookup for KeysBelow {
    async fn look_up(&self, hash: &KeyHash) -> Result<Option<Located>, NotNow> {
        let host = &self.relay.0.host;
        if let Some(located) = host.locate(hash) {
            return self.answer(located);
        }
        let _permit = self.permits.try_acquire().map_err(|_| NotNow)?;
        match host.look_up(*hash).await? {
            Some(located) => self.answer(located),
            None => Ok(None),
        }
    }
}

impl KeysBelow {
    fn answer(&self, located: Located) -> Result<Option<Located>, NotNow> {
        match self.relay.0.served.lock().region(located.0) {
            Some(region) => Ok(self.regions.allow(&region).then_some(located)),
            // The environment is so new that its region is not known yet.
            None => Err(NotNow),
        }
    }
}
