//! Amounts of money: whole numbers of the smallest unit, and decimal strings outside. Never a float.

use std::{fmt, str::FromStr};

/// An amount in hundredths of the currency (INR: paise).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    minor: i64,
}

impl Amount {
    pub const fn from_minor(minor: i64) -> Self {
        Self { minor }
    }

    pub const fn minor(self) -> i64 {
        self.minor
    }

    /// Parses a decimal such as `1999`, `1999.5` or `1999.00`. `None` for other forms and fractions of a hundredth.
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let part = part.trim_end_matches('0');
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || !is_number(whole) || !is_number(part) || part.len() > 2 {
            return None;
        }
        let part: i64 = format!("{part:0<2}").parse().ok()?;
        let minor = whole.parse::<i64>().ok()?.checked_mul(100)?;
        Some(Self {
            minor: minor.checked_add(part)?,
        })
    }

    /// The shortest decimal: `1999`, `1999.50`.
    pub fn to_shortest(self) -> String {
        let text = self.to_string();
        text.strip_suffix(".00").map_or(text.clone(), str::to_owned)
    }

    /// For people: the symbol and groups of three digits, `₹1,999`.
    pub fn to_display(self, symbol: &str) -> String {
        let text = self.to_shortest();
        let whole = text.split('.').next().unwrap_or_default().len();
        let mut shown = symbol.to_owned();
        for (at, digit) in text.chars().enumerate() {
            if at > 0 && at < whole && (whole - at).is_multiple_of(3) {
                shown.push(',');
            }
            shown.push(digit);
        }
        shown
    }
}

#[derive(Debug, thiserror::Error)]
#[error("expected a decimal such as 1999 or 19.50")]
pub struct NotAnAmount;

impl FromStr for Amount {
    type Err = NotAnAmount;

    fn from_str(text: &str) -> Result<Self, NotAnAmount> {
        Self::parse(text).ok_or(NotAnAmount)
    }
}

/// With two decimals, as gateways write it: `1999.00`.
impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.minor / 100, self.minor % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_amount_in_any_spelling() {
        for text in ["1999", "1999.0", "1999.00", "1999.000", "01999", "1999."] {
            assert_eq!(
                Amount::parse(text),
                Some(Amount::from_minor(199_900)),
                "{text}"
            );
        }
        assert_eq!(Amount::parse("0.05"), Some(Amount::from_minor(5)));
        assert_eq!(Amount::parse("0.5"), Some(Amount::from_minor(50)));
    }

    #[test]
    fn what_is_no_amount_is_refused() {
        let too_long = "9".repeat(30);
        for text in [
            "", ".", ".5", "-1", "+1", "1e3", "1,999", "1.999", " 1", "1.0.0", &too_long,
        ] {
            assert_eq!(Amount::parse(text), None, "{text}");
        }
    }

    #[test]
    fn amounts_are_shown_to_gateways_and_to_people() {
        let shown = |minor| {
            let amount = Amount::from_minor(minor);
            [
                amount.to_string(),
                amount.to_shortest(),
                amount.to_display("₹"),
            ]
        };
        assert_eq!(shown(0), ["0.00", "0", "₹0"]);
        assert_eq!(shown(199_900), ["1999.00", "1999", "₹1,999"]);
        assert_eq!(
            shown(123_456_789),
            ["1234567.89", "1234567.89", "₹1,234,567.89"]
        );
    }
}
