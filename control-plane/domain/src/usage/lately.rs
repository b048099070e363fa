//! What was evaluated in the last minute, and what was evaluated first.

use std::collections::BTreeMap;

use serde::Serialize;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{model::Step, store::lately as store};
use base::{
    db,
    ids::{EnvId, OrgId},
};

/// The first evaluation of an organization.
#[derive(Clone, Debug, Serialize)]
pub struct FirstEvaluation {
    /// The flag that was evaluated.
    pub flag_key: String,
    /// Where.
    pub env_id: EnvId,
    /// When it was stored.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// How much was evaluated in the last 60 seconds, about: what is counted is kept by minutes, and of the last minute as much counts
/// as is not longer ago than that.
pub async fn per_minute(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
    now: OffsetDateTime,
) -> db::Result<BTreeMap<OrgId, i64>> {
    let minute = Step::Minute.floor(now);
    let since = minute - Step::Minute.length();
    let mut rates = BTreeMap::new();
    for (org_id, starts_at, count) in store::count_since(conn, org_ids, since).await? {
        let is_last = starts_at < minute;
        let counted = if is_last {
            still_counts(count, now - minute)
        } else {
            count
        };
        let rate: &mut i64 = rates.entry(org_id).or_default();
        *rate = rate.saturating_add(counted);
    }
    Ok(rates)
}

/// How much of what was counted in the last minute is no longer ago than 60 seconds.
fn still_counts(count: i64, into_minute: time::Duration) -> i64 {
    let length = i128::from(Step::Minute.seconds()) * 1_000;
    let left = (length - into_minute.whole_milliseconds()).clamp(0, length);
    i64::try_from(i128::from(count) * left / length).unwrap_or(count)
}

/// What was evaluated first in these organizations; nothing of those in which nothing was since the last reset.
pub async fn first_evaluations(
    conn: &mut PgConnection,
    org_ids: &[OrgId],
) -> db::Result<BTreeMap<OrgId, FirstEvaluation>> {
    if org_ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    store::first(conn, org_ids).await
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::*;

    #[test]
    fn the_last_minute_counts_less_and_less() {
        for (count, into, expected) in [
            (600, Duration::ZERO, 600),
            (600, Duration::seconds(15), 450),
            (600, Duration::milliseconds(59_999), 0),
            (i64::MAX, Duration::ZERO, i64::MAX),
            // Rows of a minute that is yet to come are not of the last one; a clock that was set back counts all.
            (7, Duration::seconds(-3), 7),
        ] {
            assert_eq!(still_counts(count, into), expected);
        }
    }
}
