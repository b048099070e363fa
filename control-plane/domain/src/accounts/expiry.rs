//! Deletes expired sign-ups, codes, links, one-time tokens and failed logins.
//!
//! Every rule checks the time itself; this job only removes addresses and hashes that are no longer needed.

use time::OffsetDateTime;

use super::{settings::LockoutSettings, store};
use base::{
    db::{self, Db},
    mail,
};

pub async fn forget(db: &Db, lockout: LockoutSettings, now: OffsetDateTime) -> db::Result<()> {
    let mut conn = db.acquire().await?;
    store::delete_expired(&mut conn, lockout, now).await?;
    mail::forget_counts(&mut conn, now).await
}
