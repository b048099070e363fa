//! Ends streams whose session or token has ended, and refreshes the audiences of the others.

use std::collections::HashMap;

use super::{Live, audience::Audience};
use base::db;
use domain::{
    access_tokens,
    members::{self, caller::Credential},
};

impl Live {
    /// Checks the credentials of all streams.
    pub(super) async fn check_sessions(self) -> db::Result<()> {
        let listeners = self.listeners.all();
        if listeners.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let (mut families, mut tokens) = (Vec::new(), Vec::new());
        for listener in &listeners {
            match &listener.credential {
                Credential::Session(family_id) => families.push(*family_id),
                Credential::AccessToken(scope) => tokens.push(scope.token_id),
            }
        }
        families.sort_unstable();
        families.dedup();
        tokens.sort_unstable();
        tokens.dedup();
        let mut conn = self.db.acquire().await?;
        let by_session = members::store::list_live(&mut conn, &families).await?;
        let by_token = access_tokens::store::list_live(&mut conn, &tokens, now).await?;
        drop(conn);
        let by_session: HashMap<_, _> = by_session.into_iter().collect();
        let by_token: HashMap<_, _> = by_token.into_iter().collect();
        for listener in listeners {
            let live = match &listener.credential {
                Credential::Session(family_id) => by_session.get(family_id),
                Credential::AccessToken(scope) => by_token.get(&scope.token_id),
            };
            match live {
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
