//! Whom a flag is evaluated for.

use std::borrow::Cow;

use protocol::eval::{Attribute, Attributes, Context as Prepared};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value};

/// Whom flags are evaluated for: a key, by which percentages are drawn, and attributes, which rules test.
///
/// Made once per user or request, it serves any number of evaluations. It is also read from JSON, in the form of the API:
/// `{"key": "user-1", "attributes": {"plan": "pro"}}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Context(pub(crate) Prepared<'static>);

impl Context {
    /// A context without attributes.
    #[must_use]
    pub fn new(key: impl Into<String>) -> Self {
        Self(Prepared::new(key.into()))
    }

    /// Begins a context with attributes.
    #[must_use]
    pub fn builder(key: impl Into<String>) -> ContextBuilder {
        ContextBuilder {
            key: key.into(),
            attributes: Vec::new(),
        }
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.0.key
    }
}

/// A context that is being made.
#[derive(Clone, Debug)]
pub struct ContextBuilder {
    key: String,
    attributes: Vec<(Cow<'static, str>, Attribute<'static>)>,
}

impl ContextBuilder {
    /// Sets an attribute: a text, a number, a boolean, a list of these, or anything else that JSON has. If several have the same
    /// name, the last one counts.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        let value = attribute(value.into());
        self.attributes.push((Cow::Owned(name.into()), value));
        self
    }

    /// The context.
    #[must_use]
    pub fn build(self) -> Context {
        Context(Prepared {
            key: Cow::Owned(self.key),
            attributes: self.attributes.into_iter().collect::<Attributes<'_>>(),
        })
    }
}

fn attribute(value: Value) -> Attribute<'static> {
    match value {
        Value::Null => Attribute::Null,
        Value::Bool(value) => Attribute::Bool(value),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(number), _, _) => Attribute::Uint(number),
            (None, Some(number), _) => Attribute::Int(number),
            (None, None, Some(number)) => Attribute::Float(number),
            (None, None, None) => Attribute::Null,
        },
        Value::String(text) => Attribute::Text(Cow::Owned(text)),
        Value::Array(elements) => Attribute::Array(elements.into_iter().map(attribute).collect()),
        Value::Object(members) => Attribute::Object(
            members
                .into_iter()
                .map(|(name, member)| (Cow::Owned(name), attribute(member)))
                .collect(),
        ),
    }
}

impl<'de> Deserialize<'de> for Context {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        /// As it is sent; missing parts are empty.
        #[derive(Deserialize)]
        struct Sent {
            #[serde(default)]
            key: String,
            #[serde(default)]
            attributes: Option<Map<String, Value>>,
        }
        let sent = Sent::deserialize(input).map_err(D::Error::custom)?;
        let attributes = sent.attributes.unwrap_or_default();
        let context = attributes
            .into_iter()
            .fold(Self::builder(sent.key), |context, (name, value)| {
                context.with(name, value)
            });
        Ok(context.build())
    }
}
