//! Bodies of evaluation requests.

use std::borrow::Cow;

use protocol::eval::Context;
use serde::Deserialize;
use serving::error::ApiError;

use super::context::Given;

/// Flags of one bulk request, counted before duplicates collapse.
pub(super) const MAX_FLAG_KEYS: usize = 100;

/// `POST /v1/evaluate`.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a JSON object")]
pub(super) struct Single<'a> {
    #[serde(borrow)]
    pub(super) flag_key: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) context: Option<Given<'a>>,
}

/// `POST /v1/evaluate/bulk`.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a JSON object")]
pub(super) struct Bulk<'a> {
    #[serde(borrow)]
    pub(super) flag_keys: Option<Vec<Text<'a>>>,
    #[serde(borrow)]
    pub(super) context: Option<Given<'a>>,
}

/// `POST /v1/client/{envKey}/flags`: a context as in the other bodies. Without one, the body is the context itself.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a JSON object")]
pub(super) struct Client<'a> {
    #[serde(borrow)]
    pub(super) context: Option<Given<'a>>,
}

/// A text that is borrowed where possible; serde's own `Cow` never borrows inside a list.
#[derive(Debug, Deserialize)]
pub(super) struct Text<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// A context within its limits, and a warning about its form.
pub(super) type Read<'a> = (Context<'a>, Option<&'static str>);

impl<'a> Single<'a> {
    pub(super) fn check(self) -> Result<(Cow<'a, str>, Read<'a>), ApiError> {
        let flag_key = self.flag_key.filter(|key| !key.trim().is_empty());
        let flag_key = flag_key.ok_or_else(|| ApiError::bad_request("flag_key is required"))?;
        Ok((flag_key, context(self.context)?))
    }
}

impl<'a> Bulk<'a> {
    pub(super) fn check(self) -> Result<(Vec<Text<'a>>, Read<'a>), ApiError> {
        let flag_keys = self
            .flag_keys
            .ok_or_else(|| ApiError::bad_request("flag_keys is required"))?;
        if flag_keys.len() > MAX_FLAG_KEYS {
            return Err(ApiError::bad_request("at most 100 flag_keys are allowed"));
        }
        Ok((flag_keys, context(self.context)?))
    }
}

fn context(given: Option<Given<'_>>) -> Result<Read<'_>, ApiError> {
    let given = given.ok_or_else(|| ApiError::bad_request("context is required"))?;
    let (context, warning) = given.read();
    if context.key.trim().is_empty() {
        return Err(ApiError::bad_request("context.key is required"));
    }
    context
        .check_limits()
        .map_err(|limit| ApiError::bad_request(limit.to_string()))?;
    Ok((context, warning))
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
        let (keys, (context, warning)) = serde_json::from_str::<Bulk<'_>>(body)
            .unwrap()
            .check()
            .unwrap();
        assert!(keys.iter().all(|Text(key)| matches!(key, Cow::Borrowed(_))));
        assert_eq!((context, warning), (Context::new("u"), None));
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
