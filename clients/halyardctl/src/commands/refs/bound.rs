//! How many references of each flag are sent, where there are more than the service takes.

use super::tree::{Reference, Scanned};

/// How many references of a repository the service takes.
pub(super) const MAX_REFERENCES: usize = 10_000;

/// Leaves out references of the flags that have most, the last ones first, until there are few enough: each flag keeps some.
///
/// References are sorted. What is kept of many does not depend on whether some of them were left out before by a larger bound.
pub(super) fn bound(scanned: &mut Scanned, keys: usize, most: usize) {
    let mut counts = vec![0; keys];
    for Reference { key, .. } in &scanned.references {
        counts[*key] += 1;
    }
    let shares = shares(&counts, most);
    let mut kept = vec![0; keys];
    let before = scanned.references.len();
    scanned.references.retain(|Reference { key, .. }| {
        kept[*key] += 1;
        kept[*key] <= shares[*key]
    });
    scanned.left_out += before - scanned.references.len();
}

/// Gives all what they have up to a level, which is as high as a budget allows; the rest of the budget to the first ones above it.
fn shares(counts: &[usize], budget: usize) -> Vec<usize> {
    let at = |level: usize| counts.iter().map(|count| *count.min(&level)).sum::<usize>();
    let highest = counts.iter().copied().max().unwrap_or_default();
    let (mut level, mut above) = (0, highest + 1);
    while above - level > 1 {
        let middle = usize::midpoint(level, above);
        if at(middle) <= budget {
            level = middle;
        } else {
            above = middle;
        }
    }
    let mut left = budget.saturating_sub(at(level));
    let share = |count: &usize| {
        let gets_more = *count > level && left > 0;
        left -= usize::from(gets_more);
        *count.min(&level) + usize::from(gets_more)
    };
    counts.iter().map(share).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_with_most_give_first() {
        assert_eq!(shares(&[3, 0, 100, 50], 1000), [3, 0, 100, 50]);
        assert_eq!(shares(&[3, 0, 100, 50], 103), [3, 0, 50, 50]);
        assert_eq!(shares(&[3, 0, 100, 50], 44), [3, 0, 21, 20]);
        assert_eq!(shares(&[1, 1, 1], 2), [1, 1, 0]);
        assert_eq!(shares(&[], 2), Vec::<usize>::new());
    }

    #[test]
    fn leaving_out_twice_leaves_out_the_same() {
        for counts in [[7, 300, 90, 90], [1000, 1000, 3, 999], [40, 40, 40, 40]] {
            for most in [10, 100, 163, 1000] {
                assert_eq!(
                    shares(&shares(&counts, 2 * most), most),
                    shares(&counts, most)
                );
            }
        }
    }
}
