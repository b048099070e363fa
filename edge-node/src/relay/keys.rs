//! API keys for edges below: those that this relay holds it knows itself, about others it asks.

use fanout::{Lookup, NotNow, Regions};
use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
};
use tokio::sync::Semaphore;

use super::Relay;
use crate::{Located, lookup::KeyLookup as _};

/// Questions of one edge that are passed on at the same time: none may take all the room.
const OPEN: usize = 32;

/// Looks up keys for one edge.
#[derive(Debug)]
pub(crate) struct KeysBelow {
    relay: Relay,
    regions: Regions,
    room: Semaphore,
}

impl KeysBelow {
    pub(super) fn new(relay: Relay, regions: Regions) -> Self {
        Self {
            relay,
            regions,
            room: Semaphore::new(OPEN),
        }
    }
}

impl Lookup for KeysBelow {
    async fn look_up(&self, hash: &KeyHash) -> Result<Option<(EnvId, Version)>, NotNow> {
        let parts = &self.relay.0;
        if let Some(Located { env_id, version }) = parts.edge.locate(hash) {
            return self.answer(env_id, version);
        }
        let _room = self.room.try_acquire().map_err(|_| NotNow)?;
        let found = parts.lookup.look_up(*hash).await.map_err(|_| NotNow)?;
        let Some(Located { env_id, version }) = found else {
            return Ok(None);
        };
        self.answer(env_id, version)
    }
}

impl KeysBelow {
    fn answer(&self, env_id: EnvId, version: Version) -> Result<Option<(EnvId, Version)>, NotNow> {
        match self.relay.served().region(env_id) {
            Some(region) => Ok(self.regions.allow(&region).then_some((env_id, version))),
            // The environment is so new that its region was not told yet.
            None => Err(NotNow),
        }
    }
}
