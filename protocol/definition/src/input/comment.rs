//! Comments of members on their changes.

use super::{Invalid, breaks_a_line, is_longer_than};

/// Characters of a comment at most.
const MOST: usize = 500;

/// Why a member makes a change: one line of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment(String);

impl Comment {
    /// A given comment; `None` if it is blank.
    pub fn parse(text: &str) -> Result<Option<Self>, Invalid> {
        let text = text.trim();
        if is_longer_than(text, MOST) {
            return Err(Invalid::new("comment must have at most 500 characters"));
        }
        if text.chars().any(|one| breaks_a_line(one) || turns(one)) {
            return Err(Invalid::new(
                "comment must be one line without control characters and characters that change the direction of text",
            ));
        }
        Ok((!text.is_empty()).then(|| Self(text.to_owned())))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Characters that override or isolate the direction of text: a reader could be shown another text than the one that is stored.
pub const fn turns(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_one_line_of_at_most_500_characters() {
        let parsed = |text: &str| Comment::parse(text).map(|one| one.map(|one| one.0));
        assert_eq!(
            parsed(" Sale ends: OPS-7 "),
            Ok(Some("Sale ends: OPS-7".to_owned()))
        );
        assert_eq!(parsed(" "), Ok(None));
        let longest = "ü".repeat(MOST);
        assert_eq!(parsed(&longest), Ok(Some(longest.clone())));
        for text in [
            format!("{longest}ü"),
            "a\nb".to_owned(),
            "a\u{7f}b".to_owned(),
        ] {
            assert!(parsed(&text).is_err(), "{text:?}");
        }
        for turning in ["a\u{202e}b", "a\u{2066}b", "a\u{2069}b", "a\u{2028}b"] {
            assert!(parsed(turning).is_err(), "{turning:?}");
        }
    }
}
