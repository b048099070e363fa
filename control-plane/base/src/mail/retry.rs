//! When an email that could not be sent is retried.

use std::time::Duration;

/// Pauses after the first, second … attempt, in seconds. The last one repeats. Short at first: a person waits for the code.
const PAUSES: [u32; 8] = [2, 5, 15, 30, 60, 120, 300, 600];

/// The pause after the given number of attempts. `spread`, between 0 and 1, shortens it by up to half, so that emails which
/// failed together are not retried together.
pub(super) fn pause(attempts: u32, spread: f64) -> Duration {
    let last = PAUSES.len() - 1;
    let index = usize::try_from(attempts.saturating_sub(1)).unwrap_or(last);
    let longest = Duration::from_secs(PAUSES[index.min(last)].into());
    longest.mul_f64(1.0 - spread / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_ten_minutes() {
        let pauses: Vec<_> = (1..20).map(|attempts| pause(attempts, 0.0)).collect();
        assert_eq!(pauses[0], Duration::from_secs(2));
        assert!(pauses.is_sorted());
        assert_eq!(pauses[18], Duration::from_secs(600));
        assert_eq!(pause(u32::MAX, 0.0), Duration::from_secs(600));
    }

    #[test]
    fn chance_takes_up_to_half_of_a_pause_away() {
        assert_eq!(pause(5, 0.0), Duration::from_secs(60));
        assert_eq!(pause(5, 0.5), Duration::from_secs(45));
        assert_eq!(pause(5, 1.0), Duration::from_secs(30));
    }
}
