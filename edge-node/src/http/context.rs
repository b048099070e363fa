//! Contexts of the native paths: a key, and attributes in a place of their own.

use std::{borrow::Cow, fmt};

use protocol::eval::{Attributes, Context};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, IgnoredAny, MapAccess, Visitor},
};

use super::request::Text;

/// Attributes beside the key, as OFREP has them, are not read.
pub(super) const FLAT: &str =
    "context: only key and attributes are read; what rules look at belongs into attributes";

/// A context as it was sent. It must be an object: a derived implementation would also accept an array of its fields.
#[derive(Debug, Default)]
pub(super) struct Given<'a> {
    pub(super) key: Option<Cow<'a, str>>,
    pub(super) attributes: Option<Attributes<'a>>,
    /// Whether there are members that nothing reads.
    pub(super) is_flat: bool,
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Member {
    Key,
    Attributes,
    #[serde(other)]
    Other,
}

impl<'a> Given<'a> {
    /// The context, without a key when none was sent; and a warning if attributes seem to be in the wrong place.
    pub(super) fn read(self) -> (Context<'a>, Option<&'static str>) {
        let context = Context {
            key: self.key.unwrap_or_default(),
            attributes: self.attributes.unwrap_or_default(),
        };
        (context, self.is_flat.then_some(FLAT))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Given<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(GivenVisitor)
    }
}

struct GivenVisitor;

impl<'de> Visitor<'de> for GivenVisitor {
    type Value = Given<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a context object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut given = Given::default();
        while let Some(member) = map.next_key()? {
            match member {
                Member::Key if given.key.is_some() => {
                    return Err(A::Error::duplicate_field("key"));
                }
                Member::Key => {
                    let key: Option<Text<'de>> = map.next_value()?;
                    given.key = key.map(|Text(key)| key);
                }
                Member::Attributes if given.attributes.is_some() => {
                    return Err(A::Error::duplicate_field("attributes"));
                }
                Member::Attributes => given.attributes = Some(map.next_value()?),
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                    given.is_flat = true;
                }
            }
        }
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Option<(Context<'_>, Option<&'static str>)> {
        serde_json::from_str::<Given<'_>>(body)
            .ok()
            .map(Given::read)
    }

    #[test]
    fn members_beside_key_and_attributes_are_warned_about() {
        for (body, warning) in [
            (r#"{"key": "u"}"#, None),
            (r#"{"attributes": {"country": "NL"}, "key": "u"}"#, None),
            (r#"{"key": "u", "country": "NL"}"#, Some(FLAT)),
            (
                r#"{"country": ["NL"], "key": "u", "attributes": null}"#,
                Some(FLAT),
            ),
        ] {
            let (context, told) = read(body).unwrap();
            assert_eq!((&*context.key, told), ("u", warning), "{body}");
        }
    }

    #[test]
    fn what_is_no_context_is_refused() {
        for body in [
            "[]",
            "null",
            r#""u""#,
            r#"{"key": 5}"#,
            r#"{"attributes": []}"#,
            r#"{"key": "u", "key": "u"}"#,
            r#"{"attributes": {}, "attributes": {}}"#,
        ] {
            assert_eq!(read(body), None, "{body}");
        }
        let nothing = (Context::default(), None);
        for body in ["{}", r#"{"key": null, "attributes": null}"#] {
            assert_eq!(read(body).as_ref(), Some(&nothing), "{body}");
        }
    }

    #[test]
    fn the_key_is_borrowed_from_the_body() {
        let (context, _) = read(r#"{"key": "u"}"#).unwrap();
        assert!(matches!(context.key, Cow::Borrowed("u")));
    }
}
