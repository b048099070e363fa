//! Lockout: after too many failed sign-ins an address is refused for a while, whatever the password.
//!
//! Addresses without an account are counted too, so that a lock reveals nothing about accounts. The count is in Postgres,
//! shared by all replicas, and changes by single statements. The row of the address orders concurrent attempts: any after the
//! last allowed failure finds the address locked. The window slides: a fixed one would let nearly twice as many through.

use std::time::Duration;

use time::OffsetDateTime;

use super::{settings::LockoutSettings, store::login_failures};
use base::{
    db::{Db, Tx},
    refusal::Refusal,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// The next attempt is allowed.
    Open,
    /// The failure locked the address.
    LockedNow,
}

/// Counts failed logins. Addresses are those of [`super::email::Email`]: trimmed and lower-cased.
#[derive(Clone, Debug)]
pub(super) struct Lockout {
    db: Db,
    settings: LockoutSettings,
}

impl Lockout {
    pub(super) const fn new(db: Db, settings: LockoutSettings) -> Self {
        Self { db, settings }
    }

    /// Refuses a locked address before any work is done.
    pub(super) async fn check(&self, email: &str, now: OffsetDateTime) -> Result<(), Refusal> {
        let failures = login_failures::find(&mut *self.db.acquire().await?, email).await?;
        self.settings.check(&failures, now)
    }

    /// Counts a failure. Refuses if concurrent attempts have locked the address.
    pub(super) async fn count(&self, email: &str, now: OffsetDateTime) -> Result<Counted, Refusal> {
        let mut conn = self.db.acquire().await?;
        let counted = login_failures::add(&mut conn, email, &self.settings, now).await?;
        match counted {
            Some(failures) if failures >= self.settings.failures => Ok(Counted::LockedNow),
            Some(_) => Ok(Counted::Open),
            None => {
                let failures = login_failures::find(&mut conn, email).await?;
                self.settings.check(&failures, now)?;
                // A concurrent login has just succeeded and ended the lock; this failure came before it.
                Ok(Counted::Open)
            }
        }
    }

    /// Deletes the failures of an address whose login succeeds in this transaction; concurrent failures wait for it to end.
    /// Refuses an address that concurrent attempts have locked.
    pub(super) async fn forgive(
        &self,
        tx: &mut Tx,
        email: &str,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        // In this order, so that the second statement sees a failure that locks in between.
        login_failures::delete_unlocked(tx, email, &self.settings, now).await?;
        let failures = login_failures::find(tx, email).await?;
        self.settings.check(&failures, now)
    }

    pub(super) const fn window(&self) -> Duration {
        self.settings.window
    }
}

impl LockoutSettings {
    /// `failures` are those stored for an address, oldest first.
    fn check(&self, failures: &[OffsetDateTime], now: OffsetDateTime) -> Result<(), Refusal> {
        let Some(&last) = failures.last() else {
            return Ok(());
        };
        let remaining = last + self.window - now;
        let is_full = failures.len() >= usize::try_from(self.failures).unwrap_or(usize::MAX);
        match Duration::try_from(remaining) {
            Ok(remaining) if is_full && !remaining.is_zero() => Err(Refusal::TooMany {
                words: "too many failed login attempts, please try again later",
                retry_after: remaining,
            }),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    const LAST: OffsetDateTime = datetime!(2026-05-04 12:10 UTC);
    const RULES: LockoutSettings = LockoutSettings {
        failures: 3,
        window: Duration::from_secs(900),
    };

    fn check(failures: usize, seconds_after: i64) -> Option<u64> {
        let failures = vec![LAST; failures];
        let now = LAST + time::Duration::seconds(seconds_after);
        match RULES.check(&failures, now) {
            Err(Refusal::TooMany { retry_after, .. }) => Some(retry_after.as_secs()),
            _ => None,
        }
    }

    #[test]
    fn the_last_allowed_failure_starts_the_lock() {
        assert_eq!(check(0, 0), None);
        assert_eq!(check(2, 0), None);
        assert_eq!(check(3, 0), Some(900));
        assert_eq!(check(3, 899), Some(1));
        assert_eq!(check(3, 900), None);
        assert_eq!(check(3, 5_000), None);
    }

    #[test]
    fn a_stricter_setting_applies_to_earlier_failures() {
        assert_eq!(check(7, 0), Some(900));
    }
}
