//! Numbers of JSON text that a database of decimals cannot hold, or cannot return as the same number.
//!
//! Postgres keeps the numbers of `jsonb` as decimals and writes them without exponents: `1e308` becomes 309 digits. A
//! parser has lost the text of a number by the time anybody sees it, so this looks at the text itself.

use std::ops::Range;

/// The most characters of a number, as it is written and without an exponent. Doubles of everyday sizes have about 20.
pub const MAX_LENGTH: usize = 40;

/// What stands in for a number that is masked: four characters, and refused wherever it is met.
const MASK: &[u8] = b"9e99";

/// The characters of a path that are told: members of a body may have names of any length.
const MAX_PLACE: usize = 100;

/// The place of the first number that cannot be stored, such as `rules[0].value`. Text that is not JSON is left to the
/// parser.
pub fn first_unstorable(json: &[u8]) -> Option<String> {
    let found = Numbers::of(json).find(|at| !is_storable(&json[at.clone()]))?;
    Some(place_of(json, found.start))
}

/// Writes another number that cannot be stored in place of each one, so that parsing neither fails over it nor rounds it
/// to zero: what it belongs to can be refused by itself.
pub fn mask_unstorable(json: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = (Numbers { json, at }).next() {
        at = found.end;
        if found.len() >= MASK.len() && !is_storable(&json[found.clone()]) {
            json[found.clone()].fill(b' ');
            json[found.start..found.start + MASK.len()].copy_from_slice(MASK);
        }
    }
}

/// Whether the number survives: an integer within 64 bits, or what is not zero as a double unless it is written as zero;
/// either of bounded length.
fn is_storable(number: &[u8]) -> bool {
    let Ok(text) = str::from_utf8(number) else {
        return true;
    };
    if text.len() > MAX_LENGTH {
        return false;
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse::<i64>().is_ok() || text.parse::<u64>().is_ok();
    }
    let Ok(double) = text.parse::<f64>() else {
        return true;
    };
    let is_written_as_zero = || {
        let mut significant = text.bytes().take_while(|byte| !b"eE".contains(byte));
        !significant.any(|byte| (b'1'..=b'9').contains(&byte))
    };
    double.is_finite()
        && (double != 0.0 || is_written_as_zero())
        && format!("{double}").len() <= MAX_LENGTH
}

/// The numbers of a JSON text, by where they are.
struct Numbers<'a> {
    json: &'a [u8],
    at: usize,
}

impl<'a> Numbers<'a> {
    const fn of(json: &'a [u8]) -> Self {
        Self { json, at: 0 }
    }
}

impl Iterator for Numbers<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            match self.json.get(self.at)? {
                b'"' => self.at = end_of_text(self.json, self.at),
                b'-' | b'0'..=b'9' => {
                    let start = self.at;
                    let is_part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
                    let length = self.json[start..].iter().take_while(|byte| is_part(byte));
                    self.at = start + length.count();
                    return Some(start..self.at);
                }
                _ => self.at += 1,
            }
        }
    }
}

/// The place after a text that begins at `start`.
fn end_of_text(json: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

/// A step into an object or a list.
enum Step {
    /// The name as it is written, without quotes.
    Member {
        name: Range<usize>,
        is_named: bool,
    },
    Item(usize),
}

/// Where something is that begins at `target`.
fn place_of(json: &[u8], target: usize) -> String {
    let mut steps = Vec::new();
    let mut at = 0;
    while at < target {
        let mut next = at + 1;
        match json[at] {
            b'{' => steps.push(Step::Member {
                name: 0..0,
                is_named: false,
            }),
            b'[' => steps.push(Step::Item(0)),
            b'}' | b']' => drop(steps.pop()),
            b',' => match steps.last_mut() {
                Some(Step::Item(place)) => *place += 1,
                Some(Step::Member { is_named, .. }) => *is_named = false,
                None => {}
            },
            b'"' => {
                next = end_of_text(json, at);
                if let Some(Step::Member { name, is_named }) = steps.last_mut()
                    && !*is_named
                {
                    *name = at + 1..(next - 1).max(at + 1);
                    *is_named = true;
                }
            }
            _ => {}
        }
        at = next;
    }
    rendered(json, &steps)
}

fn rendered(json: &[u8], steps: &[Step]) -> String {
    let mut place = String::new();
    for step in steps {
        match step {
            Step::Member { name, .. } => {
                if !place.is_empty() {
                    place.push('.');
                }
                place.push_str(&String::from_utf8_lossy(&json[name.clone()]));
            }
            Step::Item(item) => place.push_str(&format!("[{item}]")),
        }
        if let Some((cut, _)) = place.char_indices().nth(MAX_PLACE) {
            place.truncate(cut);
            return place;
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_that_come_back_as_they_were_can_be_stored() {
        for number in [
            "0",
            "-0",
            "0.0",
            "0e5",
            "-0.0e-400",
            "1.50",
            "1e2",
            "1E+2",
            "9223372036854775807",
            "-9223372036854775808",
            "18446744073709551615",
            "1e20",
            "0.1234567890123456789",
            "1.7976931348623157",
            "1e-30",
            "1e39",
        ] {
            assert_eq!(first_unstorable(number.as_bytes()), None, "{number}");
        }
    }

    #[test]
    fn numbers_that_are_lost_or_far_too_long_cannot_be_stored() {
        let long = format!("1.{}", "0".repeat(MAX_LENGTH));
        for number in [
            "1e308",
            "1.7976931348623157e308",
            "1e400",
            "-1e400",
            "1e-400",
            "1e-320",
            "1e41",
            "1e-41",
            "18446744073709551616",
            "-9223372036854775809",
            &long,
        ] {
            assert_eq!(
                first_unstorable(number.as_bytes()),
                Some(String::new()),
                "{number}"
            );
        }
    }

    #[test]
    fn the_place_of_a_number_is_told() {
        for (json, place) in [
            (r#"{"a": 1, "default_value": 1e308}"#, "default_value"),
            (
                r#"{"rules": [{"id": "1e308"}, {"value": {"x": [0, {}, 1e308]}}]}"#,
                "rules[1].value.x[2]",
            ),
            (r#"{"a\"}": {"b": [[1]]}, "c": [[], [1e308]]}"#, "c[1][0]"),
            ("[1e308]", "[0]"),
        ] {
            assert_eq!(
                first_unstorable(json.as_bytes()).as_deref(),
                Some(place),
                "{json}"
            );
        }
        let long = format!(r#"{{"{}": 1e308}}"#, "é".repeat(1_000));
        assert_eq!(
            first_unstorable(long.as_bytes()).unwrap().chars().count(),
            MAX_PLACE
        );
    }

    #[test]
    fn what_looks_like_a_number_in_a_text_is_none() {
        for json in [
            r#"{"a": "1e308"}"#,
            r#"{"1e308": "\\"}"#,
            r#"{"a": "\"1e308"}"#,
        ] {
            assert_eq!(first_unstorable(json.as_bytes()), None, "{json}");
        }
    }

    #[test]
    fn a_masked_text_can_be_parsed_and_still_cannot_be_stored() {
        let mut json = br#"{"a": [1e400, 1e-400, 18446744073709551616, 5], "b": "1e400"}"#.to_vec();
        mask_unstorable(&mut json);
        let parsed: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(
            parsed,
            serde_json::json!({"a": [9e99, 9e99, 9e99, 5], "b": "1e400"})
        );
        assert_eq!(first_unstorable(&json).as_deref(), Some("a[0]"));
    }

    proptest! {
        #[test]
        fn any_bytes_are_looked_through(mut bytes in prop::collection::vec(prop::sample::select(
            br#"{}[]",:\-+.eE0159x "#.to_vec()), 0..60)) {
            let _ = first_unstorable(&bytes);
            mask_unstorable(&mut bytes);
        }

        #[test]
        fn a_number_that_is_admitted_is_read_as_the_same_number(number in any::<f64>()) {
            let text = serde_json::to_string(&number).unwrap();
            if first_unstorable(text.as_bytes()).is_none() && number.is_finite() {
                // As Postgres writes it.
                let stored = format!("{number}");
                let read: serde_json::Value = serde_json::from_str(&stored).unwrap();
                prop_assert_eq!(read.as_f64(), Some(number));
            }
        }
    }
}
