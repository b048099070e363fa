//! When the edges of a replica that stops come back to its address, those that have no other.

use std::time::Duration;

/// How long one of this many edges waits. `share` is drawn for each of them, from 0 to 1.
pub(super) fn retry_after(edges: usize, share: f64) -> Duration {
    let edges = u32::try_from(edges).unwrap_or(u32::MAX);
    // Two hundred a second come back. The last of a large fleet may wait, since they serve what they hold; but not for long.
    let width = Duration::from_millis(5)
        .saturating_mul(edges)
        .min(Duration::from_secs(30));
    // A replica needs at least two seconds to start again.
    Duration::from_secs(2) + width.mul_f64(share.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_edges_come_back_over_five_seconds() {
        assert_eq!(retry_after(1_000, 0.0), Duration::from_secs(2));
        assert_eq!(retry_after(1_000, 0.5), Duration::from_millis(4_500));
        assert_eq!(retry_after(1_000, 1.0), Duration::from_secs(7));
    }

    #[test]
    fn a_few_edges_wait_no_longer_than_they_must() {
        assert_eq!(retry_after(0, 1.0), Duration::from_secs(2));
        assert!(retry_after(10, 1.0) <= Duration::from_millis(2_050));
    }

    #[test]
    fn no_fleet_is_so_large_that_its_edges_wait_for_minutes() {
        assert_eq!(retry_after(usize::MAX, 1.0), Duration::from_secs(32));
    }
}
