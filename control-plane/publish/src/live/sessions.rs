//! Ends streams whose session or token has ended, and refreshes the audiences of the others.

use std::collections::HashMap;

use super::{Live, audience::Audience};
use base::db;
use domain::members;

impl Live {
    /// Checks the sessions of all streams.
    pub(super) async fn check_sessions(self) -> db::Result<()> {
        let listeners = self.listeners.all();
        if listeners.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let mut families: Vec<_> = listeners.iter().map(|one| one.family_id).collect();
        families.sort_unstable();
        families.dedup();
        let mut conn = self.db.acquire().await?;
        let live = members::store::list_live(&mut conn, &families).await?;
        drop(conn);
        let live: HashMap<_, _> = live.into_iter().collect();
        for listener in listeners {
            match live.get(&listener.family_id) {
                Some(member) if !member.is_deleted && now < listener.ends_at => {
                    let audience = Audience::of(member.role, member.permissions.as_ref());
                    listener.set_audience(audience);
                }
                _ => listener.queue.end(),
            }
        }
        Ok(())
    }
}
