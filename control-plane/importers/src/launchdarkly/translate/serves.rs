//! What is served: a variation, or a rollout over several.

use std::collections::HashSet;

use protocol::{bucketing::Bucketing, rule::Variant};
use serde_json::Value;

use super::super::wire::{self, Rollout};
use crate::plan::{self, Remarks, copies::copy, rules::Share, variants::Named};

/// The sum of a rollout's weights.
pub(super) const WHOLE: u64 = 100_000;

/// What those who match get.
#[derive(Debug, PartialEq)]
pub(super) enum Serves {
    Value(Value),
    /// Weights add up to [`WHOLE`], and there are at least two values.
    Split(Vec<Share>),
}

/// `values` are those of the flag's variations.
pub(super) fn translate(
    variation: Option<i64>,
    rollout: Option<&Rollout>,
    values: &[Value],
    remarks: &mut Remarks,
) -> Result<Serves, String> {
    match (variation, rollout) {
        (Some(variation), _) => {
            value(variation, values).map(|value| Serves::Value(copy(value).unwrap_or_default()))
        }
        (None, Some(rollout)) => of_rollout(rollout, values, remarks),
        (None, None) => Err("it serves nothing".to_owned()),
    }
}

pub(super) fn value(variation: i64, values: &[Value]) -> Result<&Value, String> {
    let found = usize::try_from(variation)
        .ok()
        .and_then(|index| values.get(index));
    found.ok_or_else(|| format!("there is no variation {variation}"))
}

fn of_rollout(
    rollout: &Rollout,
    values: &[Value],
    remarks: &mut Remarks,
) -> Result<Serves, String> {
    let shares: Vec<Share> = shares(rollout, values)?
        .into_iter()
        .map(|(_, share)| share)
        .collect();
    if !wire::is_user(&rollout.context_kind) {
        let kind = &rollout.context_kind;
        remarks.approximate(format!(
            "percentages are of contexts of the kind `{kind}` there, and of keys here"
        ));
    }
    let distinct: HashSet<String> = shares.iter().map(|share| share.value.to_string()).collect();
    if let (1, Some(share)) = (distinct.len(), shares.first()) {
        return Ok(Serves::Value(share.value.clone()));
    }
    let by = rollout.bucket_by.trim_start_matches('/');
    if is_experiment(rollout) {
        remarks.approximate("an experiment becomes a split of which nothing is measured");
    } else if !matches!(by, "" | "key") {
        remarks.approximate(format!(
            "percentages go by `{by}` there, and by the key here"
        ));
    }
    if shares.iter().any(|share| share.weight % 10 != 0) {
        remarks.approximate("percentages are rounded to hundredths of a percent");
    }
    Ok(Serves::Split(shares))
}

fn is_experiment(rollout: &Rollout) -> bool {
    rollout.kind == "experiment" || rollout.experiment_allocation.is_some()
}

/// How a rollout draws users, if it goes by their keys.
pub(super) fn bucketing(rollout: &Rollout, salt: &str) -> Option<Bucketing> {
    let by = rollout.bucket_by.trim_start_matches('/');
    let is_by_key = matches!(by, "" | "key") || is_experiment(rollout);
    let fits = salt.chars().count() <= Bucketing::MAX_TEXT && !salt.contains('\0');
    let is_kept = is_by_key && fits && wire::is_user(&rollout.context_kind);
    is_kept.then(|| Bucketing::LaunchDarkly {
        salt: salt.to_owned(),
        seed: rollout.seed,
    })
}

/// The shares of a rollout as variants, by the names of the variations. `None` where these cannot be kept.
pub(super) fn variants(
    rollout: &Rollout,
    values: &[Value],
    names: &[String],
) -> Option<Vec<Variant>> {
    let named = shares(rollout, values).ok()?.into_iter();
    let named = named.map(|(variation, share)| {
        Some(Named {
            name: names.get(variation)?.clone(),
            value: share.value,
            weight: share.weight,
        })
    });
    plan::variants::variants(named.collect::<Option<_>>()?)
}

/// Shares with their variations. The rest, where weights do not add up, belongs to the last one.
fn shares(rollout: &Rollout, values: &[Value]) -> Result<Vec<(usize, Share)>, String> {
    let last = rollout
        .variations
        .len()
        .checked_sub(1)
        .ok_or("its rollout is empty")?;
    let mut left = WHOLE;
    let mut shares = Vec::new();
    for (index, weighted) in rollout.variations.iter().enumerate() {
        let weight =
            u64::try_from(weighted.weight).map_err(|_| "its rollout has a negative weight")?;
        let weight = if index == last {
            left
        } else {
            weight.min(left)
        };
        left -= weight;
        if weight > 0 {
            let value = copy(value(weighted.variation, values)?).unwrap_or_default();
            let variation = usize::try_from(weighted.variation).unwrap_or_default();
            shares.push((variation, Share { value, weight }));
        }
    }
    Ok(shares)
}
