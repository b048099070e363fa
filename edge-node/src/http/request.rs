//! Bodies of evaluation requests.

use std::{borrow::Cow, fmt};

use protocol::eval::{Attributes, Context};
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use serving::error::ApiError;

/// Flags of one bulk request, counted before duplicates collapse.
const MAX_FLAG_KEYS: usize = 100;

/// `POST /v1/evaluate`.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a JSON object")]
pub(super) struct Single<'a> {
    #[serde(borrow)]
    flag_key: Option<Cow<'a, str>>,
    #[serde(borrow)]
    context: Option<Object<'a>>,
}

/// `POST /v1/evaluate/bulk`.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a JSON object")]
pub(super) struct Bulk<'a> {
    #[serde(borrow)]
    flag_keys: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    context: Option<Object<'a>>,
}

/// `POST /v1/client/{envKey}/flags`: a context as in the other bodies, or the context itself.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a JSON object")]
pub(super) struct Client<'a> {
    #[serde(borrow)]
    context: Option<Object<'a>>,
    #[serde(borrow)]
    key: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    attributes: Attributes<'a>,
}

/// A text that is borrowed where possible; serde's own `Cow` never borrows inside a list.
#[derive(Debug, Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// A context, which must be an object: the derived implementation would also accept an array of its fields.
#[derive(Debug)]
struct Object<'a>(Context<'a>);

impl<'a> Single<'a> {
    pub(super) fn check(self) -> Result<(Cow<'a, str>, Context<'a>), ApiError> {
        let flag_key = self.flag_key.filter(|key| !key.trim().is_empty());
        let flag_key = flag_key.ok_or_else(|| ApiError::bad_request("flag_key is required"))?;
        Ok((flag_key, context(self.context)?))
    }
}

impl<'a> Bulk<'a> {
    pub(super) fn check(self) -> Result<(Vec<Text<'a>>, Context<'a>), ApiError> {
        let flag_keys = self
            .flag_keys
            .ok_or_else(|| ApiError::bad_request("flag_keys is required"))?;
        if flag_keys.len() > MAX_FLAG_KEYS {
            return Err(ApiError::bad_request("at most 100 flag_keys are allowed"));
        }
        Ok((flag_keys, context(self.context)?))
    }
}

impl<'a> Client<'a> {
    /// The context that was sent, perhaps without a key.
    pub(super) fn context(self) -> Context<'a> {
        match self.context {
            Some(Object(context)) => context,
            None => Context {
                key: self.key.unwrap_or_default(),
                attributes: self.attributes,
            },
        }
    }
}

fn context(object: Option<Object<'_>>) -> Result<Context<'_>, ApiError> {
    let Object(context) = object.ok_or_else(|| ApiError::bad_request("context is required"))?;
    if context.key.trim().is_empty() {
        return Err(ApiError::bad_request("context.key is required"));
    }
    context
        .check_limits()
        .map_err(|limit| ApiError::bad_request(limit.to_string()))?;
    Ok(context)
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(ObjectVisitor)
    }
}

struct ObjectVisitor;

impl<'de> Visitor<'de> for ObjectVisitor {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a context object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Context::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(body: &str) -> Option<String> {
        match serde_json::from_str::<Single<'_>>(body) {
            Ok(single) => single.check().err().map(|error| error.message().to_owned()),
            Err(_) => Some("malformed".to_owned()),
        }
    }

    #[test]
    fn what_is_missing_or_empty_is_named() {
        for (body, message) in [
            (r#"{"context": {"key": "u"}}"#, "flag_key is required"),
            (
                r#"{"flag_key": null, "context": {"key": "u"}}"#,
                "flag_key is required",
            ),
            (
                r#"{"flag_key": " ", "context": {"key": "u"}}"#,
                "flag_key is required",
            ),
            (r#"{"flag_key": "f"}"#, "context is required"),
            (
                r#"{"flag_key": "f", "context": null}"#,
                "context is required",
            ),
            (
                r#"{"flag_key": "f", "context": {}}"#,
                "context.key is required",
            ),
            (
                r#"{"flag_key": "f", "context": {"key": ""}}"#,
                "context.key is required",
            ),
            (r#"{"flag_key": 5, "context": {"key": "u"}}"#, "malformed"),
            (r#"{"flag_key": "f", "context": ["u"]}"#, "malformed"),
            (r#"{"flag_key": "f", "context": "u"}"#, "malformed"),
            (r#"{"flag_key": "f", "context": {"key": 5}}"#, "malformed"),
            (
                r#"{"flag_key": "f", "context": {"key": "u", "attributes": []}}"#,
                "malformed",
            ),
        ] {
            assert_eq!(refusal(body).as_deref(), Some(message), "{body}");
        }
    }

    #[test]
    fn texts_are_borrowed_from_the_body() {
        let body =
            r#"{"flag_keys": ["a", "b"], "context": {"key": "u", "attributes": null}, "more": 1}"#;
        let (keys, context) = serde_json::from_str::<Bulk<'_>>(body)
            .unwrap()
            .check()
            .unwrap();
        assert!(keys.iter().all(|Text(key)| matches!(key, Cow::Borrowed(_))));
        assert_eq!(context, Context::new("u"));
    }

    #[test]
    fn a_client_sends_a_context_or_is_one() {
        let read = |body: &str| {
            serde_json::from_str::<Client<'_>>(body).map(|client| {
                let context = client.context();
                (
                    context.key.into_owned(),
                    context.attributes.get("a").is_some(),
                )
            })
        };
        let of = |key: &str, has: bool| Some((key.to_owned(), has));
        for (body, expected) in [
            ("{}", of("", false)),
            (
                r#"{"context": {"key": "u", "attributes": {"a": 1}}}"#,
                of("u", true),
            ),
            (r#"{"key": "u", "attributes": {"a": 1}}"#, of("u", true)),
            (r#"{"context": {"key": "u"}, "key": "v"}"#, of("u", false)),
            (r#"{"context": null, "attributes": null}"#, of("", false)),
            (r#"{"context": []}"#, None),
            (r#"{"key": 5}"#, None),
            (r#"{"attributes": []}"#, None),
        ] {
            assert_eq!(read(body).ok(), expected, "{body}");
        }
    }

    #[test]
    fn flag_keys_are_counted_with_duplicates() {
        let body = |count: usize| {
            let keys = vec!["\"f\""; count].join(",");
            format!(r#"{{"flag_keys": [{keys}], "context": {{"key": "u"}}}}"#)
        };
        let check = |body: &str| {
            serde_json::from_str::<Bulk<'_>>(body)
                .unwrap()
                .check()
                .map(|(keys, _)| keys.len())
        };
        assert_eq!(check(&body(0)).ok(), Some(0));
        assert_eq!(check(&body(100)).ok(), Some(100));
        assert_eq!(
            check(&body(101)).unwrap_err().message(),
            "at most 100 flag_keys are allowed"
        );
    }
}
