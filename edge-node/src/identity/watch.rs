//! Tells how long this edge's certificate is still valid, and warns when it was not renewed in time.

use std::{path::PathBuf, time::Duration};

use serving::error::chain;
use tokio_util::sync::CancellationToken;

use super::{Pair, Validity};
use crate::Edge;

const DAY_MS: i64 = 24 * 3_600_000;

/// Watches the certificate until `stop` is cancelled.
pub(crate) async fn watch(edge: Edge, folder: PathBuf, stop: CancellationToken) {
    let mut ticks = tokio::time::interval(Duration::from_secs(60));
    let mut warnings = Warnings::default();
    while stop.run_until_cancelled(ticks.tick()).await.is_some() {
        let pair = Pair::read(&folder);
        let validity = pair.and_then(|pair| Ok(pair.validity()?));
        let now_ms = edge.parts().clock.now_ms();
        match validity {
            Ok(validity) => {
                let days = validity.days_left(now_ms);
                metrics::gauge!("halyard_edge_certificate_days_left").set(days);
                metrics::gauge!("halyard_edge_certificate_days").set(validity.days());
                if warnings.are_due(validity, now_ms) {
                    tracing::warn!(
                        days_left = days.floor(),
                        "the certificate of this edge ends soon; without a link it is not renewed"
                    );
                }
            }
            Err(error) => {
                tracing::debug!(error = chain(&error), "cannot read EDGE_IDENTITY");
            }
        }
    }
}

/// One warning a day.
#[derive(Debug, Default)]
struct Warnings {
    last_ms: Option<i64>,
}

impl Warnings {
    fn are_due(&mut self, validity: Validity, now_ms: i64) -> bool {
        // A certificate is renewed long before, also one that was issued for a short time.
        let short = (30 * DAY_MS).min(validity.life_ms() / 5);
        let is_short = validity.until_ms.saturating_sub(now_ms) < short;
        let is_due = is_short
            && self
                .last_ms
                .is_none_or(|last_ms| now_ms - last_ms >= DAY_MS);
        if is_due {
            self.last_ms = Some(now_ms);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn validity(days: i64) -> Validity {
        Validity {
            from_ms: 0,
            until_ms: days * DAY_MS,
        }
    }

    #[test]
    fn a_warning_comes_once_a_day_in_the_last_thirty_days() {
        let mut warnings = Warnings::default();
        let warned: Vec<i64> = (0..740 * 24)
            .filter(|hour| warnings.are_due(validity(730), hour * 3_600_000))
            .collect();
        assert_eq!(warned[0], 700 * 24 + 1);
        assert!(warned.windows(2).all(|pair| pair[1] - pair[0] == 24));
        assert_eq!(warned.len(), 40, "also after the end");
    }

    #[test]
    fn a_short_certificate_is_not_warned_of_from_the_start() {
        let mut warnings = Warnings::default();
        assert!(!warnings.are_due(validity(30), 23 * DAY_MS));
        assert!(warnings.are_due(validity(30), 24 * DAY_MS + 1));
    }
}
