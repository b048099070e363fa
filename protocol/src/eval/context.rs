//! The context of an evaluation: who is asking, and how much a request may send.

use std::borrow::Cow;

use serde::Deserialize;

use super::attribute::Attributes;

/// Most characters of a context key.
const MAX_KEY_CHARS: usize = 1_024;
/// Most attributes of a context.
const MAX_ATTRIBUTES: usize = 200;
/// Most bytes of one attribute.
const MAX_ATTRIBUTE_BYTES: usize = 16 << 10;

/// A context. Missing parts are read as empty; whether they may be is up to the caller.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Context<'a> {
    /// Identifies whom the evaluation is for; determines the buckets.
    #[serde(borrow, default)]
    pub key: Cow<'a, str>,
    /// What conditions test.
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
        // A character takes at least one byte, so short keys need no counting.
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

/// A context beyond the bounds of a request. The message may be shown to the caller.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Attribute;

    fn read(body: &str) -> Context<'_> {
        serde_json::from_str(body).unwrap()
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
