//! What values are compared with: which texts Unleash's engine reads as numbers, versions and dates, and as what they are written
//! here.

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Up to here, doubles hold every integer.
const MAX_EXACT: f64 = 9_007_199_254_740_992.0;

/// A number as there: a sign, digits, a fraction and an exponent, of which only the digits are necessary. `None` for other texts.
pub(super) fn number(text: &str) -> Option<String> {
    let number = read(text)?;
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    // All numbers are doubles there; here a large integer would be compared exactly.
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
    Some(if is_integer && number.abs() >= MAX_EXACT {
        format!("{text}.0")
    } else {
        text.to_owned()
    })
}

/// Whether a number that equals this text also has this text form. True for texts that are no numbers.
pub(super) fn is_as_printed(text: &str) -> bool {
    let Some(number) = read(text) else {
        return true;
    };
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
    if is_integer && (text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok()) {
        let has_leading_zero = digits.len() > 1 && digits.starts_with('0');
        return !has_leading_zero && text != "-0";
    }
    text == (number + 0.0).to_string()
}

/// A finite number, by the rule of our own conditions.
fn read(text: &str) -> Option<f64> {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    let number = is_plain.then(|| text.parse::<f64>().ok()).flatten()?;
    number.is_finite().then_some(number)
}

/// A version of three parts.
pub(super) fn version(text: &str) -> Option<String> {
    let (core, rest) = text.split_at(text.find(['-', '+']).unwrap_or(text.len()));
    let parts: Vec<&str> = core.split('.').collect();
    let numbers = parts
        .iter()
        .all(|part| is_number(part) && part.parse::<u64>().is_ok());
    let (pre_release, build) = match rest.split_once('+') {
        Some((before, build)) => (before, Some(build)),
        None => (rest, None),
    };
    let pre_release = match pre_release.strip_prefix('-') {
        Some(pre_release) => pre_release.split('.').all(|part| {
            is_identifier(part)
                && (is_number(part) || part.bytes().any(|byte| !byte.is_ascii_digit()))
        }),
        None => true,
    };
    let build = build.is_none_or(|build| build.split('.').all(is_identifier));
    (parts.len() == 3 && numbers && pre_release && build).then(|| text.to_owned())
}

/// Digits without a leading zero.
fn is_number(text: &str) -> bool {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits && (text.len() == 1 || !text.starts_with('0'))
}

fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
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
        assert_eq!(
            number("9007199254740993").as_deref(),
            Some("9007199254740993.0")
        );
    }

    #[test]
    fn texts_that_a_number_here_would_equal_without_having_their_form() {
        for text in [
            "5",
            "-5",
            "0",
            "5.5",
            "0.1",
            "DE",
            "1e",
            "18446744073709551615",
            "100000000000000000000",
            "inf",
        ] {
            assert!(is_as_printed(text), "{text}");
        }
        for text in [
            "5.0",
            "05",
            "+5",
            "-0",
            "1e3",
            "5.",
            ".5",
            "0.10",
            "100000000000000000001",
        ] {
            assert!(!is_as_printed(text), "{text}");
        }
    }

    #[test]
    fn versions_have_three_parts() {
        for text in [
            "1.2.3",
            "0.0.0",
            "1.2.3-rc.1",
            "1.2.3-a-b",
            "1.2.3+007",
            "1.2.3-rc.1+build-5",
        ] {
            assert_eq!(version(text).as_deref(), Some(text));
        }
        for text in [
            "1.2",
            "1.2.3.4",
            "v1.2.3",
            "01.2.3",
            "1.2.3-",
            "1.2.3-01",
            "1.2.3+",
            "",
            "1.2.x",
            "99999999999999999999.0.0",
        ] {
            assert_eq!(version(text), None, "{text}");
        }
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
