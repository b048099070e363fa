//! Slugs of projects and environments: given, or generated from a name.

use std::fmt;

use super::{Invalid, Name};

/// A URL-friendly name: `[a-z0-9][a-z0-9_-]{0,99}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slug(String);

impl Slug {
    /// Checks a given slug.
    pub fn parse(text: String) -> Result<Self, Invalid> {
        let is_allowed =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        let starts_well = !text.is_empty() && !text.starts_with(['_', '-']);
        if starts_well && text.len() <= 100 && text.bytes().all(is_allowed) {
            Ok(Self(text))
        } else {
            Err(Invalid::new(
                "slug must start with a lower-case letter or digit and have at most 100 of these, '_' or '-'",
            ))
        }
    }

    /// The slug of a new resource: the given one, or one generated from the name if none or an empty one is given.
    pub fn given_or_generated(given: Option<String>, name: &Name) -> Result<Self, Invalid> {
        match given {
            Some(text) if !text.is_empty() => Self::parse(text),
            _ => Ok(Self::generate(name.as_str())),
        }
    }

    /// Generates a slug from any text: lower-case letters, runs of other characters become `-`, ends trimmed, cut at
    /// 100. A text without ASCII letters or digits gives a short random slug.
    pub fn generate(text: &str) -> Self {
        let lower = text.to_lowercase();
        let words = lower
            .split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit())
            .filter(|word| !word.is_empty());
        let mut slug = words.collect::<Vec<_>>().join("-");
        slug.truncate(100);
        if slug.is_empty() {
            slug = hex::encode(rand::random::<[u8; 4]>());
        }
        Self(slug)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated(name: &str) -> String {
        Slug::generate(name).into()
    }

    #[test]
    fn given_slugs_have_a_narrow_form() {
        for text in ["a", "0", "my_app-2", &"s".repeat(100)] {
            assert_eq!(Slug::parse(text.to_owned()).unwrap().as_str(), text);
        }
        for text in ["", "-a", "_a", "A", "a b", "a.b", "é", &"s".repeat(101)] {
            assert!(Slug::parse(text.to_owned()).is_err(), "{text:?}");
        }
    }

    #[test]
    fn generated_slugs_join_words_by_hyphens() {
        assert_eq!(generated("Default Project"), "default-project");
        assert_eq!(generated("  --My_App (v2)!  "), "my-app-v2");
        assert_eq!(generated("Größe"), "gr-e");
        assert_eq!(generated(&"a".repeat(150)), "a".repeat(100));
    }

    #[test]
    fn a_name_without_letters_gives_a_random_slug() {
        let (one, other) = (generated("日本"), generated("日本"));
        assert!(Slug::parse(one.clone()).is_ok());
        assert_eq!(one.len(), 8);
        assert_ne!(one, other);
    }

    #[test]
    fn an_empty_slug_is_generated() {
        let name = Name::parse(Some("Shop".to_owned())).unwrap();
        for given in [None, Some(String::new())] {
            assert_eq!(
                Slug::given_or_generated(given, &name).unwrap().as_str(),
                "shop"
            );
        }
        assert!(Slug::given_or_generated(Some(" ".to_owned()), &name).is_err());
    }
}
