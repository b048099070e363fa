//! Numbers and versions, as conditions read them.

/// Up to here, doubles hold every integer.
pub(crate) const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number, by the rule of conditions.
pub(crate) fn is_number(text: &str) -> bool {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    is_plain && text.parse::<f64>().is_ok_and(f64::is_finite)
}

pub(crate) fn is_version(text: &str) -> bool {
    semver::Version::parse(text).is_ok()
}
