//! The beginning of a stream.

use std::sync::Arc;

use super::{
    Live,
    audience::Topic,
    listeners::Listening,
    position::{Position, Snapshot},
    queue::Batch,
    store,
};
use base::refusal::Refusal;
use domain::members::caller::Caller;

#[derive(Debug)]
pub struct Opened {
    pub(super) listening: Listening,
    /// The snapshot whose changes were sent, or need not be.
    pub(super) sees: Snapshot,
    pub(super) position: Arc<str>,
    /// Changes since the client's position, none for clients without one; `None` if they are unknown, or too many.
    pub(super) missed: Option<Batch>,
}

impl Live {
    /// Opens a stream for a member, from the position `last_seen` on if given.
    pub async fn open(&self, caller: &Caller, last_seen: Option<&str>) -> Result<Opened, Refusal> {
        let interest = self.publisher.look_on();
        let listening = self.listeners.add(caller, interest)?;
        let audience = listening.listener().audience();
        self.tail.follow(&self.db).await?;
        if audience.may_receive(Topic::Edges) {
            self.fleet.follow().await;
        }
        if audience.may_receive(Topic::Usage) {
            self.rates.follow(&self.db, &[caller.org_id]).await?;
        }
        let sealer = &self.tail.sealer;
        let last_seen = last_seen.map(|text| Position::open(text, sealer));
        let mut conn = self.db.begin_reading_by_index().await?;
        let (now, missed) = match last_seen {
            None => (store::position(&mut conn).await?, Some(Vec::new())),
            Some(Err(_)) => (store::position(&mut conn).await?, None),
            Some(Ok(since)) => {
                let org_ids = [caller.org_id];
                let found = store::committed(&mut conn, &org_ids, &since.snapshot).await?;
                // A position of another history, or ahead of the database.
                let is_known = since.history == found.position.history
                    && since.snapshot.is_before(&found.position.snapshot);
                let changes = found
                    .changes
                    .into_iter()
                    .map(|(_, change)| change)
                    .collect();
                let missed = Some(changes).filter(|_| is_known && found.lost.is_empty());
                (found.position, missed)
            }
        };
        drop(conn);
        let position: Arc<str> = now.sealed(sealer).into();
        let missed = missed.map(|changes| Batch {
            position: Arc::clone(&position),
            changes,
        });
        Ok(Opened {
            listening,
            sees: now.snapshot,
            position,
            missed,
        })
    }
}
