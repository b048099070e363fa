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

/// Writes one as [`parse_duration`] reads it, in the largest unit that fits.
pub(super) fn shown_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        _ if duration.is_zero() => "0".to_owned(),
        _ if duration.subsec_nanos() > 0 => format!("{}ms", duration.as_millis()),
        _ if seconds.is_multiple_of(DAY) => format!("{}d", seconds / DAY),
        _ if seconds.is_multiple_of(3_600) => format!("{}h", seconds / 3_600),
        _ if seconds.is_multiple_of(60) => format!("{}m", seconds / 60),
        _ => format!("{seconds}s"),
    }
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
    fn a_duration_is_shown_as_it_is_read() {
        for text in ["0", "1500ms", "61s", "15m", "25h", "90d"] {
            assert_eq!(shown_duration(parse_duration(text).unwrap()), text);
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
