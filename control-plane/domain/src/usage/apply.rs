//! Writes batches in one transaction.

use std::{
    collections::{BTreeMap, HashSet},
    mem,
};

use protocol::wire::usage::UsageBatch;
use time::OffsetDateTime;

use super::{
    Reporter,
    merge::Usage,
    series,
    store::{counters, impressions, reports, windows},
};
use crate::{
    api_keys,
    onboarding::{self, model::Step},
};
use base::{
    db::{self, Db, Tx},
    ids::{EnvId, OrgId},
};

#[derive(Debug)]
pub(super) struct Report {
    pub(super) reporter: Reporter,
    pub(super) batch: UsageBatch,
}

/// Writes the reports that are new. There may be at most one report per boot of an edge. Returns the evaluations that each edge
/// counted for each organization.
///
/// # Errors
/// If the database fails, nothing is written.
pub(super) async fn apply(
    db: &Db,
    reports: &[&Report],
    impression_limit: i64,
    now: OffsetDateTime,
) -> db::Result<Vec<(OrgId, String, i64)>> {
    let mut tx = db.begin().await?;
    let new = reports::advance(&mut tx, reports, now).await?;
    let new: Vec<&Report> = reports
        .iter()
        .zip(new)
        .filter_map(|(report, is_new)| is_new.then_some(*report))
        .collect();

    let mut usage = owned(&mut tx, &new, now).await?;
    let counted = mem::take(&mut usage.by_edge);
    if usage.dropped > 0 {
        metrics::counter!("halyard_usage_dropped_total").increment(usage.dropped);
        tracing::debug!(
            dropped = usage.dropped,
            "dropped usage of environments that are gone or outside the edge's regions"
        );
    }
    let mut seen: BTreeMap<OrgId, Vec<Step>> = BTreeMap::new();
    if !usage.orgs.is_empty() {
        for org_id in write(&mut tx, usage, impression_limit, now).await? {
            seen.entry(org_id).or_default().push(Step::FirstEvaluation);
        }
    }
    for org_id in use_keys(&mut tx, &new, now).await? {
        seen.entry(org_id).or_default().push(Step::FirstSdk);
    }
    // Last and all at once: the locks are short, and taken in the same order everywhere.
    onboarding::note_all(&mut tx, &seen, now).await?;
    tx.commit().await?;
    let counted = counted.into_iter();
    Ok(counted
        .map(|((org_id, edge), count)| (org_id, edge, count))
        .collect())
}

/// Finds the organizations of all environments, and locks them against deletion until the end of the transaction.
async fn owned(tx: &mut Tx, reports: &[&Report], now: OffsetDateTime) -> db::Result<Usage> {
    let env_ids: HashSet<EnvId> = reports
        .iter()
        .flat_map(|report| {
            let counted = report.batch.evaluations.iter().map(|count| count.env_id);
            counted.chain(report.batch.impressions.iter().map(|shown| shown.env_id))
        })
        .map(EnvId::from)
        .collect();
    let mut usage = Usage::default();
    if !env_ids.is_empty() {
        let owners = reports::owners(tx, &env_ids.into_iter().collect::<Vec<_>>()).await?;
        for report in reports {
            usage.add(&report.reporter, &report.batch, &owners, now);
        }
    }
    Ok(usage)
}

/// Writes counts and impressions. Returns the organizations in which a flag was evaluated and that still await the first
/// evaluation.
async fn write(
    tx: &mut Tx,
    mut usage: Usage,
    impression_limit: i64,
    now: OffsetDateTime,
) -> db::Result<Vec<OrgId>> {
    let org_ids: Vec<OrgId> = usage.orgs.keys().copied().collect();
    let mut windows = windows::lock(tx, &org_ids).await?;
    let before = windows.clone();
    let awaits = |org_id: &OrgId| {
        before
            .get(org_id)
            .is_some_and(|window| window.awaits_evaluation)
    };
    let evaluated = usage
        .orgs
        .iter()
        .filter(|(org_id, org)| awaits(org_id) && org.has_evaluated());
    let evaluated: Vec<OrgId> = evaluated.map(|(org_id, _)| *org_id).collect();

    let mut known = counters::find_unknown(tx, &usage.orgs).await?;
    for (org_id, org) in &mut usage.orgs {
        if let Some(window) = windows.get_mut(org_id) {
            let known = known.remove(org_id).unwrap_or_default();
            org.bound_unknown(&known, &mut window.unknown_keys);
        }
    }
    counters::add(tx, &usage.orgs, now).await?;
    series::add(tx, &mut usage.orgs, &windows, now).await?;

    for (org_id, org) in usage.orgs {
        if let Some(window) = windows.get_mut(&org_id)
            && !org.impressions.is_empty()
        {
            window.impressions += impressions::insert(tx, org_id, &org.impressions).await?;
            let excess = window.impressions - impression_limit;
            if excess > 0 {
                window.impressions -= impressions::delete_oldest(tx, org_id, excess).await?;
                metrics::counter!("halyard_impressions_dropped_total")
                    .increment(excess.unsigned_abs());
                tracing::warn!(org.id = %org_id, dropped = excess, "the impression buffer is full");
            }
        }
    }
    windows.retain(|org_id, window| before.get(org_id) != Some(window));
    windows::update(tx, &windows).await?;
    Ok(evaluated)
}

/// Records the use of keys. Returns their organizations that still await the first use.
async fn use_keys(tx: &mut Tx, reports: &[&Report], now: OffsetDateTime) -> db::Result<Vec<OrgId>> {
    // Edges report the latest use of a key; several may report the same key.
    let mut uses = BTreeMap::new();
    for report in reports {
        for used in &report.batch.keys_used {
            let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(used.at_ms) * 1_000_000);
            let at = at.map_or(now, |at| at.min(now));
            let region = report.reporter.regions.only().map(str::to_owned);
            let latest = uses.entry((used.hash, region)).or_insert(at);
            *latest = at.max(*latest);
        }
    }
    if uses.is_empty() {
        return Ok(Vec::new());
    }
    api_keys::store::note_uses(tx, &uses).await
}
