//! What values are compared with: which texts Unleash's engine reads as numbers, versions and dates, and as what they are written
//! here.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::logic::{EXACT, is_number};

/// A number as there: a sign, digits, a fraction and an exponent, of which only the digits are necessary. `None` for other texts.
pub(super) fn number(text: &str) -> Option<String> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !is_number(text) || !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    // All numbers are doubles there; here a large integer would be compared exactly.
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_large = text
        .parse::<f64>()
        .is_ok_and(|number| number.abs() >= EXACT);
    let point = if is_integer && is_large { ".0" } else { "" };
    Some(format!("{text}{point}"))
}

/// A date-time: of RFC 3339, with no fraction or three digits of one.
pub(super) fn date(text: &str) -> Option<String> {
    OffsetDateTime::parse(text, &Rfc3339).ok()?;
    let (_, seconds) = text.split_at_checked(17)?;
    let fraction = match seconds.get(2..)?.strip_prefix('.') {
        Some(fraction) => fraction.bytes().take_while(u8::is_ascii_digit).count(),
        None => 3,
    };
    let is_upper = text.as_bytes().get(10) == Some(&b'T') && !text.ends_with('z');
    let is_leap = seconds.starts_with("60");
    (fraction == 3 && is_upper && !is_leap).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_there() {
        for text in ["5", "-5", "+5", "5.", "5.50", "1e3", "1.5E-3", "007"] {
            assert_eq!(number(text).as_deref(), Some(text));
        }
        for text in [
            "", ".5", "-.5", "inf", "NaN", "0x10", "1e999", "5 5", "1_000",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
        let large = number("9007199254740993");
        assert_eq!(large.as_deref(), Some("9007199254740993.0"));
    }

    #[test]
    fn dates_are_of_rfc_3339() {
        for text in ["2024-01-01T10:00:00Z", "2024-01-01T10:00:00.123+01:00"] {
            assert_eq!(date(text).as_deref(), Some(text));
        }
        for text in [
            "2024-01-01",
            "2024-01-01T10:00Z",
            "2024-01-01T10:00:00",
            "2024-01-01T10:00:00.5Z",
            "2024-01-01t10:00:00z",
            "2024-02-30T10:00:00Z",
            "2024-12-31T23:59:60Z",
            "ü",
        ] {
            assert_eq!(date(text), None, "{text}");
        }
    }
}
