//! RFC 3339 date-times as instants, for comparisons only.
//!
//! Written here because the rules are narrower than those of a date library: no leap seconds, no separator but `T`,
//! fractions cut after nine digits, and no allocation.

/// A point in time: seconds since 1970 and nanoseconds, ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Instant {
    seconds: i64,
    nanos: u32,
}

impl Instant {
    /// Parses `2024-02-29T12:00:00.5+01:00`; `T` and `Z` may be lower case.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut input = Input(text.as_bytes());
        let year = input.digits(4)?;
        input.one_of(b"-")?;
        let month = input.digits(2)?;
        input.one_of(b"-")?;
        let day = input.digits(2)?;
        input.one_of(b"Tt")?;
        let hour = input.digits(2)?;
        input.one_of(b":")?;
        let minute = input.digits(2)?;
        input.one_of(b":")?;
        let second = input.digits(2)?;
        let nanos = input.fraction()?;
        let offset = input.offset()?;
        let exists = (1..=12).contains(&month)
            && (1..=days_in(year, month)).contains(&day)
            && hour < 24
            && minute < 60
            && second < 60;
        if !exists || !input.0.is_empty() {
            return None;
        }
        let local = i64::from(days_since_1970(year, month, day)) * 86_400
            + i64::from(hour * 3_600 + minute * 60 + second);
        Some(Self {
            seconds: local - i64::from(offset),
            nanos,
        })
    }
}

/// The rest of the input.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn one_of(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        allowed.contains(first).then(|| {
            self.0 = rest;
            *first
        })
    }

    fn digits(&mut self, count: usize) -> Option<i32> {
        (0..count).try_fold(0, |number, _| {
            Some(number * 10 + i32::from(self.one_of(b"0123456789")? - b'0'))
        })
    }

    /// Nanoseconds: none without a decimal point; digits beyond the ninth are dropped.
    fn fraction(&mut self) -> Option<u32> {
        if self.one_of(b".").is_none() {
            return Some(0);
        }
        let mut nanos = 0;
        let mut unit = 100_000_000;
        let mut digit = self.one_of(b"0123456789")?;
        loop {
            nanos += u32::from(digit - b'0') * unit;
            unit /= 10;
            match self.one_of(b"0123456789") {
                Some(next) => digit = next,
                None => return Some(nanos),
            }
        }
    }

    /// Seconds east of Greenwich.
    fn offset(&mut self) -> Option<i32> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.digits(2)?;
        self.one_of(b":")?;
        let minutes = self.digits(2)?;
        (hours < 24 && minutes < 60).then_some(sign * (hours * 3_600 + minutes * 60))
    }
}

const fn days_in(year: i32, month: i32) -> i32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

const fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Days in the proleptic Gregorian calendar. Counted from the 1st of March, leap days come last and the months form a
/// pattern.
const fn days_since_1970(year: i32, month: i32, day: i32) -> i32 {
    let year = if month < 3 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::{OffsetDateTime, format_description::well_known::Rfc3339};

    use super::*;

    #[test]
    fn equal_instants_in_different_spellings() {
        for (a, b) in [
            ("2024-01-01T00:00:00Z", "2024-01-01t01:00:00.000+01:00"),
            ("2024-03-01T00:00:00z", "2024-02-29T23:30:00-00:30"),
            (
                "2024-01-01T00:00:00.123456789Z",
                "2024-01-01T00:00:00.1234567899999Z",
            ),
        ] {
            assert_eq!(Instant::parse(a).unwrap(), Instant::parse(b).unwrap());
        }
    }

    #[test]
    fn texts_that_are_not_date_times() {
        for text in [
            "",
            "2024-01-01",
            "2024-01-01 00:00:00Z",
            "2024-01-01T00:00:00",
            "2024-01-01T00:00Z",
            "2024-01-01T00:00:60Z",
            "2024-01-01T24:00:00Z",
            "2024-13-01T00:00:00Z",
            "2023-02-29T00:00:00Z",
            "2024-00-10T00:00:00Z",
            "2024-01-00T00:00:00Z",
            "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00+01:60",
            "2024-01-01T00:00:00Z ",
            "24-01-01T00:00:00Z",
            "2024-01-01T00:00:00+0100",
        ] {
            assert_eq!(Instant::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_time_crate(seconds in -62_167_219_200_i64..253_402_300_800, nanos in 0..1_000_000_000_u32) {
            let moment = OffsetDateTime::from_unix_timestamp(seconds).unwrap().replace_nanosecond(nanos).unwrap();
            let text = moment.format(&Rfc3339).unwrap();
            prop_assert_eq!(Instant::parse(&text), Some(Instant { seconds, nanos }), "{}", text);
        }
    }
}
