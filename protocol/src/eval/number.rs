//! Numbers as conditions see them: 64-bit integers exactly, everything else as IEEE 754 doubles.

use std::{
    cmp::Ordering,
    fmt::{self, Write},
};

/// A finite number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    /// Fits `i64` or `u64`.
    Int(i128),
    /// Any other number.
    Float(f64),
}

impl Number {
    /// Parses a text if all of it matches `[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?` and it is finite.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
        let (whole, rest) = split_digits(unsigned);
        if !whole.is_empty() && rest.is_empty() {
            // Digits only; more of them than fit 64 bits make a double.
            if let Some(exact) = text.parse().ok().filter(|&number| fits_64_bits(number)) {
                return Some(Self::Int(exact));
            }
        } else {
            let (fraction, rest) = rest.strip_prefix('.').map_or(("", rest), split_digits);
            if whole.is_empty() && fraction.is_empty() || !is_exponent(rest) {
                return None;
            }
        }
        text.parse()
            .ok()
            .filter(|number: &f64| number.is_finite())
            .map(Self::Float)
    }

    /// As a double, rounded if it is not representable.
    #[expect(
        clippy::cast_precision_loss,
        reason = "where an integer meets a double, both are doubles"
    )]
    pub(super) fn as_f64(self) -> f64 {
        match self {
            Self::Int(number) => number as f64,
            Self::Float(number) => number,
        }
    }

    /// Orders by value: two integers exactly, anything else as doubles.
    pub(super) fn compare(self, other: Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => Some(a.cmp(&b)),
            (a, b) => a.as_f64().partial_cmp(&b.as_f64()),
        }
    }

    /// Shortest decimal form, without exponent and trailing `.0`; minus zero reads `0`.
    pub(super) fn print(self, buffer: &mut NumberText) -> &str {
        buffer.length = 0;
        match self {
            Self::Int(number) => write!(buffer, "{number}"),
            // Adding zero turns minus zero into zero and changes nothing else.
            Self::Float(number) => write!(buffer, "{}", number + 0.0),
        }
        .expect("the longest double has 327 characters");
        std::str::from_utf8(&buffer.bytes[..buffer.length]).expect("digits, a sign and a point")
    }
}

/// Stack space for the text of a number.
pub(super) struct NumberText {
    bytes: [u8; 344],
    length: usize,
}

impl NumberText {
    pub(super) const fn new() -> Self {
        Self {
            bytes: [0; 344],
            length: 0,
        }
    }
}

impl Write for NumberText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        self.bytes
            .get_mut(self.length..end)
            .ok_or(fmt::Error)?
            .copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

fn fits_64_bits(number: i128) -> bool {
    (i128::from(i64::MIN)..=i128::from(u64::MAX)).contains(&number)
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

fn is_exponent(text: &str) -> bool {
    let Some(exponent) = text.strip_prefix(['e', 'E']) else {
        return text.is_empty();
    };
    let (digits, rest) = split_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    !digits.is_empty() && rest.is_empty()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_that_are_numbers() {
        for (text, expected) in [
            ("0", Number::Int(0)),
            ("-0", Number::Int(0)),
            ("+5", Number::Int(5)),
            ("007", Number::Int(7)),
            ("18446744073709551615", Number::Int(u64::MAX.into())),
            ("-9223372036854775808", Number::Int(i64::MIN.into())),
            (
                "18446744073709551616",
                Number::Float(18_446_744_073_709_551_616.0),
            ),
            ("5.", Number::Float(5.0)),
            (".5", Number::Float(0.5)),
            ("-1.5e+3", Number::Float(-1500.0)),
            ("1E2", Number::Float(100.0)),
        ] {
            assert_eq!(Number::parse(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn texts_that_are_not_numbers() {
        let none = [
            "", "+", ".", "-.", "e5", ".e5", "5e", "5e+", "1e999", "inf", "nan", "NaN", "infinity",
            "0x10", " 5", "5 ", "1_000", "1,5", "++5", "5.5.5", "٣",
        ];
        for text in none {
            assert_eq!(Number::parse(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_print_in_plain_decimals() {
        for (number, expected) in [
            (Number::Float(5.0), "5"),
            (Number::Float(-0.0), "0"),
            (Number::Float(0.1), "0.1"),
            (Number::Float(1e21), "1000000000000000000000"),
            (Number::Float(-1e-7), "-0.0000001"),
            (Number::Int(u64::MAX.into()), "18446744073709551615"),
        ] {
            assert_eq!(number.print(&mut NumberText::new()), expected);
        }
    }

    proptest! {
        #[test]
        fn every_finite_double_prints_and_reads_back(bits: u64) {
            let double = f64::from_bits(bits);
            prop_assume!(double.is_finite());
            let mut buffer = NumberText::new();
            let text = Number::Float(double).print(&mut buffer);
            let back = Number::parse(text).map(Number::as_f64);
            prop_assert_eq!(back, Some(double));
        }

        #[test]
        fn the_grammar_is_the_documented_one(text in "[-+0-9.eE]{0,8}") {
            let grammar = regex::Regex::new(r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$").unwrap();
            let finite = text.parse::<f64>().is_ok_and(f64::is_finite);
            prop_assert_eq!(Number::parse(&text).is_some(), grammar.is_match(&text) && finite);
        }
    }
}
