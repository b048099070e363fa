//! What a stream begins with.

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

/// A stream that was opened.
#[derive(Debug)]
pub struct Opened {
    pub(super) listening: Listening,
    /// What it sees was told, or need not be.
    pub(super) sees: Snapshot,
    pub(super) position: Arc<str>,
    pub(super) missed: Missed,
}

/// What was committed since the position that a client came with.
#[derive(Debug)]
pub(super) enum Missed {
    /// All of it; nothing for whoever came without a position.
    Batch(Batch),
    /// Nobody knows, or it is too much.
    Unknown,
}

impl Live {
    /// Opens a stream for a member, from `last_seen` on, if they came with that.
    pub async fn open(&self, caller: &Caller, last_seen: Option<&str>) -> Result<Opened, Refusal> {
        let interest = self.publisher.look_on();
        let listening = self.listeners.add(caller, interest)?;
        let audience = listening.listener().audience();
        self.tail.follow(&self.db).await?;
        if audience.hears(Topic::Edges) {
            self.fleet.follow().await;
        }
        if audience.hears(Topic::Usage) {
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
                // One that never was: of another history, or of a time that is yet to come.
                let is_known = since.history == found.position.history
                    && since.snapshot.is_before(&found.position.snapshot);
                let changes = found.changes.into_iter().map(|(_, told)| told).collect();
                let missed = Some(changes).filter(|_| is_known && found.lost.is_empty());
                (found.position, missed)
            }
        };
        drop(conn);
        let position: Arc<str> = now.sealed(sealer).into();
        let missed = missed.map_or(Missed::Unknown, |changes| {
            Missed::Batch(Batch {
                position: Arc::clone(&position),
                changes,
            })
        });
        Ok(Opened {
            listening,
            sees: now.snapshot,
            position,
            missed,
        })
    }
}
