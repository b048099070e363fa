//! When a certificate is renewed: while between a third and a quarter of its time is left.

use std::time::Duration;

use rustls_pki_types::CertificateDer;
use sha2::{Digest, Sha256};

use super::Validity;

/// When its renewal begins, Unix milliseconds. Certificates that were issued at the same moment are renewed at different
/// ones, each at its own however often the process starts.
pub(crate) fn renewal_begins(certificate: &CertificateDer<'_>, validity: Validity) -> i64 {
    let life = validity.life_ms();
    let left = life / 3 - share_of(certificate, life / 12);
    validity.until_ms.saturating_sub(left)
}

/// How long to wait after an attempt: a sixtieth of the time of the certificate, at least a second and at most a day.
pub(crate) fn pause(validity: Validity) -> Duration {
    let pause = (validity.life_ms() / 60).clamp(1_000, 24 * 3_600_000);
    Duration::from_millis(pause.unsigned_abs())
}

/// A part of a range that only the certificate decides, evenly for many of them.
fn share_of(certificate: &CertificateDer<'_>, range: i64) -> i64 {
    let [a, b, c, d, ..] = <[u8; 32]>::from(Sha256::digest(certificate));
    let drawn = i128::from(u32::from_be_bytes([a, b, c, d]));
    i64::try_from((i128::from(range) * drawn) >> 32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY_MS: i64 = 24 * 3_600_000;

    fn validity(days: i64) -> Validity {
        Validity {
            from_ms: 0,
            until_ms: days * DAY_MS,
        }
    }

    #[test]
    fn a_fleet_that_was_enrolled_in_one_moment_renews_over_weeks() {
        let validity = validity(720);
        let begins: Vec<i64> = (0..1_000_u32)
            .map(|edge| {
                let certificate = CertificateDer::from(edge.to_be_bytes().to_vec());
                renewal_begins(&certificate, validity)
            })
            .collect();
        // A third is 240 days, a quarter 180.
        assert!(
            begins
                .iter()
                .all(|at| (480 * DAY_MS..=540 * DAY_MS).contains(at))
        );
        for week in 0..8 {
            let from = (480 + 7 * week) * DAY_MS;
            let of_week = begins
                .iter()
                .filter(|at| (from..from + 7 * DAY_MS).contains(at));
            assert!((60..180).contains(&of_week.count()), "week {week}");
        }
    }

    #[test]
    fn attempts_are_made_once_a_day_and_more_often_for_short_certificates() {
        assert_eq!(pause(validity(730)), Duration::from_secs(24 * 3_600));
        assert_eq!(pause(validity(1)), Duration::from_secs(24 * 60));
        assert_eq!(pause(validity(0)), Duration::from_secs(1));
    }

    #[test]
    fn times_that_make_no_sense_do_not_overflow() {
        let odd = Validity {
            from_ms: i64::MIN,
            until_ms: i64::MAX,
        };
        let certificate = CertificateDer::from(vec![0xff; 8]);
        renewal_begins(&certificate, odd);
        let reversed = Validity {
            from_ms: i64::MAX,
            until_ms: i64::MIN,
        };
        renewal_begins(&certificate, reversed);
        assert_eq!(pause(reversed), Duration::from_secs(1));
    }
}
