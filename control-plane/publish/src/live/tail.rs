//! Follows commits, and queues them for the streams of this replica.
//!
//! Each poll reads the changes that the previous snapshot does not see, so none is missed or repeated, whatever the order of
//! commits. A new stream is registered first, and then takes a snapshot of its own after a poll: changes that later polls find
//! and this snapshot sees were sent at opening, or need not be.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::Mutex;

use super::{listeners::Listeners, position::Position, queue::Batch, store};
use base::{
    db::{self, Db},
    ids::OrgId,
    sealing::Sealer,
};

/// The progress of this replica.
#[derive(Debug)]
pub(super) struct Tail {
    /// `None` while no stream is open.
    position: Mutex<Option<Position>>,
    /// Seals the positions that clients hold.
    pub(super) sealer: Sealer,
}

impl Tail {
    pub(super) fn new(sealer: Sealer) -> Self {
        Self {
            position: Mutex::default(),
            sealer,
        }
    }

    /// From here on no change is missed, as long as a stream is open.
    pub(super) async fn follow(&self, db: &Db) -> db::Result<()> {
        if self.position.lock().await.is_some() {
            return Ok(());
        }
        // Before the lock, so that waiting for a connection does not hold the lock.
        let mut conn = db.acquire().await?;
        let mut position = self.position.lock().await;
        if position.is_none() {
            *position = Some(store::position(&mut conn).await?);
        }
        Ok(())
    }

    /// Polls once.
    pub(super) async fn poll(&self, db: &Db, listeners: &Listeners) -> db::Result<()> {
        let mut position = self.position.lock().await;
        let org_ids = listeners.organizations();
        if org_ids.is_empty() {
            *position = None;
            return Ok(());
        }
        let Some(before) = position.as_ref() else {
            *position = Some(store::position(&mut *db.acquire().await?).await?);
            return Ok(());
        };
        let mut conn = db.begin_reading_by_index().await?;
        let found = store::committed(&mut conn, &org_ids, &before.snapshot).await?;
        drop(conn);
        // A database restored to an earlier state: numbers of transactions are not comparable.
        let is_another = found.position.history != before.history
            || !before.snapshot.is_before(&found.position.snapshot);
        if is_another {
            listeners.reset(None);
        } else {
            self.distribute(listeners, &found.position, found.changes);
            for org_id in found.lost {
                listeners.reset(Some(org_id));
            }
        }
        *position = Some(found.position);
        Ok(())
    }

    fn distribute(
        &self,
        listeners: &Listeners,
        position: &Position,
        changes: Vec<(OrgId, super::events::ChangeEvent)>,
    ) {
        if changes.is_empty() {
            return;
        }
        let position: Arc<str> = position.sealed(&self.sealer).into();
        let mut by_org: BTreeMap<OrgId, Vec<_>> = BTreeMap::new();
        for (org_id, change) in changes {
            by_org.entry(org_id).or_default().push(change);
        }
        for (org_id, changes) in by_org {
            let batch = Batch {
                position: Arc::clone(&position),
                changes,
            };
            listeners.send_changes(org_id, &Arc::new(batch));
        }
    }
}
