//! What is served: a variation, or a rollout over several.

use std::collections::HashSet;

use serde_json::Value;

use super::super::wire::{self, Rollout};
use crate::plan::{Remarks, copies::copy, rules::Share};

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

/// The value of a variation.
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
    let shares = shares(rollout, values)?;
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
    let is_experiment = rollout.kind == "experiment" || rollout.experiment_allocation.is_some();
    let by = rollout.bucket_by.trim_start_matches('/');
    if is_experiment {
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

/// The rest, where weights do not add up, belongs to the last variation.
fn shares(rollout: &Rollout, values: &[Value]) -> Result<Vec<Share>, String> {
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
            shares.push(Share { value, weight });
        }
    }
    Ok(shares)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rollout(weights: Value) -> Result<(Serves, Vec<String>), String> {
        let rollout: Rollout = serde_json::from_value(weights).unwrap();
        let mut remarks = Remarks::default();
        let values = [json!("a"), json!("b"), json!("c")];
        let serves = translate(None, Some(&rollout), &values, &mut remarks)?;
        let texts = remarks.iter().map(|remark| remark.text.clone());
        Ok((serves, texts.collect()))
    }

    fn split(shares: &[(&str, u64)]) -> Serves {
        let share = |&(value, weight): &(&str, u64)| Share {
            value: json!(value),
            weight,
        };
        Serves::Split(shares.iter().map(share).collect())
    }

    #[test]
    fn what_is_left_belongs_to_the_last_variation() {
        let (serves, notes) = rollout(json!({"variations": [
            {"variation": 0, "weight": 20_000}, {"variation": 1, "weight": 0}, {"variation": 2, "weight": 30_000},
        ]}))
        .unwrap();
        assert_eq!(serves, split(&[("a", 20_000), ("c", 80_000)]));
        assert_eq!(notes, [""; 0]);
        let (serves, _) = rollout(json!({"variations": [
            {"variation": 0, "weight": 70_000}, {"variation": 1, "weight": 70_000}, {"variation": 2, "weight": 5},
        ]}))
        .unwrap();
        assert_eq!(serves, split(&[("a", 70_000), ("b", 30_000)]));
    }

    #[test]
    fn a_rollout_to_everybody_is_exact() {
        let everybody = json!({"variations": [{"variation": 1, "weight": 100_000}, {"variation": 0, "weight": 0}]});
        assert_eq!(rollout(everybody), Ok((Serves::Value(json!("b")), vec![])));
        let twice = json!({"variations": [{"variation": 1, "weight": 40_000}, {"variation": 1, "weight": 60_000}]});
        assert_eq!(rollout(twice), Ok((Serves::Value(json!("b")), vec![])));
    }

    #[test]
    fn what_a_rollout_goes_by_is_remarked() {
        let halves =
            json!([{"variation": 0, "weight": 50_001}, {"variation": 1, "weight": 49_999}]);
        for (rest, expected) in [
            (json!({"bucketBy": "key"}), vec![]),
            (
                json!({"bucketBy": "company"}),
                vec!["percentages go by `company` there, and by the key here"],
            ),
            (
                json!({"contextKind": "org"}),
                vec!["percentages are of contexts of the kind `org` there, and of keys here"],
            ),
            (
                json!({"kind": "experiment", "bucketBy": "x"}),
                vec!["an experiment becomes a split of which nothing is measured"],
            ),
            (
                json!({"experimentAllocation": {"defaultVariation": 0}}),
                vec!["an experiment becomes a split of which nothing is measured"],
            ),
        ] {
            let mut whole = rest.clone();
            whole["variations"] = halves.clone();
            let (_, notes) = rollout(whole).unwrap();
            let common = ["percentages are rounded to hundredths of a percent"];
            let special: Vec<_> = notes
                .iter()
                .filter(|note| !common.contains(&note.as_str()))
                .collect();
            assert_eq!(special, expected.iter().collect::<Vec<_>>(), "{rest}");
        }
    }

    #[test]
    fn a_rollout_that_serves_nothing_is_refused() {
        for (rollout_, expected) in [
            (json!({"variations": []}), "its rollout is empty"),
            (
                json!({"variations": [{"variation": 0, "weight": -1}]}),
                "its rollout has a negative weight",
            ),
            (
                json!({"variations": [{"variation": 3, "weight": 1}]}),
                "there is no variation 3",
            ),
        ] {
            assert_eq!(rollout(rollout_), Err(expected.to_owned()));
        }
        assert_eq!(
            translate(None, None, &[], &mut Remarks::default()),
            Err("it serves nothing".to_owned())
        );
        assert_eq!(
            value(-1, &[json!(1)]),
            Err("there is no variation -1".to_owned())
        );
    }
}
