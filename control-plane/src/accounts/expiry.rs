//! Forgetting what has ended: sign-ups, codes, links and one-time tokens that nobody can use any more, failed logins that no
//! longer count.
//!
//! Every rule looks at the time itself and would hold without this; it keeps addresses and hashes no longer than they are needed.

use std::time::Duration;

use serving::{clock::Clock, error::chain};
use time::OffsetDateTime;

use super::store::{
    login_failures, one_time_tokens, password_resets, pending_signups, sent_codes, verifications,
};
use crate::{
    background::{self, Waker},
    config::LockoutSettings,
    db::{self, Db},
};

const PERIOD: Duration = Duration::from_secs(60 * 60);

/// Forgets every hour, for as long as it is polled. Several replicas may do it at once.
pub async fn run(db: Db, lockout: LockoutSettings, clock: Clock) {
    let nobody_wakes_it = Waker::new();
    background::run(PERIOD, nobody_wakes_it.listen(), || async {
        if let Err(error) = forget(&db, lockout, clock.now()).await {
            tracing::warn!(
                error = chain(&error),
                "what has ended is kept until the next look"
            );
        }
    })
    .await;
}

/// Forgets what has ended by `now`.
///
/// # Errors
/// When the database fails.
pub async fn forget(db: &Db, lockout: LockoutSettings, now: OffsetDateTime) -> db::Result<()> {
    let mut conn = db.acquire().await?;
    login_failures::delete_older(&mut conn, now - lockout.window).await?;
    pending_signups::delete_expired(&mut conn, now).await?;
    sent_codes::delete_uncounted(&mut conn, now).await?;
    password_resets::delete_expired(&mut conn, now).await?;
    verifications::delete_expired(&mut conn, now).await?;
    one_time_tokens::delete_expired(&mut conn, now).await
}
