//! Sessions that have ended while their tokens are still valid.
//!
//! A token names its organization, whose share of the connections its requests use. A removed member could take that share until
//! the token expires, so ended sessions are remembered, and refused before any query. Revocations are final, and ids of sessions
//! are not reused.

use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use time::OffsetDateTime;

use base::ids::FamilyId;
use domain::accounts::tokens::Claims;

/// The number of remembered sessions; the oldest are dropped.
const REMEMBERED: usize = 10_000;

#[derive(Clone, Debug, Default)]
pub struct EndedSessions(Arc<Mutex<Remembered>>);

#[derive(Debug, Default)]
struct Remembered {
    ids: HashSet<FamilyId>,
    /// The same, oldest first, with the expiry of the token in Unix seconds.
    until: VecDeque<(FamilyId, i64)>,
}

impl EndedSessions {
    pub(super) fn has(&self, claims: &Claims) -> bool {
        self.lock().ids.contains(&claims.sid)
    }

    /// Remembers the session until its token ends.
    pub(super) fn insert(&self, claims: &Claims, now: OffsetDateTime) {
        let now = now.unix_timestamp();
        let mut remembered = self.lock();
        let Remembered { ids, until } = &mut *remembered;
        while let Some(&(oldest, end)) = until.front()
            && (end <= now || until.len() >= REMEMBERED)
        {
            until.pop_front();
            ids.remove(&oldest);
        }
        if ids.insert(claims.sid) {
            until.push_back((claims.sid, claims.exp));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use base::ids::{OrgId, TokenId, UserId};
    use domain::{accounts::tokens::TokenType, members::model::Role};

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;
    const HOUR: Duration = Duration::from_secs(3_600);

    fn claims(ends: OffsetDateTime) -> Claims {
        let user_id = UserId::new(NOW);
        Claims {
            sub: user_id,
            user_id,
            org_id: OrgId::new(NOW),
            role: Role::Viewer,
            data_region: "eu".to_owned(),
            typ: TokenType::Access,
            jti: TokenId::new(NOW),
            sid: FamilyId::new(NOW),
            iat: NOW.unix_timestamp(),
            exp: ends.unix_timestamp(),
            iss: "halyard".to_owned(),
        }
    }

    #[test]
    fn ended_sessions_are_remembered_until_their_tokens_end() {
        let ended = EndedSessions::default();
        let first = claims(NOW + HOUR);
        assert!(!ended.has(&first));
        ended.insert(&first, NOW);
        ended.insert(&first, NOW);
        assert!(ended.has(&first));
        let second = claims(NOW + 2 * HOUR);
        ended.insert(&second, NOW + HOUR);
        assert!(!ended.has(&first));
        assert!(ended.has(&second));
        assert_eq!(ended.lock().until.len(), 1);
    }

    #[test]
    fn only_the_last_ended_sessions_are_remembered() {
        let ended = EndedSessions::default();
        let first = claims(NOW + HOUR);
        ended.insert(&first, NOW);
        for _ in 0..REMEMBERED {
            ended.insert(&claims(NOW + HOUR), NOW);
        }
        assert!(!ended.has(&first));
        let remembered = ended.lock();
        let counts = (remembered.ids.len(), remembered.until.len());
        assert_eq!(counts, (REMEMBERED, REMEMBERED));
    }
}
