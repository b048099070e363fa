//! Tells edges of the rehearsals that go on.

use std::sync::Arc;

use fanout::{Rehearsals, Rehearsed};
use protocol::rehearsal::{MOST, Rehearsal, SignedRehearsal};
use tokio::time::Instant;

use super::Publisher;
use base::db;
use domain::rehearsals::store::{Running, list_running};

impl Publisher {
    /// A rehearsal began or was stopped in this process.
    pub fn rehearsals_changed(&self) {
        self.0.rehearsing.wake();
    }

    /// Reads what goes on, and has edges told of what is different.
    pub(super) async fn follow_rehearsals(self) -> db::Result<()> {
        let shared = &self.0;
        let limit = i64::try_from(MOST).unwrap_or(i64::MAX);
        let now = shared.clock.now();
        let running = list_running(&mut *shared.db.acquire().await?, now, limit).await?;
        if running.is_empty() && shared.rehearsals.borrow().is_empty() {
            return Ok(());
        }
        let signer = shared.signing.signer().await?;
        let read = Instant::now();
        let signed = |running: &Running| {
            let rehearsal = rehearsal(running);
            let signed = match &signer {
                Some(signer) => signer.sign_rehearsal(rehearsal),
                None => SignedRehearsal {
                    rehearsal,
                    signature: None,
                },
            };
            Rehearsed {
                signed,
                until: read + (running.ends_at - now).unsigned_abs(),
            }
        };
        let next: Rehearsals = Arc::new(running.iter().map(signed).collect());
        shared.rehearsals.send_if_modified(|told| {
            let ids = |all: &Rehearsals| -> Vec<_> {
                all.iter().map(|one| one.signed.rehearsal.id).collect()
            };
            let are_others = ids(told) != ids(&next);
            if are_others {
                *told = next;
            }
            are_others
        });
        Ok(())
    }
}

fn rehearsal(running: &Running) -> Rehearsal {
    let lasts = (running.ends_at - running.began_at).whole_milliseconds();
    let began = running.began_at.unix_timestamp_nanos() / 1_000_000;
    Rehearsal {
        id: *running.id.0.as_bytes(),
        env_id: running.env_id.into(),
        key: running.hash,
        failure: running.failure.into(),
        began_ms: i64::try_from(began).unwrap_or_default(),
        lasts_ms: u32::try_from(lasts).unwrap_or_default(),
    }
}
