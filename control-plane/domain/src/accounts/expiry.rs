//! Deletes what has ended: sign-ups, codes, links and one-time tokens that can no longer be used, and failed logins
//! that no longer count.
//!
//! Every rule checks the time itself and would hold without this, which removes addresses and hashes no longer needed.

use time::OffsetDateTime;

use super::store::{
    login_failures, one_time_tokens, password_resets, pending_signups, sent_codes, verifications,
};
use crate::config::LockoutSettings;
use base::{
    db::{self, Db},
    mail,
};

/// Deletes what has ended by `now`.
pub async fn forget(db: &Db, lockout: LockoutSettings, now: OffsetDateTime) -> db::Result<()> {
    let mut conn = db.acquire().await?;
    login_failures::delete_older(&mut conn, now - lockout.window).await?;
    pending_signups::delete_expired(&mut conn, now).await?;
    sent_codes::delete_uncounted(&mut conn, now).await?;
    password_resets::delete_expired(&mut conn, now).await?;
    verifications::delete_expired(&mut conn, now).await?;
    mail::forget_counts(&mut conn, now).await?;
    one_time_tokens::delete_expired(&mut conn, now).await
}
