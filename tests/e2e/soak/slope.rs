//! How fast something grows, and how sure that is.
//!
//! Measurements that follow each other are alike: what a process took a moment ago it mostly takes now. So a series is cut into
//! blocks of equal time, and only their medians are compared: by the median of the slopes between each two of them (Theil and
//! Sen), whose interval comes from their ranks. Neither minds outliers or how the noise is distributed.

use std::fmt::{self, Display};

/// So many blocks, and no conclusion from fewer than half as many.
const BLOCKS: usize = 24;
/// Of a normal distribution lie 95 % within so many deviations.
const DEVIATIONS: f64 = 1.96;

/// Growth in an hour.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    pub hourly: f64,
    /// The 95 % interval.
    pub low: f64,
    pub high: f64,
}

/// The slope of values at moments, in seconds; `None` when these are too few.
pub fn slope(points: &[(f64, f64)]) -> Option<Slope> {
    let blocks = blocks(points);
    if blocks.len() < BLOCKS / 2 {
        return None;
    }
    let mut slopes = Vec::new();
    for (number, (at, value)) in blocks.iter().enumerate() {
        let later = &blocks[number + 1..];
        slopes.extend(
            later
                .iter()
                .map(|(then, other)| (other - value) / (then - at)),
        );
    }
    slopes.sort_unstable_by(f64::total_cmp);
    let count = blocks.len() as f64;
    // How far Kendall's statistic strays where there is no slope.
    let stray = DEVIATIONS * (count * (count - 1.0) * (2.0 * count + 5.0) / 18.0).sqrt();
    let middle = slopes.len() as f64 / 2.0;
    let last = slopes.len() - 1;
    let ranked = |rank: f64| slopes[(rank.max(0.0) as usize).min(last)] * 3_600.0;
    Some(Slope {
        hourly: median(&mut slopes.clone()) * 3_600.0,
        low: ranked((middle - stray / 2.0).floor()),
        high: ranked((middle + stray / 2.0).ceil()),
    })
}

/// The median moment and value of each block that has any.
fn blocks(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (Some((first, _)), Some((last, _))) = (points.first(), points.last()) else {
        return Vec::new();
    };
    let length = (last - first) / BLOCKS as f64;
    let mut blocks = vec![(Vec::new(), Vec::new()); BLOCKS];
    for (at, value) in points {
        let block = ((at - first) / length) as usize;
        let (moments, values) = &mut blocks[block.min(BLOCKS - 1)];
        moments.push(*at);
        values.push(*value);
    }
    let blocks = blocks.iter_mut().filter(|(moments, _)| !moments.is_empty());
    blocks
        .map(|(moments, values)| (median(moments), median(values)))
        .collect()
}

/// The median of what is not empty.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        0 => f64::midpoint(values[middle - 1], values[middle]),
        _ => values[middle],
    }
}

impl Display for Slope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { hourly, low, high } = self;
        write!(f, "{hourly:+.1} an hour ({low:+.1} to {high:+.1})")
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng, rngs::StdRng};

    use super::*;

    /// Forty minutes of values, one each five seconds, of these functions of the time in hours and a random number of ±1.
    fn series(seed: u64, value: impl Fn(f64, f64) -> f64) -> Vec<(f64, f64)> {
        let mut rng = StdRng::seed_from_u64(seed);
        let moments = (0..480).map(|number| 5.0 * f64::from(number));
        let values = moments.map(|at| (at, value(at / 3_600.0, rng.random_range(-1.0..1.0))));
        values.collect()
    }

    fn grows(points: &[(f64, f64)]) -> bool {
        slope(points).unwrap().low > 0.0
    }

    #[test]
    fn noise_does_not_grow_more_often_than_it_may() {
        let noise = |seed| series(seed, |_, noise| 100.0 + 10.0 * noise);
        let found = (0..1_000).filter(|&seed| grows(&noise(seed))).count();
        // One of forty is above the interval.
        assert!((10..45).contains(&found), "{found} of 1000");
    }

    #[test]
    fn noise_that_lingers_does_not_either() {
        let lingering = |seed| {
            let mut value = 0.0;
            let noise = series(seed, |_, noise| noise).into_iter();
            // Half of it is gone after a quarter of a minute.
            let noise = noise.map(|(at, noise)| {
                value = 0.8 * value + noise;
                (at, 100.0 + value)
            });
            noise.collect::<Vec<_>>()
        };
        let found = (0..1_000).filter(|&seed| grows(&lingering(seed))).count();
        assert!(found < 60, "{found} of 1000");
    }

    #[test]
    fn a_leak_is_found_with_its_size() {
        // In the time of the series four tenths of what is between the lowest and the highest noise.
        for seed in 0..100 {
            let leak = slope(&series(seed, |hours, noise| {
                100.0 + 12.0 * hours + 10.0 * noise
            }));
            let leak = leak.unwrap();
            assert!(leak.low > 0.0, "seed {seed}: {leak}");
            assert!((3.0..21.0).contains(&leak.hourly), "seed {seed}: {leak}");
        }
    }

    #[test]
    fn a_sawtooth_does_not_grow_and_one_that_climbs_does() {
        let tooth = |hours: f64| (hours * 60.0 / 7.0).fract() * 50.0;
        assert!(!grows(&series(1, |hours, _| 100.0 + tooth(hours))));
        let climbs = slope(&series(1, |hours, _| 100.0 + tooth(hours) + 60.0 * hours));
        let climbs = climbs.unwrap();
        assert!(climbs.low > 0.0 && climbs.high > 60.0, "{climbs}");
    }

    #[test]
    fn a_step_at_the_beginning_and_outliers_are_no_growth() {
        let step = |hours: f64| if hours < 0.03 { 0.0 } else { 40.0 };
        assert!(!grows(&series(1, |hours, noise| step(hours) + noise)));
        let outliers = |hours: f64| {
            if (hours * 77.0).fract() < 0.04 {
                500.0 * hours
            } else {
                0.0
            }
        };
        assert!(!grows(&series(1, |hours, noise| outliers(hours) + noise)));
    }

    #[test]
    fn what_stands_still_has_no_slope_and_little_has_no_conclusion() {
        let still = slope(&series(1, |_, _| 7.0)).unwrap();
        assert_eq!([still.hourly, still.low, still.high], [0.0; 3]);
        assert_eq!(slope(&series(1, |_, _| 7.0)[..11]), None);
        assert_eq!(slope(&[]), None);
    }
}
