//! Building blocks of rules that all importers use.

use protocol::rule::{Condition, TargetingRule};
use serde_json::Value;

use super::copies::{Weight as _, charge};

/// Everybody, in basis points.
pub const EVERYONE: i64 = 10_000;

pub fn condition<V: Into<String>>(
    attribute: impl Into<String>,
    operator: &str,
    values: impl IntoIterator<Item = V>,
) -> Condition {
    Condition {
        attribute: attribute.into(),
        operator: operator.to_owned(),
        values: values
            .into_iter()
            .map(Into::into)
            .take_while(|value: &String| charge(value.weight()))
            .collect(),
    }
}

/// A rule for contexts that meet all conditions; without any, for all contexts.
pub fn rule(conditions: Vec<Condition>, value: Value) -> TargetingRule {
    TargetingRule {
        id: String::new(),
        priority: None,
        description: String::new(),
        conditions,
        segment_keys: Vec::new(),
        percentage: EVERYONE,
        value: Some(value),
        match_type: "all".to_owned(),
    }
}

/// A part of a weighted split.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// What its users get.
    pub value: Value,
    /// Its weight, in parts of the whole.
    pub weight: u64,
}

/// A weighted split as consecutive rules like `like`, with cumulative percentages: exact, because all percentages of a flag share
/// one bucket. `whole` is the sum of weights that stands for all contexts that meet the conditions, of which `total` basis points are
/// admitted. Shares are rounded to the nearest basis point, halves up; one that gets none has no rule. Weights that do not reach the
/// whole leave the rest to whatever comes next.
pub fn split(like: &TargetingRule, shares: &[Share], whole: u64, total: i64) -> Vec<TargetingRule> {
    let mut rules = Vec::new();
    let (mut running, mut reached) = (0_u64, 0);
    for share in shares {
        running = running.saturating_add(share.weight).min(whole);
        let percentage = portion(running, whole, total);
        if percentage > reached {
            if !charge(like.weight() + share.value.weight()) {
                break;
            }
            rules.push(TargetingRule {
                percentage,
                value: Some(share.value.clone()),
                ..like.clone()
            });
            reached = percentage;
        }
    }
    rules
}

/// `total` basis points times `part` of `whole`, to the nearest basis point, halves up. 0 of 0 is 0.
pub fn portion(part: u64, whole: u64, total: i64) -> i64 {
    if whole == 0 {
        return 0;
    }
    let scaled = u128::from(part) * u128::from(total.unsigned_abs());
    let whole = u128::from(whole);
    i64::try_from((2 * scaled + whole) / (2 * whole)).unwrap_or(total)
}

/// A share that a source writes as a decimal number, as parts of `scale` units each, to the nearest. `None` when it is no number
/// from 0 to `limit`.
pub fn parts(number: f64, limit: f64, scale: f64) -> Option<u64> {
    let is_share = number.is_finite() && (0.0..=limit).contains(&number);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "bounded above, and not negative"
    )]
    is_share.then(|| (number * scale).round() as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn percentages(weights: &[u64], whole: u64, total: i64) -> Vec<(Value, i64)> {
        let shares: Vec<_> = (0..)
            .zip(weights)
            .map(|(place, &weight)| Share {
                value: json!(place),
                weight,
            })
            .collect();
        split(&rule(Vec::new(), Value::Null), &shares, whole, total)
            .into_iter()
            .map(|rule| (rule.value.unwrap(), rule.percentage))
            .collect()
    }

    #[test]
    fn a_split_is_cumulative_and_ends_with_the_total() {
        assert_eq!(
            percentages(&[33_333, 33_333, 33_334], 100_000, 10_000),
            [(json!(0), 3_333), (json!(1), 6_667), (json!(2), 10_000)]
        );
        assert_eq!(
            percentages(&[500, 500], 1_000, 2_500),
            [(json!(0), 1_250), (json!(1), 2_500)]
        );
    }

    #[test]
    fn a_share_of_nothing_has_no_rule() {
        assert_eq!(
            percentages(&[0, 100_000, 0], 100_000, 10_000),
            [(json!(1), 10_000)]
        );
        assert_eq!(percentages(&[1, 1], 2, 0), []);
        assert_eq!(percentages(&[0], 0, 10_000), []);
    }

    #[test]
    fn half_a_basis_point_rounds_up() {
        assert_eq!(portion(5, 100_000, 10_000), 1);
        assert_eq!(portion(4, 100_000, 10_000), 0);
    }

    #[test]
    fn weights_may_leave_a_rest() {
        assert_eq!(percentages(&[30], 100, 10_000), [(json!(0), 3_000)]);
    }

    #[test]
    fn decimal_shares_become_parts() {
        assert_eq!(parts(33.3, 100.0, 100.0), Some(3_330));
        assert_eq!(parts(100.0, 100.0, 100.0), Some(10_000));
        for number in [-0.1, 100.1, f64::NAN, f64::INFINITY] {
            assert_eq!(parts(number, 100.0, 100.0), None, "{number}");
        }
    }
}
