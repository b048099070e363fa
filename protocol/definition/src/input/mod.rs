//! Parses raw input into the types that several domains share: names, slugs, keys and descriptions.
//!
//! A value of these types is valid, so later code does not check it again. Rules of one domain are checked there.

mod comment;
mod date_time;
mod nearest;
mod patch;
mod proper_name;
mod slug;
mod text;
mod visible;

use std::{borrow::Cow, collections::HashSet};

use time::Duration;

pub use comment::{Comment, turns};
pub use date_time::date_time;
pub use nearest::nearest;
pub use patch::Patch;
pub use proper_name::{breaks_a_line, proper_name};
pub use slug::Slug;
pub use text::{Description, Key, Name};
pub use visible::visible;

/// Input that breaks a rule, worded for the caller: lower case, no full stop, stable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(Cow<'static, str>);

impl Invalid {
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self(message.into())
    }

    pub fn into_message(self) -> Cow<'static, str> {
        self.0
    }
}

#[cfg(feature = "server")]
impl From<Invalid> for serving::error::ApiError {
    fn from(invalid: Invalid) -> Self {
        Self::bad_request(invalid.into_message())
    }
}

/// A text that a body must contain.
pub fn required(field: &str, text: Option<String>) -> Result<String, Invalid> {
    text.filter(|text| !text.trim().is_empty())
        .ok_or_else(|| Invalid::new(format!("{field} is required")))
}

/// Refuses a body with missing fields and names them all; each is given with its presence.
pub fn all_given<const N: usize>(fields: [(&str, bool); N]) -> Result<(), Invalid> {
    let missing: Vec<_> = fields
        .iter()
        .filter(|(_, is_given)| !is_given)
        .map(|(name, _)| *name)
        .collect();
    Err(Invalid::new(match &missing[..] {
        [] => return Ok(()),
        [one] => format!("{one} is required"),
        [first @ .., last] => format!("{} and {last} are required", first.join(", ")),
    }))
}

/// Checks a field that repeats a part of the path.
pub fn repeats_path(field: &str, given: Option<&str>, path: &str) -> Result<(), Invalid> {
    match given {
        Some(text) if text != path => {
            Err(Invalid::new(format!("{field} must be that of the path")))
        }
        _ => Ok(()),
    }
}

pub fn has_text(field: &Option<String>) -> bool {
    field.as_ref().is_some_and(|text| !text.trim().is_empty())
}

/// A whole number within bounds, both included.
pub fn in_range(field: &str, number: i64, from: i64, to: i64) -> Result<i64, Invalid> {
    if (from..=to).contains(&number) {
        Ok(number)
    } else {
        Err(Invalid::new(format!(
            "{field} must be an integer from {from} to {to}"
        )))
    }
}

/// Removes duplicates, keeping the order. Refuses more than `most` distinct texts as soon as they are found, so that long lists
/// cost nothing further.
pub fn distinct(
    texts: Vec<String>,
    most: usize,
    too_many: &'static str,
    mut check: impl FnMut(&str) -> Result<(), Invalid>,
) -> Result<Vec<String>, Invalid> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for text in texts {
        check(&text)?;
        if seen.contains(&text) {
            continue;
        }
        if kept.len() == most {
            return Err(Invalid::new(too_many));
        }
        seen.insert(text.clone());
        kept.push(text);
    }
    Ok(kept)
}

/// How long a credential may be used, from the field `expires_in_days`: 1 to 3650; `None`, for ever, when absent.
pub fn lifetime(days: Option<i64>) -> Result<Option<Duration>, Invalid> {
    days.map(|days| in_range("expires_in_days", days, 1, 3_650).map(Duration::days))
        .transpose()
}

/// Whether the text is longer than `limit`, counted in characters, not bytes.
pub fn is_longer_than(text: &str, limit: usize) -> bool {
    text.len() > limit && text.chars().count() > limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_is_missing_is_named_at_once() {
        let refused = |fields| all_given(fields).map_err(|invalid| invalid.to_string());
        let fields = |given: [bool; 3]| [("a", given[0]), ("b", given[1]), ("c", given[2])];
        assert_eq!(refused(fields([true; 3])), Ok(()));
        for (given, message) in [
            ([true, false, true], "b is required"),
            ([false, true, false], "a and c are required"),
            ([false; 3], "a, b and c are required"),
        ] {
            assert_eq!(refused(fields(given)), Err(message.to_owned()));
        }
        assert!(has_text(&Some("a".to_owned())));
        assert!(!has_text(&None) && !has_text(&Some(" ".to_owned())));
    }

    #[test]
    fn a_list_is_refused_at_its_first_text_too_many() {
        let list = |count: usize| (0..count).map(|number| number.to_string()).collect();
        let looked_at = |texts: Vec<String>| {
            let mut checked = 0;
            let result = distinct(texts, 50, "too many", |_| {
                checked += 1;
                Ok(())
            });
            (result.map(|kept| kept.len()), checked)
        };
        assert_eq!(looked_at(list(50)), (Ok(50), 50));
        let refused = Err(Invalid::new("too many"));
        assert_eq!(looked_at(list(100_000)), (refused, 51));
        assert_eq!(
            looked_at(vec!["same".to_owned(); 100_000]),
            (Ok(1), 100_000)
        );
    }

    #[test]
    fn the_first_of_equal_texts_is_kept_in_its_place() {
        let texts = ["b", "a", "b", "c", "a"].map(str::to_owned).to_vec();
        let kept = distinct(texts, 3, "too many", |_| Ok(())).unwrap();
        assert_eq!(kept, ["b", "a", "c"]);
    }
}
