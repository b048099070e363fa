//! Deletes expired sign-ups, codes, links, one-time tokens and failed logins.
//!
//! Every rule checks the time itself; this job only removes addresses and hashes that are no longer needed.

use time::OffsetDateTime;

use super::{
    settings::LockoutSettings,
    store::{
        login_failures, one_time_tokens, password_resets, pending_signups, sent_codes,
        verifications,
    },
};
use base::{
    db::{self, Db},
    mail,
};

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
