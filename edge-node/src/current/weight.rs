//! How much memory an environment takes, and which ones to drop when together they take too much.

use std::{cmp::Reverse, collections::HashSet};

use protocol::ids::EnvId;

/// What decides whether a held environment is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) env_id: EnvId,
    /// Estimated bytes of memory.
    pub(crate) bytes: u64,
    /// When it was last queried: Unix milliseconds, to the second; 0 for never.
    pub(crate) used_at_ms: i64,
    /// Whether any stream listens to its changes.
    pub(crate) has_streams: bool,
}

/// The environments to drop so that the rest fits into `limit`: those without streams before those with, and within
/// each group the least recently used first. `settled` names those that have been held for a while; all others were
/// just requested and are never dropped.
pub(crate) fn surplus(mut held: Vec<Weight>, settled: &HashSet<EnvId>, limit: u64) -> Vec<EnvId> {
    let mut bytes: u64 = held.iter().map(|weight| weight.bytes).sum();
    held.retain(|weight| settled.contains(&weight.env_id));
    held.sort_unstable_by_key(|weight| {
        Reverse((weight.has_streams, weight.used_at_ms, weight.env_id))
    });
    let mut surplus = Vec::new();
    // Sorted in reverse, so the first to go is at the end.
    while bytes > limit
        && let Some(weight) = held.pop()
    {
        bytes -= weight.bytes;
        surplus.push(weight.env_id);
    }
    surplus
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn weight(number: u128, used_at_ms: i64, has_streams: bool) -> Weight {
        Weight {
            env_id: Uuid::from_u128(number).into(),
            bytes: 10,
            used_at_ms,
            has_streams,
        }
    }

    fn dropped(held: &[Weight], settled: &[u128], limit: u64) -> Vec<u128> {
        let settled = settled.iter().map(|number| Uuid::from_u128(*number).into());
        let surplus = surplus(held.to_vec(), &settled.collect(), limit);
        surplus
            .iter()
            .map(|env_id| env_id.uuid().as_u128())
            .collect()
    }

    #[test]
    fn the_least_recently_used_go_first_and_no_more_than_needed() {
        let held = [
            weight(1, 30, false),
            weight(2, 10, false),
            weight(3, 20, false),
        ];
        assert_eq!(dropped(&held, &[1, 2, 3], 30), []);
        assert_eq!(dropped(&held, &[1, 2, 3], 29), [2]);
        assert_eq!(dropped(&held, &[1, 2, 3], 10), [2, 3]);
    }

    #[test]
    fn open_streams_keep_an_environment_longer() {
        let held = [
            weight(1, 30, false),
            weight(2, 10, true),
            weight(3, 20, true),
        ];
        assert_eq!(dropped(&held, &[1, 2, 3], 20), [1]);
        assert_eq!(dropped(&held, &[1, 2, 3], 10), [1, 2]);
    }

    #[test]
    fn what_was_just_requested_stays_whatever_its_size() {
        let held = [weight(1, 30, true), weight(2, 0, false)];
        assert_eq!(dropped(&held, &[1], 0), [1]);
        assert_eq!(dropped(&held, &[1, 2], 10), [2]);
    }
}
