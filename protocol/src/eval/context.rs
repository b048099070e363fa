//! Who is asking: the context of an evaluation, read straight from a request body.
//!
//! Texts are borrowed from the body unless they hold escapes, and nothing passes through a tree of JSON values: this is
//! a good part of what a request costs.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

/// Characters of a context key.
const MAX_KEY_CHARS: usize = 1_024;
/// Attributes of a context.
const MAX_ATTRIBUTES: usize = 200;
/// Bytes of one attribute.
const MAX_ATTRIBUTE_BYTES: usize = 16 << 10;

/// Attributes are searched one by one up to this many, and by halving beyond.
const LINEAR_UP_TO: usize = 16;

/// A context. Missing parts read as empty; whether that is allowed is the caller's to say.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Context<'a> {
    /// Identifies whom the evaluation is for; decides the buckets.
    #[serde(borrow, default)]
    pub key: Cow<'a, str>,
    /// What conditions look at.
    #[serde(borrow, default)]
    pub attributes: Attributes<'a>,
}

impl<'a> Context<'a> {
    /// A context without attributes.
    pub fn new(key: impl Into<Cow<'a, str>>) -> Self {
        Self {
            key: key.into(),
            attributes: Attributes::default(),
        }
    }

    /// Whether the context is within the bounds of a request.
    ///
    /// # Errors
    /// Names the first bound that is exceeded.
    pub fn check_limits(&self) -> Result<(), LimitError> {
        // A character takes at most four bytes, so short keys need no counting.
        if self.key.len() > MAX_KEY_CHARS && self.key.chars().count() > MAX_KEY_CHARS {
            return Err(LimitError::Key);
        }
        if self.attributes.0.len() > MAX_ATTRIBUTES {
            return Err(LimitError::Attributes);
        }
        match self
            .attributes
            .0
            .iter()
            .find(|(_, attribute)| attribute.size() > MAX_ATTRIBUTE_BYTES)
        {
            Some((name, _)) => Err(LimitError::Attribute(name.chars().take(255).collect())),
            None => Ok(()),
        }
    }
}

/// A context beyond the bounds of a request. The text is fit for the caller.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// The key is too long.
    #[error("context key is longer than {MAX_KEY_CHARS} characters")]
    Key,
    /// There are too many attributes.
    #[error("context has more than {MAX_ATTRIBUTES} attributes")]
    Attributes,
    /// One attribute, named here, is too large.
    #[error("context attribute {0:?} is larger than 16 KiB")]
    Attribute(String),
}

/// Named attributes. Of several with one name the last counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes<'a>(Vec<(Cow<'a, str>, Attribute<'a>)>);

impl Attributes<'_> {
    /// The attribute of that name, `null` included.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Attribute<'_>> {
        if self.0.len() <= LINEAR_UP_TO {
            self.0
                .iter()
                .rev()
                .find(|(candidate, _)| candidate == name)
                .map(|(_, attribute)| attribute)
        } else {
            let index = self
                .0
                .binary_search_by(|(candidate, _)| candidate.as_ref().cmp(name))
                .ok()?;
            Some(&self.0[index].1)
        }
    }
}

impl<'a> FromIterator<(Cow<'a, str>, Attribute<'a>)> for Attributes<'a> {
    fn from_iter<I: IntoIterator<Item = (Cow<'a, str>, Attribute<'a>)>>(entries: I) -> Self {
        let mut entries: Vec<_> = entries.into_iter().collect();
        if entries.len() > LINEAR_UP_TO {
            // Reversed before a stable sort, the last of a name comes first, and it is the first that stays.
            entries.reverse();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            entries.dedup_by(|(later, _), (kept, _)| later == kept);
            // Fewer may remain than are searched by halving; then the order does no harm.
        }
        Self(entries)
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Attribute<'a> {
    /// Counts as missing.
    Null,
    /// A boolean.
    Bool(bool),
    /// A JSON integer below zero, exact.
    Int(i64),
    /// A JSON integer from zero up, exact.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// A list; what is nested in it matches nothing.
    Array(Vec<Self>),
    /// Matches nothing but `exists`; kept for explanations.
    Object(Vec<(Cow<'a, str>, Self)>),
}

impl Attribute<'_> {
    /// Bytes of its texts, and eight for every other part.
    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Array(elements) => elements.iter().map(|element| 1 + element.size()).sum(),
            Self::Object(members) => members
                .iter()
                .map(|(name, member)| name.len() + 1 + member.size())
                .sum(),
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Uint(_) | Self::Float(_) => 8,
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Attributes<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(AttributesVisitor)
    }
}

struct AttributesVisitor;

impl<'de> Visitor<'de> for AttributesVisitor {
    type Value = Attributes<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of attributes")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Attributes::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Ok(members(map)?.into_iter().collect())
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Attribute<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(AttributeVisitor)
    }
}

struct AttributeVisitor;

impl<'de> Visitor<'de> for AttributeVisitor {
    type Value = Attribute<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Attribute::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Attribute::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Attribute::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Attribute::Uint(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Attribute::Float(value))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Attribute::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Attribute::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            elements.push(element);
        }
        Ok(Attribute::Array(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        members(map).map(Attribute::Object)
    }
}

fn members<'de, A: MapAccess<'de>>(
    mut map: A,
) -> Result<Vec<(Cow<'de, str>, Attribute<'de>)>, A::Error> {
    let mut members = Vec::with_capacity(4);
    while let Some((Name(name), member)) = map.next_entry()? {
        members.push((name, member));
    }
    Ok(members)
}

/// A member's name; serde's own `Cow` never borrows.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Context<'_> {
        serde_json::from_str(body).unwrap()
    }

    #[test]
    fn texts_without_escapes_are_borrowed() {
        let context = read(r#"{"key": "user", "attributes": {"plain": "x", "escaped": "\n"}}"#);
        assert!(matches!(context.key, Cow::Borrowed("user")));
        assert!(matches!(
            context.attributes.get("plain"),
            Some(Attribute::Text(Cow::Borrowed("x")))
        ));
        assert!(
            matches!(context.attributes.get("escaped"), Some(Attribute::Text(Cow::Owned(text))) if text == "\n")
        );
    }

    #[test]
    fn numbers_keep_their_kind() {
        let context =
            read(r#"{"attributes": {"a": 18446744073709551615, "b": -5, "c": 5.0, "d": 1e3}}"#);
        assert_eq!(
            context.attributes.get("a"),
            Some(&Attribute::Uint(u64::MAX))
        );
        assert_eq!(context.attributes.get("b"), Some(&Attribute::Int(-5)));
        assert_eq!(context.attributes.get("c"), Some(&Attribute::Float(5.0)));
        assert_eq!(context.attributes.get("d"), Some(&Attribute::Float(1000.0)));
    }

    #[test]
    fn missing_and_null_attributes_are_empty_and_a_list_is_refused() {
        assert_eq!(read(r#"{"key": "k"}"#), Context::new("k"));
        assert_eq!(
            read(r#"{"key": "k", "attributes": null}"#),
            Context::new("k")
        );
        assert!(serde_json::from_str::<Context<'_>>(r#"{"key": "k", "attributes": []}"#).is_err());
        assert!(serde_json::from_str::<Context<'_>>(r#"{"key": 5}"#).is_err());
    }

    #[test]
    fn the_last_of_a_name_counts_among_few_and_among_many() {
        for others in [0, 40] {
            let mut body = String::from(r#"{"attributes": {"x": 1"#);
            for n in 0..others {
                body += &format!(r#", "n{n}": 0, "n{n}": {n}"#);
            }
            body += r#", "x": 2}}"#;
            let context = read(&body);
            assert_eq!(context.attributes.get("x"), Some(&Attribute::Uint(2)));
            for n in 0..others {
                assert_eq!(
                    context.attributes.get(&format!("n{n}")),
                    Some(&Attribute::Uint(n))
                );
            }
            assert_eq!(context.attributes.get("absent"), None);
        }
    }

    #[test]
    fn limits_say_which() {
        let context = |key: &str, attributes: Vec<(String, Attribute<'static>)>| Context {
            key: Cow::Owned(key.to_owned()),
            attributes: attributes
                .into_iter()
                .map(|(name, value)| (Cow::Owned(name), value))
                .collect(),
        };
        let text = |length: usize| Attribute::Text(Cow::Owned("x".repeat(length)));
        let many = |count: usize| {
            (0..count)
                .map(|n| (n.to_string(), Attribute::Null))
                .collect()
        };

        assert_eq!(context(&"ü".repeat(1_024), vec![]).check_limits(), Ok(()));
        assert_eq!(
            context(&"ü".repeat(1_025), vec![]).check_limits(),
            Err(LimitError::Key)
        );
        assert_eq!(context("k", many(200)).check_limits(), Ok(()));
        assert_eq!(
            context("k", many(201)).check_limits(),
            Err(LimitError::Attributes)
        );
        assert_eq!(
            context("k", vec![("a".into(), text(16_384))]).check_limits(),
            Ok(())
        );
        let list = Attribute::Array(vec![text(16_383), text(0)]);
        for large in [text(16_385), list] {
            assert_eq!(
                context("k", vec![("a".into(), large)]).check_limits(),
                Err(LimitError::Attribute("a".into()))
            );
        }
    }
}
