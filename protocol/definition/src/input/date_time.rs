//! Date-times of bodies.

use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};

/// A date-time of RFC 3339, in UTC and cut to the microseconds that the database stores.
///
/// Stricter than the parsing library: `T` separates date and time (the RFC permits a blank only for human readers), and leap
/// seconds are refused.
pub fn date_time(text: &str) -> Option<OffsetDateTime> {
    const SEPARATOR: usize = "2026-01-02".len();
    const SECONDS: usize = "2026-01-02T03:04:".len();
    let is_strict = matches!(text.as_bytes().get(SEPARATOR), Some(b'T' | b't'))
        && text.as_bytes().get(SECONDS..SECONDS + 2) != Some(b"60");
    if !is_strict {
        return None;
    }
    // Near the ends of the calendar, changing the offset can leave the range of years that can be written.
    OffsetDateTime::parse(text, &Rfc3339)
        .ok()?
        .checked_to_offset(UtcOffset::UTC)
        .filter(|time| (0..=9999).contains(&time.year()))
        .map(OffsetDateTime::truncate_to_microsecond)
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn any_offset_and_any_fraction_is_read() {
        let expected = Some(datetime!(2026-01-02 03:04:05 UTC));
        for text in [
            "2026-01-02T03:04:05Z",
            "2026-01-02t03:04:05z",
            "2026-01-02T04:34:05+01:30",
            "2026-01-02T03:04:05.0000009Z",
        ] {
            assert_eq!(date_time(text), expected, "{text}");
        }
    }

    #[test]
    fn other_separators_and_leap_seconds_are_refused() {
        for text in [
            "",
            "2026-01-02",
            "2026-01-02 03:04:05Z",
            "2026-01-02\t03:04:05Z",
            "2026-01-02_03:04:05Z",
            "2026-01-0203:04:05Z",
            "2026-12-31T23:59:60Z",
            "2026-12-31T23:59:60.5Z",
            "2026-12-31T22:59:60-01:00",
            "2026-01-02T03:04:05",
            "2026-01-02T03:04:05ZZ",
            "0000-01-01T00:00:00+01:00",
            "９９９９-01-01T00:00:00Z",
        ] {
            assert_eq!(date_time(text), None, "{text}");
        }
    }
}
