//! What share of answers changes, and how sure that is.
//!
//! Edges keep samples with different probabilities, so each counts with a weight. Counts and their variances add up over edges; the
//! share is their ratio, and its interval that of Wilson for as many equal answers as tell as much.

use protocol::what_if::Finding;
use serde::Serialize;
use utoipa::ToSchema;

/// Of a normal distribution, 99 % lies within as many standard deviations.
const Z: f64 = 2.576;

/// What edges estimated, added up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    pub answers: f64,
    pub changed: f64,
    pub var_answers: f64,
    pub var_changed: f64,
    pub covariance: f64,
    /// Of the squares of what each sample counts as.
    pub squares: f64,
}

/// Where the share of all requests lies.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
pub struct Interval {
    /// At least.
    pub low: f64,
    /// At most.
    pub high: f64,
    /// How often such an interval holds the true share.
    pub confidence: f64,
}

impl Sums {
    /// Adds what an edge estimated.
    pub(super) fn add(&mut self, finding: &Finding) {
        self.answers += float(finding.answers);
        self.changed += float(finding.changed);
        self.var_answers += float(finding.var_answers);
        self.var_changed += float(finding.var_changed);
        self.covariance += float(finding.covariance);
        self.squares += float(finding.weight_squares);
    }

    /// The share of answers that change, and its interval; `None` without answers.
    pub fn share(&self) -> Option<(f64, Interval)> {
        if self.answers <= 0.0 {
            return None;
        }
        let share = (self.changed / self.answers).clamp(0.0, 1.0);
        Some((share, self.wilson(share)))
    }

    fn wilson(&self, share: f64) -> Interval {
        let n = self.equal_answers(share);
        let z2 = Z * Z;
        let middle = (share + z2 / (2.0 * n)) / (1.0 + z2 / n);
        let half = Z / (1.0 + z2 / n) * (share * (1.0 - share) / n + z2 / (4.0 * n * n)).sqrt();
        Interval {
            low: (middle - half).clamp(0.0, share),
            high: (middle + half).clamp(share, 1.0),
            confidence: 0.99,
        }
    }

    /// How many answers of equal weight would tell as much. Never more than the samples: that no sample with a large weight
    /// changes may be chance, of which the variance knows nothing.
    fn equal_answers(&self, share: f64) -> f64 {
        let squared = self.answers * self.answers;
        let most = squared / self.squares.max(1.0);
        let variance =
            self.var_changed - 2.0 * share * self.covariance + share * share * self.var_answers;
        let by_variance = share * (1.0 - share) * squared / variance;
        if by_variance > 0.0 {
            by_variance.min(most)
        } else {
            most
        }
        .max(1.0)
    }
}

#[expect(clippy::cast_precision_loss, reason = "estimates are not as precise")]
const fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are the same at each run.
    struct Draws(u64);

    impl Draws {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = self.0;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            f64::from(u32::try_from((z ^ (z >> 31)) >> 32).unwrap()) / f64::from(u32::MAX)
        }
    }

    #[test]
    fn nothing_is_said_without_answers() {
        assert_eq!(Sums::default().share(), None);
    }

    #[test]
    fn that_none_of_a_hundred_changes_leaves_room_for_some() {
        let sums = Sums {
            answers: 100.0,
            squares: 100.0,
            ..Sums::default()
        };
        let (share, interval) = sums.share().unwrap();
        assert_eq!((share, interval.low), (0.0, 0.0));
        assert!((0.06..0.07).contains(&interval.high), "{interval:?}");
    }

    /// The true share of finite traffic lies inside as often as promised: four hours with other rates, each sampled with another
    /// probability, requests with one to five answers that tend to change together.
    #[test]
    fn the_interval_holds_the_true_share_as_often_as_it_says() {
        let mut draws = Draws(40);
        let (mut inside, runs) = (0, 1_000);
        for run in 0..runs {
            let rate = [0.0, 0.002, 0.03, 0.3, 0.5, 0.97, 1.0][run % 7];
            let (mut answers, mut changed) = (0.0, 0.0);
            let mut sums = Sums::default();
            for (requests, one_in) in [(100, 1.0), (400, 1.0), (2_000, 4.0), (8_000, 16.0)] {
                for _ in 0..requests {
                    let asked = (draws.next() * 5.0).floor() + 1.0;
                    let together = draws.next() < 0.5;
                    let all = draws.next() < rate;
                    let differ = (0..5).filter(|&place| {
                        let own = draws.next() < rate;
                        f64::from(place) < asked && if together { all } else { own }
                    });
                    let differ = f64::from(u32::try_from(differ.count()).unwrap());
                    answers += asked;
                    changed += differ;
                    if draws.next() * one_in < 1.0 {
                        let spread = one_in * (one_in - 1.0);
                        sums.answers += one_in * asked;
                        sums.changed += one_in * differ;
                        sums.var_answers += spread * asked * asked;
                        sums.var_changed += spread * differ * differ;
                        sums.covariance += spread * asked * differ;
                        sums.squares += (one_in * asked).powi(2);
                    }
                }
            }
            let (_, interval) = sums.share().unwrap();
            inside += usize::from((interval.low..=interval.high).contains(&(changed / answers)));
        }
        assert!(inside >= 985, "{inside} of {runs}");
    }
}
