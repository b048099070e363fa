//! Operands of clauses: in LaunchDarkly they have a JSON type and match attributes of that type only, in Halyard they are texts.

use std::collections::HashSet;

use serde_json::{Number, Value};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Above this, doubles are no longer exact integers.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The operands of `in`, as texts.
pub(super) struct Members {
    pub(super) texts: Vec<String>,
    /// Some match nothing there: `null`, lists and objects.
    pub(super) has_unmatchable: bool,
    /// Some number is not also given as a text: attributes that are such a text match here only.
    pub(super) has_bare_number: bool,
    /// Some boolean is not also given as a text.
    pub(super) has_bare_boolean: bool,
    /// Some text reads like a number or boolean that is not also given: attributes that are one match here only.
    pub(super) has_bare_text: bool,
}

impl Members {
    pub(super) fn read(values: &[Value]) -> Self {
        let mut texts = Vec::with_capacity(values.len());
        let (mut plain, mut typed) = (HashSet::new(), HashSet::new());
        let mut has_unmatchable = false;
        for value in values {
            let Some(text) = text(value) else {
                has_unmatchable = true;
                continue;
            };
            let set = if value.is_string() {
                &mut plain
            } else {
                &mut typed
            };
            if set.insert(text.clone()) && !texts_has(&plain, &typed, value, &text) {
                texts.push(text);
            }
        }
        let is_boolean = |text: &String| matches!(text.as_str(), "true" | "false");
        Self {
            has_unmatchable,
            has_bare_number: typed
                .iter()
                .any(|text| !is_boolean(text) && !plain.contains(text)),
            has_bare_boolean: typed
                .iter()
                .any(|text| is_boolean(text) && !plain.contains(text)),
            has_bare_text: plain
                .iter()
                .any(|text| (is_boolean(text) || is_number(text)) && !typed.contains(text)),
            texts,
        }
    }
}

/// Whether the other set has the text already, so that it is an operand.
fn texts_has(plain: &HashSet<String>, typed: &HashSet<String>, value: &Value, text: &str) -> bool {
    if value.is_string() { typed } else { plain }.contains(text)
}

/// The text form of an operand; `None` when there is none.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number_text(number)),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Whole numbers are written without a point.
pub(super) fn number_text(number: &Number) -> String {
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

/// Whether Halyard reads a text as a number.
pub(super) fn is_number(text: &str) -> bool {
    let is_written_so = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    is_written_so && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// A date-time in both forms that attributes may have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Date {
    /// RFC 3339.
    pub(super) text: String,
    /// Since 1970.
    pub(super) milliseconds: String,
}

/// The date-time of an operand: RFC 3339, or milliseconds since 1970. `None` when it is neither.
pub(super) fn date(value: &Value) -> Option<Date> {
    let moment = match value {
        Value::String(text) => OffsetDateTime::parse(text, &Rfc3339).ok()?,
        Value::Number(number) => {
            let nanos = number.as_f64()? * 1e6;
            if nanos.abs() > 1e27 {
                return None;
            }
            #[expect(clippy::cast_possible_truncation, reason = "bounded above")]
            OffsetDateTime::from_unix_timestamp_nanos(nanos as i128).ok()?
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    let milliseconds = match value {
        Value::Number(number) => number_text(number),
        _ => milliseconds(moment.unix_timestamp_nanos()),
    };
    let text = moment.format(&Rfc3339).ok()?;
    Some(Date { text, milliseconds })
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

/// Whether it is a semantic version of three parts that Halyard can compare.
fn is_version(text: &str) -> bool {
    let (text, build) = parted(text, '+');
    let (core, pre_release) = parted(text, '-');
    let mut numbers = core.split('.');
    let is_number = |part: &str| {
        !part.is_empty()
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && (part.len() == 1 || !part.starts_with('0'))
    };
    let is_identifier = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    numbers
        .by_ref()
        .take(3)
        .filter(|part| is_number(part) && part.parse::<u64>().is_ok())
        .count()
        == 3
        && numbers.next().is_none()
        && build.is_none_or(|build| build.split('.').all(is_identifier))
        && pre_release.is_none_or(|pre| {
            pre.split('.')
                .all(|part| is_identifier(part) && (!all_digits(part) || is_number(part)))
        })
}

fn parted(text: &str, separator: char) -> (&str, Option<&str>) {
    text.split_once(separator)
        .map_or((text, None), |(before, after)| (before, Some(after)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn operands_are_written_as_texts() {
        for (value, expected) in [
            (json!("a"), Some("a")),
            (json!(true), Some("true")),
            (json!(5), Some("5")),
            (json!(5.0), Some("5")),
            (json!(-0.5), Some("-0.5")),
            (json!(u64::MAX), Some("18446744073709551615")),
            (json!(null), None),
            (json!([1]), None),
            (json!({}), None),
        ] {
            assert_eq!(text(&value).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn members_know_what_another_type_would_match() {
        let members = |values: Value| {
            let read = Members::read(values.as_array().unwrap());
            (
                read.texts.join(","),
                read.has_bare_number,
                read.has_bare_boolean,
                read.has_bare_text,
                read.has_unmatchable,
            )
        };
        assert_eq!(
            members(json!(["DE", "AT", "DE"])),
            ("DE,AT".into(), false, false, false, false)
        );
        assert_eq!(members(json!([5])), ("5".into(), true, false, false, false));
        assert_eq!(
            members(json!([true])),
            ("true".into(), false, true, false, false)
        );
        assert_eq!(
            members(json!(["5"])),
            ("5".into(), false, false, true, false)
        );
        assert_eq!(
            members(json!(["false"])),
            ("false".into(), false, false, true, false)
        );
        assert_eq!(
            members(json!(["5", 5, true, "true"])),
            ("5,true".into(), false, false, false, false)
        );
        assert_eq!(
            members(json!(["a", null, {}])),
            ("a".into(), false, false, false, true)
        );
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
            let expected = expected.map(|(text, milliseconds)| Date {
                text: text.to_owned(),
                milliseconds: milliseconds.to_owned(),
            });
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
