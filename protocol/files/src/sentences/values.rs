//! Values in sentences.

use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Longer values are cut, in characters.
const LONGEST: usize = 80;

pub(super) const NOT_SET: &str = "not set";

/// A value, cut if it is long.
pub(super) fn value(of: &Value) -> String {
    cut(&of.to_string(), 0)
}

fn cut(text: &str, from: usize) -> String {
    let mut shown = String::new();
    if from > 0 {
        shown.push('…');
    }
    let mut characters = text.chars().skip(from);
    shown.extend(characters.by_ref().take(LONGEST));
    if characters.next().is_some() {
        shown.push('…');
    }
    shown
}

/// `a → b`; long values from a little before the place where they differ.
pub(super) fn values(before: Option<&Value>, after: Option<&Value>, unset: &str) -> String {
    let text = |of: Option<&Value>| of.map(Value::to_string);
    let (left, right) = (text(before), text(after));
    let is_long = |text: &Option<String>| {
        let text = text.as_deref().unwrap_or_default();
        text.chars().count() > LONGEST
    };
    let from = if is_long(&left) || is_long(&right) {
        let left = left.as_deref().unwrap_or_default().chars();
        let right = right.as_deref().unwrap_or_default().chars();
        let same = left.zip(right).take_while(|(a, b)| a == b).count();
        same.saturating_sub(LONGEST / 4)
    } else {
        0
    };
    let shown = |text: &Option<String>| {
        let text = text.as_deref();
        text.map_or_else(|| unset.to_owned(), |text| cut(text, from))
    };
    format!("{} → {}", shown(&left), shown(&right))
}

/// Basis points in per cent: `12.5%`.
pub(super) fn percent(points: i64) -> String {
    let (whole, rest) = (points / 100, points % 100);
    match rest {
        0 => format!("{whole}%"),
        rest if rest % 10 == 0 => format!("{whole}.{}%", rest / 10),
        rest => format!("{whole}.{rest:02}%"),
    }
}

/// How many users: `0% (no users)`.
pub(super) fn rollout(points: Option<i64>) -> String {
    match points {
        None => NOT_SET.to_owned(),
        Some(0) => "0% (no users)".to_owned(),
        Some(points) => percent(points),
    }
}

/// A time in UTC.
pub(super) fn time(at: Option<OffsetDateTime>) -> String {
    let text = at.and_then(|at| at.format(&Rfc3339).ok());
    text.unwrap_or_else(|| NOT_SET.to_owned())
}
