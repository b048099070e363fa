//! Variants that keep their names.

use std::collections::HashSet;

use protocol::rule::Variant;
use serde_json::Value;

use super::{
    copies::{Weight as _, charge},
    rules::EVERYONE,
};

/// As many as a state has at most.
const MAX: usize = 100;
/// Characters of a key.
const MAX_KEY: usize = 255;

/// A variant of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    pub name: String,
    pub value: Value,
    /// Its weight, in parts of the sum of all.
    pub weight: u64,
}

/// The variants of a state, with weights in basis points: rounded by the largest remainder, so that they sum to the whole. `None`
/// if they have no weight, or if there are more than a state has or names that cannot be keys.
pub fn variants(named: Vec<Named>) -> Option<Vec<Variant>> {
    let mut names = HashSet::new();
    let fits = named.len() <= MAX
        && named.iter().all(|one| {
            let is_key = !one.name.trim().is_empty() && !one.name.contains('\0');
            is_key && one.name.chars().count() <= MAX_KEY && names.insert(&one.name)
        });
    let weights = named.iter().map(|one| one.weight);
    let weights = fits.then(|| in_points(weights.collect()))??;
    let mut variants = Vec::with_capacity(named.len());
    for (one, weight) in named.into_iter().zip(weights) {
        if !charge(one.name.weight() + one.value.weight()) {
            return None;
        }
        variants.push(Variant {
            key: one.name,
            value: one.value,
            weight,
        });
    }
    Some(variants)
}

/// `None` without any weight.
fn in_points(weights: Vec<u64>) -> Option<Vec<i64>> {
    let all: u128 = weights.iter().map(|weight| u128::from(*weight)).sum();
    if all == 0 {
        return None;
    }
    let whole = u128::from(EVERYONE.unsigned_abs());
    let mut left = EVERYONE;
    let mut points = Vec::with_capacity(weights.len());
    let mut remainders = Vec::with_capacity(weights.len());
    for (place, weight) in weights.into_iter().enumerate() {
        let scaled = u128::from(weight) * whole;
        let down = i64::try_from(scaled / all).ok()?;
        left -= down;
        points.push(down);
        remainders.push((scaled % all, place));
    }
    // The largest first; of equal ones, the first.
    remainders.sort_by_key(|&(remainder, place)| (std::cmp::Reverse(remainder), place));
    for (_, place) in remainders.into_iter().take(usize::try_from(left).ok()?) {
        points[place] += 1;
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(weights: &[u64]) -> Vec<Named> {
        let each = (0..).zip(weights);
        each.map(|(place, &weight)| Named {
            name: format!("v{place}"),
            value: json!(place),
            weight,
        })
        .collect()
    }

    fn weights(of: &[u64]) -> Option<Vec<i64>> {
        let made = variants(named(of))?;
        Some(made.iter().map(|variant| variant.weight).collect())
    }

    #[test]
    fn weights_sum_to_the_whole_by_the_largest_remainder() {
        assert_eq!(weights(&[333, 333, 334]), Some(vec![3_330, 3_330, 3_340]));
        assert_eq!(weights(&[1, 1, 1]), Some(vec![3_334, 3_333, 3_333]));
        assert_eq!(weights(&[1, 5]), Some(vec![1_667, 8_333]));
        assert_eq!(weights(&[0, 7]), Some(vec![0, 10_000]));
        assert_eq!(weights(&[u64::MAX, u64::MAX]), Some(vec![5_000, 5_000]));
        assert_eq!(weights(&[0, 0]), None);
        assert_eq!(weights(&[]), None);
    }

    #[test]
    fn names_that_cannot_be_keys_are_refused() {
        let of = |name: &str| {
            let mut two = named(&[1, 1]);
            two[1].name = name.to_owned();
            variants(two)
        };
        assert!(of(&"x".repeat(255)).is_some());
        for name in [" ", "v0", "a\0", &"x".repeat(256)] {
            assert_eq!(of(name), None, "{name:?}");
        }
        assert_eq!(variants(named(&[1; 101])), None);
    }
}
