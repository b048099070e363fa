//! Keys of flags and variants, stored as they appear in answers.

use super::text::equal;

/// A text together with its JSON form. Ordinary keys need no escapes and are stored only once.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Name {
    quoted: Box<str>,
    /// Present only if the JSON form differs from the text between quotes.
    plain: Option<Box<str>>,
}

impl Name {
    pub(super) fn new(text: &str) -> Self {
        let quoted = serde_json::Value::from(text).to_string();
        let escaped = quoted.len() != text.len() + 2;
        Self {
            quoted: quoted.into(),
            plain: escaped.then(|| text.into()),
        }
    }

    /// The text itself.
    pub(super) fn as_str(&self) -> &str {
        self.plain
            .as_deref()
            .unwrap_or_else(|| &self.quoted[1..self.quoted.len() - 1])
    }

    /// Whether it is this text.
    #[inline]
    pub(super) fn is(&self, text: &str) -> bool {
        let own = match (&self.plain, self.quoted.as_bytes()) {
            (Some(plain), _) => plain.as_bytes(),
            (None, [_, own @ .., _]) => own,
            (None, _) => &[],
        };
        equal(own, text.as_bytes())
    }

    /// The text as a JSON string, quotes included.
    pub(super) fn json(&self) -> &str {
        &self.quoted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_for_json_only() {
        for (text, json) in [
            ("a.b", r#""a.b""#),
            ("say \"hi\"\n", r#""say \"hi\"\n""#),
            ("ünï", r#""ünï""#),
            ("", r#""""#),
        ] {
            let name = Name::new(text);
            assert_eq!((name.as_str(), name.json()), (text, json));
        }
    }

    #[test]
    fn a_name_is_its_text_and_no_other() {
        let texts = ["", "a", "ab", "b", "a\"", "\"a", "a\\\"", "ü", "a.b"];
        for one in texts {
            for other in texts {
                assert_eq!(Name::new(one).is(other), one == other, "{one:?} {other:?}");
            }
        }
    }
}
