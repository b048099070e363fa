//! Which defaults callers told edges: what their code would use without answers.
//!
//! They come apart from batches, and may be lost or dropped: each says again what the one before said.

use std::collections::{BTreeMap, HashSet};

use protocol::wire::usage::ToldDefault;
use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use super::{
    Reporter,
    merge::{is_key, is_value},
    model::{DefaultsFilter, DefaultsReport},
    store::{defaults, reports, windows},
};
use base::{
    db::{self, Db},
    ids::{EnvId, OrgId, ProjectId},
};

/// For how many days they are kept.
pub const KEPT_DAYS: i64 = 31;
/// Different ones of an organization in a day.
const OF_DAY: i64 = 2_000;
/// Characters of what a caller calls itself.
const SERVICE: usize = 64;
/// No edge counts more between two reports.
const MOST: u64 = 1 << 40;

/// A default of a flag in a service.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) env_id: EnvId,
    pub(super) flag_key: String,
    pub(super) service: String,
    /// JSON, or a digest of it.
    pub(super) value: String,
}

/// Answers, and those that had another value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    pub(super) answers: i64,
    pub(super) differing: i64,
}

pub(super) type Counts = BTreeMap<Key, Count>;

/// Stores what an edge was told, an organization after the other.
///
/// # Errors
/// When the database fails; what is left is lost.
pub(super) async fn store(
    db: &Db,
    reporter: &Reporter,
    told: Vec<ToldDefault>,
    now: OffsetDateTime,
) -> db::Result<()> {
    let env_ids: HashSet<EnvId> = told.iter().map(|one| one.env_id.into()).collect();
    let env_ids: Vec<EnvId> = env_ids.into_iter().collect();
    let mut tx = db.begin().await?;
    let owners = reports::owners(&mut tx, &env_ids).await?;
    let mut orgs: BTreeMap<OrgId, Counts> = BTreeMap::new();
    for one in told {
        let owner = owners.get(&EnvId::from(one.env_id));
        let owner = owner.filter(|owner| reporter.regions.allow(&owner.region));
        let Some(owner) = owner.filter(|_| is_plausible(&one)) else {
            drop_some(1);
            continue;
        };
        let key = Key {
            env_id: one.env_id.into(),
            flag_key: one.flag_key,
            service: one.service,
            value: one.value,
        };
        let count = orgs
            .entry(owner.org_id)
            .or_default()
            .entry(key)
            .or_default();
        let answers = one.answers.min(MOST);
        let plausible = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        count.answers = count.answers.saturating_add(plausible(answers));
        count.differing = count
            .differing
            .saturating_add(plausible(one.differing.min(answers)));
    }
    let org_ids: Vec<OrgId> = orgs.keys().copied().collect();
    // Others that write an organization's usage take their turn.
    windows::lock(&mut tx, &org_ids).await?;
    for (org_id, counts) in orgs {
        let stored = defaults::add(&mut tx, org_id, &counts, OF_DAY, now).await?;
        drop_some(counts.len().saturating_sub(stored));
    }
    tx.commit().await?;
    Ok(())
}

pub(super) fn drop_some(count: usize) {
    metrics::counter!("halyard_told_defaults_dropped_total").increment(count as u64);
}

fn is_plausible(one: &ToldDefault) -> bool {
    let is_service = one.service.chars().count() <= SERVICE && !one.service.contains('\0');
    is_service && is_key(&one.flag_key) && is_value(&one.value)
}

/// Those of a project, in the last days.
pub async fn read(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    filter: &DefaultsFilter,
    now: OffsetDateTime,
) -> db::Result<DefaultsReport> {
    let since = (now - Duration::days(filter.days - 1)).date();
    let (defaults, total) = defaults::read(conn, org_id, project_id, filter, since).await?;
    let shown = i64::try_from(defaults.len()).unwrap_or(i64::MAX);
    Ok(DefaultsReport {
        since: since.midnight().assume_utc(),
        defaults,
        left_out: total.saturating_sub(shown),
    })
}

/// Deletes those that are too old.
pub(super) async fn prune(conn: &mut PgConnection, now: OffsetDateTime) -> db::Result<()> {
    let until = (now - Duration::days(KEPT_DAYS)).date();
    while defaults::delete_older(conn, until, super::BATCH).await? > 0 {}
    Ok(())
}
