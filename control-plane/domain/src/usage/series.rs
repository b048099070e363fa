//! Series of flag results, as written by batches and as read.

use std::collections::BTreeMap;

use protocol::wire::usage::DIGEST;
use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{
    input::Span,
    merge::OrgUsage,
    model::{Filter, LeftOut, Series, SeriesReport, Step},
    store::{
        series::{self, Minutes},
        shown::{self, Read},
        windows::Window,
    },
};
use base::{db, ids::OrgId, refusal::Refusal};

/// Rows of an organization per minute, hour or day, in addition to the shared ones.
pub(super) const MAX_ROWS: i64 = 2_000;

/// Adds the counts of batches to the current minute. The windows are locked.
pub(super) async fn add(
    conn: &mut PgConnection,
    orgs: &mut BTreeMap<OrgId, OrgUsage>,
    windows: &BTreeMap<OrgId, Window>,
    now: OffsetDateTime,
) -> db::Result<()> {
    let minutes: Minutes = windows
        .iter()
        .map(|(org_id, window)| (*org_id, window.minute(now)))
        .collect();
    let there = series::count(conn, &minutes).await?;
    for (org_id, minute) in &minutes {
        let Some(org) = orgs.get_mut(org_id) else {
            continue;
        };
        let room = MAX_ROWS - there.get(org_id).copied().unwrap_or(0);
        if room < i64::try_from(org.series.len()).unwrap_or(i64::MAX) {
            let known = series::find(conn, *org_id, *minute).await?;
            org.bound_series(&known, usize::try_from(room).unwrap_or(0));
        }
    }
    series::add(conn, orgs, &minutes).await
}

pub async fn read(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    span: &Span,
) -> Result<SeriesReport, Refusal> {
    let (read, rest) = shown::read(conn, org_id, filter, span).await?;
    if rest.rows > shown::MAX_ROWS {
        return Err(Refusal::invalid(
            "more than 600000 counts are between from and to: choose a shorter time, a longer step, or an environment",
        ));
    }
    let shown = i64::try_from(read.len()).unwrap_or(i64::MAX);
    let left_out = LeftOut {
        series: rest.all_series - shown,
        evaluations: rest
            .points
            .iter()
            .fold(0, |sum, (_, count)| count.saturating_add(sum)),
        points: rest.points,
    };
    Ok(SeriesReport {
        left_out,
        series: read.into_iter().map(shape).collect(),
        ..SeriesReport::empty(span.step)
    })
}

fn shape(read: Read) -> Series {
    let (value, value_digest) = shown_value(read.value.as_deref().unwrap_or_default());
    Series {
        flag_key: read.flag_key,
        env_id: read.env_id,
        value,
        value_digest,
        variant_key: read.variant_key,
        reason: read.reason,
        points: read.points,
    }
}

/// A stored value as the API shows it: JSON, or a digest. Missing values are neither.
pub(super) fn shown_value(stored: &str) -> (Value, Option<String>) {
    let value = serde_json::from_str(stored).unwrap_or_default();
    (value, stored.strip_prefix(DIGEST).map(str::to_owned))
}

impl Window {
    /// The minute that counts are added to: this one, or the first unfolded one.
    fn minute(&self, now: OffsetDateTime) -> OffsetDateTime {
        let minute = Step::Minute.floor(now);
        self.hours_folded_to
            .map_or(minute, |folded_to| minute.max(folded_to))
    }
}
