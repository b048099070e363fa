//! Operands of clauses: in LaunchDarkly they have a JSON type and match attributes of that type only, in Halyard they are texts.

use serde_json::{Number, Value};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::logic::{EXACT, is_version};

pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => self::number(number),
        other => other.to_string(),
    }
}

/// Whole numbers are written without a point.
pub(super) fn number(number: &Number) -> String {
    match number.as_f64() {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole, and far from the bounds"
        )]
        Some(double) if number.is_f64() && double.fract() == 0.0 && double.abs() < EXACT => {
            (double as i64).to_string()
        }
        _ => number.to_string(),
    }
}

/// A date-time in both forms that attributes may have: RFC 3339, and milliseconds since 1970. `None` for what is neither.
pub(super) fn date(value: &Value) -> Option<(String, String)> {
    let moment = match value {
        Value::String(text) => OffsetDateTime::parse(text, &Rfc3339).ok()?,
        number => {
            let nanos = number.as_f64()? * 1e6;
            if nanos.abs() > 1e27 {
                return None;
            }
            #[expect(clippy::cast_possible_truncation, reason = "bounded above")]
            OffsetDateTime::from_unix_timestamp_nanos(nanos as i128).ok()?
        }
    };
    let milliseconds = match value {
        Value::Number(number) => self::number(number),
        _ => milliseconds(moment.unix_timestamp_nanos()),
    };
    Some((moment.format(&Rfc3339).ok()?, milliseconds))
}

fn milliseconds(nanos: i128) -> String {
    let sign = if nanos < 0 { "-" } else { "" };
    let (whole, rest) = (
        nanos.unsigned_abs() / 1_000_000,
        nanos.unsigned_abs() % 1_000_000,
    );
    let text = format!("{sign}{whole}.{rest:06}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The version that LaunchDarkly reads: missing parts are 0. `None` when it reads none.
pub(super) fn version(text: &str) -> Option<String> {
    let digits = text
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(text.len());
    let (core, rest) = text.split_at(digits);
    let parts = core.split('.').count();
    let missing = ".0".repeat(3_usize.checked_sub(parts)?);
    let version = format!("{core}{missing}{rest}");
    is_version(&version).then_some(version)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operands_are_written_as_texts() {
        for (value, expected) in [
            (json!("a"), "a"),
            (json!(true), "true"),
            (json!(5), "5"),
            (json!(5.0), "5"),
            (json!(-0.5), "-0.5"),
            (json!(u64::MAX), "18446744073709551615"),
        ] {
            assert_eq!(text(&value), expected, "{value}");
        }
    }

    #[test]
    fn dates_are_written_as_rfc_3339_and_in_milliseconds() {
        for (value, expected) in [
            (json!(0), Some(("1970-01-01T00:00:00Z", "0"))),
            (
                json!(1_700_000_000_500_i64),
                Some(("2023-11-14T22:13:20.5Z", "1700000000500")),
            ),
            (
                json!("2023-11-14T22:13:20+01:00"),
                Some(("2023-11-14T22:13:20+01:00", "1699996400000")),
            ),
            (
                json!("1969-12-31T23:59:59.99975Z"),
                Some(("1969-12-31T23:59:59.99975Z", "-0.25")),
            ),
            (json!("yesterday"), None),
            (json!(1e300), None),
            (json!(true), None),
        ] {
            let owned =
                |(text, milliseconds): (&str, &str)| (text.to_owned(), milliseconds.to_owned());
            let expected = expected.map(owned);
            assert_eq!(date(&value), expected, "{value}");
        }
    }

    #[test]
    fn versions_are_completed() {
        for (text, expected) in [
            ("2", Some("2.0.0")),
            ("2.1", Some("2.1.0")),
            ("2-rc.1", Some("2.0.0-rc.1")),
            ("1.2.3+b.01", Some("1.2.3+b.01")),
            ("1.2.3.4", None),
            ("1.02.3", None),
            ("v1.2.3", None),
            ("1.2.3-01", None),
            ("", None),
            ("18446744073709551616.0.0", None),
        ] {
            assert_eq!(version(text).as_deref(), expected, "{text}");
        }
    }
}
