//! Durations as people write them in settings: `90d`, `15m`, `500ms`, `0`.

use std::time::Duration;

const DAY: u64 = 24 * 60 * 60;

/// Parses one whole number with its unit (`ms`, `s`, `m`, `h`, `d`); a plain `0` needs no unit.
pub fn parse_duration(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit_at);
    let number: u64 = number.parse().ok()?;
    let seconds_per_unit = match unit {
        "ms" => return Some(Duration::from_millis(number)),
        "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => DAY,
        _ => return None,
    };
    number
        .checked_mul(seconds_per_unit)
        .map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_read() {
        for (text, milliseconds) in [
            ("0", 0),
            ("0s", 0),
            ("500ms", 500),
            ("30s", 30_000),
            ("15m", 900_000),
            ("1h", 3_600_000),
            ("90d", 7_776_000_000),
        ] {
            assert_eq!(
                parse_duration(text),
                Some(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "5",
            "s",
            "-1s",
            "1.5s",
            "1 s",
            "1w",
            "1h30m",
            "99999999999999999999s",
            "18446744073709551615d",
        ] {
            assert_eq!(parse_duration(text), None, "{text}");
        }
    }
}
