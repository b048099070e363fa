//! Follows what is committed, and gives it to the streams of this replica.
//!
//! Each look asks for what the snapshot of the one before does not see, so nothing is missed and nothing is told twice, in whatever
//! order transactions commit. A stream that opens is added first, and then takes a snapshot of its own once a look has ended: what
//! later looks find and this snapshot sees is what the stream was told when it opened, or need not hear.

use std::{collections::BTreeMap, sync::Arc};

use tokio::sync::Mutex;

use super::{listeners::Listeners, position::Position, queue::Batch, store};
use base::{
    db::{self, Db},
    ids::OrgId,
    sealing::Sealer,
};

/// How far this replica has looked.
#[derive(Debug)]
pub(super) struct Tail {
    /// `None` while nobody listens.
    position: Mutex<Option<Position>>,
    /// What clients hold of positions is sealed.
    pub(super) sealer: Sealer,
}

impl Tail {
    pub(super) fn new(sealer: Sealer) -> Self {
        Self {
            position: Mutex::default(),
            sealer,
        }
    }

    /// From here on nothing is missed, as long as somebody listens.
    pub(super) async fn follow(&self, db: &Db) -> db::Result<()> {
        if self.position.lock().await.is_some() {
            return Ok(());
        }
        // Before the lock: somebody may have to wait for a connection, and others must not wait for them.
        let mut conn = db.acquire().await?;
        let mut position = self.position.lock().await;
        if position.is_none() {
            *position = Some(store::position(&mut conn).await?);
        }
        Ok(())
    }

    /// Looks once.
    pub(super) async fn look(&self, db: &Db, listeners: &Listeners) -> db::Result<()> {
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
        // A database that was put back to an earlier state: numbers of transactions mean something else now.
        let is_another = found.position.history != before.history
            || !before.snapshot.is_before(&found.position.snapshot);
        if is_another {
            listeners.reset(None);
        } else {
            self.share_out(listeners, &found.position, found.changes);
            for org_id in found.lost {
                listeners.reset(Some(org_id));
            }
        }
        *position = Some(found.position);
        Ok(())
    }

    fn share_out(
        &self,
        listeners: &Listeners,
        position: &Position,
        changes: Vec<(OrgId, super::change::Told)>,
    ) {
        if changes.is_empty() {
            return;
        }
        let position: Arc<str> = position.sealed(&self.sealer).into();
        let mut by_org: BTreeMap<OrgId, Vec<_>> = BTreeMap::new();
        for (org_id, told) in changes {
            by_org.entry(org_id).or_default().push(told);
        }
        for (org_id, changes) in by_org {
            let batch = Batch {
                position: Arc::clone(&position),
                changes,
            };
            listeners.tell(org_id, &Arc::new(batch));
        }
    }
}
