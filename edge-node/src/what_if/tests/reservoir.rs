//! Reservoirs by simulation.

use super::*;
use crate::what_if::{
    reservoir::{HOUR, Lots},
    sample::{Sample, hash_of_flag},
};

/// The weights of the samples in which a flag was asked for, and for which this is true.
fn estimate(reservoir: &Reservoir, now_ms: i64, flag: &str, plan: &str) -> f64 {
    let now = Duration::from_millis(now_ms.unsigned_abs());
    let mut sum = 0.0;
    for hour in reservoir.copy(now) {
        let mut rest = &hour[..];
        while let Some((sample, behind)) = Sample::first(rest) {
            let has_asked = sample.asked().any(|hash| hash == hash_of_flag(flag));
            let attributes = sample.attributes(&reservoir.sampled);
            if has_asked
                && attributes
                    .iter()
                    .any(|(_, json)| json.trim_matches('"') == plan)
            {
                sum += sample.weight();
            }
            rest = behind;
        }
    }
    sum
}

#[test]
fn estimates_are_without_bias_however_much_is_dropped() {
    // A hundredth of the requests asks for the rare flag, a tenth of all is by users who pay.
    let (runs, requests) = (400_u32, 6_000_i64);
    let mut sums = [0.0; 3];
    let mut squares = [0.0_f64; 3];
    for run in 0..runs {
        let reservoir = Reservoir::new(
            sampled(&["plan"], Keys::Hashed),
            200_000,
            u64::from(run) + 7_000_000,
        );
        let mut lots = Lots(u64::from(run) << 32);
        let mut now_ms = 0;
        let before = sums;
        for number in 0..requests {
            // A burst, then a quiet time: fewer are sampled while there are more.
            now_ms += if number < requests / 2 {
                i64::from(number % 4 == 0)
            } else {
                900
            };
            let flag = if number % 100 == 7 { "rare" } else { "common" };
            let plan = if lots.next().is_multiple_of(10) {
                "pro"
            } else {
                "free"
            };
            let user = format!("user-{}", number % 97);
            let context = context(&user, &[("plan", plan), ("secret", "x")]);
            reservoir.answered(AskedFor::One(flag), &context, || now_ms);
            let pro = f64::from(u8::from(plan == "pro"));
            let index = if flag == "rare" { 1 } else { 0 };
            sums[index] -= pro;
            sums[2] -= f64::from(u8::from(flag == "rare"));
        }
        sums[0] += estimate(&reservoir, now_ms, "common", "pro");
        sums[1] += estimate(&reservoir, now_ms, "rare", "pro");
        let rare = estimate(&reservoir, now_ms, "rare", "pro")
            + estimate(&reservoir, now_ms, "rare", "free");
        sums[2] += rare;
        for (square, (sum, before)) in squares.iter_mut().zip(sums.iter().zip(before)) {
            *square += (sum - before) * (sum - before);
        }
        assert!(reservoir.bytes() <= 200_000);
    }
    // Common and paid for: 594 in the mean; rare and paid for: 6; rare: 60. The errors of the runs say how much their mean may differ.
    let total = f64::from(runs);
    for (sum, square) in sums.into_iter().zip(squares) {
        let (mean, error) = (sum / total, square.sqrt() / total);
        assert!(mean.abs() < 4.0 * error, "{mean} +- {error}");
        assert!(error > 0.0 && error < 60.0, "{error}");
    }
}

#[test]
fn memory_has_a_bound_whatever_is_sent() {
    let reservoir = Reservoir::new(sampled(&["a", "tags"], Keys::Plain), OF_ENVIRONMENT, 1);
    let huge = "x".repeat(1 << 20);
    let long = "\u{1}".repeat(600);
    let key = "k".repeat(1_000);
    let mut most = 0;
    for number in 0..60_000_i64 {
        let flag = format!("flag-{}", number % 10_000);
        let value = if number % 500 == 0 { &huge } else { &long };
        let context = context(&key, &[("a", value), ("tags", &long), ("other", &huge)]);
        let now_ms = number * (30 * HOUR / 60_000);
        reservoir.answered(AskedFor::One(&flag), &context, || now_ms);
        if number % 100 == 0 {
            most = most.max(reservoir.bytes());
        }
    }
    assert!(most <= OF_ENVIRONMENT, "{most}");
    assert!(most > OF_ENVIRONMENT / 2, "{most}: little is used");
    // Days later nothing is left.
    reservoir.expire(Duration::from_hours(80));
    assert!(reservoir.bytes() < 16_384);
}

#[test]
fn only_what_is_allowed_is_kept() {
    let reservoir = Reservoir::new(sampled(&["plan"], Keys::Hashed), OF_ENVIRONMENT, 1);
    let given = context(
        "ann@example.com",
        &[("plan", "pro"), ("mail", "ann@example.com")],
    );
    reservoir.answered(AskedFor::All, &given, || 0);
    let copied = reservoir.copy(Duration::ZERO).concat();
    let (sample, rest) = Sample::first(&copied).unwrap();
    assert!(rest.is_empty() && sample.asked_for_all());
    assert_eq!(sample.attributes(&reservoir.sampled), [("plan", "\"pro\"")]);
    assert_eq!(sample.key(), format!("{:016x}", sample.key_hash()));
    let text = String::from_utf8_lossy(&copied);
    assert!(!text.contains("ann"), "{text}");
    assert!(!format!("{reservoir:?}").contains("pro"));
    // Another edge has another salt.
    let other = Reservoir::new(sampled(&["plan"], Keys::Hashed), OF_ENVIRONMENT, 1);
    other.answered(AskedFor::All, &given, || 0);
    assert_ne!(other.copy(Duration::ZERO).concat(), copied);
}
