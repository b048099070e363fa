//! Evaluations of the last minute, and the first evaluation.

use std::collections::BTreeMap;

use serde::Serialize;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{model::Step, store::lately as store};
use base::{
    db,
    ids::{EnvId, OrgId},
};

#[derive(Clone, Debug, Serialize)]
pub struct FirstEvaluation {
    pub flag_key: String,
    pub env_id: EnvId,
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
}

/// Estimates the evaluations of the last 60 seconds: counts are stored by minute, and the previous minute counts in proportion.
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

/// The part of the previous minute's count within the last 60 seconds.
pub(super) fn still_counts(count: i64, into_minute: time::Duration) -> i64 {
    let length = i128::from(Step::Minute.seconds()) * 1_000;
    let left = (length - into_minute.whole_milliseconds()).clamp(0, length);
    i64::try_from(i128::from(count) * left / length).unwrap_or(count)
}

/// The first evaluation of each organization since the last reset, if any.
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
            // A minute in the future, after the clock was set back, counts as a whole.
            (7, Duration::seconds(-3), 7),
        ] {
            assert_eq!(still_counts(count, into), expected);
        }
    }
}
