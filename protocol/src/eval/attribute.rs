//! Attributes, read straight from a request body.
//!
//! Texts are borrowed from the body unless they contain escapes, and nothing passes through a tree of JSON values:
//! parsing attributes is a good part of the cost of a request.

use std::{borrow::Cow, fmt};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

use super::text::equal;

/// Up to this many attributes are searched linearly, more by binary search.
const LINEAR_UP_TO: usize = 16;

/// Named attributes. If several have the same name, the last one counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Attributes<'a>(pub(super) Vec<(Cow<'a, str>, Attribute<'a>)>);

impl Attributes<'_> {
    /// The attribute of that name, `null` included.
    #[must_use]
    #[inline]
    pub fn get(&self, name: &str) -> Option<&Attribute<'_>> {
        if self.0.len() > LINEAR_UP_TO {
            return self.get_of_many(name);
        }
        let mut entries = self.0.iter().rev();
        let (_, attribute) =
            entries.find(|(candidate, _)| equal(candidate.as_bytes(), name.as_bytes()))?;
        Some(attribute)
    }

    // Apart, so that looking through a few is short enough to become part of what asks for it.
    #[inline(never)]
    fn get_of_many(&self, name: &str) -> Option<&Attribute<'_>> {
        let order = |(candidate, _): &(Cow<'_, str>, _)| candidate.as_ref().cmp(name);
        let index = self.0.binary_search_by(order).ok()?;
        Some(&self.0[index].1)
    }
}

impl<'a> FromIterator<(Cow<'a, str>, Attribute<'a>)> for Attributes<'a> {
    fn from_iter<I: IntoIterator<Item = (Cow<'a, str>, Attribute<'a>)>>(entries: I) -> Self {
        let mut entries: Vec<_> = entries.into_iter().collect();
        if entries.len() > LINEAR_UP_TO {
            // Reversed before a stable sort, the last of equal names comes first, and the first is the one that stays.
            entries.reverse();
            entries.sort_by(|(a, _), (b, _)| a.cmp(b));
            entries.dedup_by(|(later, _), (kept, _)| later == kept);
            // Deduplication may leave few enough for the linear search, which the order does not disturb.
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
    /// A negative JSON integer, exact.
    Int(i64),
    /// A JSON integer of zero or more, exact.
    Uint(u64),
    /// Any other number.
    Float(f64),
    /// A text.
    Text(Cow<'a, str>),
    /// A list; lists and objects nested in it match nothing.
    Array(Vec<Self>),
    /// Matches nothing but `exists`; kept for explanations.
    Object(Vec<(Cow<'a, str>, Self)>),
}

impl Attribute<'_> {
    /// A lower bound of its size in bytes as JSON: nothing is refused as too large unless it really was sent in more
    /// bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Array(elements) => elements.iter().map(|element| 1 + element.size()).sum(),
            Self::Object(members) => members
                .iter()
                .map(|(name, member)| name.len() + 1 + member.size())
                .sum(),
            Self::Null | Self::Bool(_) => 4,
            Self::Int(_) | Self::Uint(_) | Self::Float(_) => 1,
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

/// The name of a member; serde's own `Cow` never borrows.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Context;

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
}
