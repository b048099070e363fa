//! Adding warnings to the body of an answer.

use axum::{
    body::{Body, HttpBody, to_bytes},
    http::{
        HeaderMap,
        header::{CONTENT_LENGTH, CONTENT_TYPE},
    },
    response::Response,
};
use base::warning::Warning;
use bytes::Bytes;
use serving::body::JSON;

use super::known::WARNINGS;

/// Adds the member `warnings` to a body that is a JSON object. Others stay as they are.
pub(super) async fn with_warnings(response: Response, warnings: &[Warning]) -> Response {
    let is_whole = response.body().size_hint().exact().is_some();
    if !(is_whole && is_json(response.headers())) {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let Ok(whole) = to_bytes(body, usize::MAX).await else {
        return Response::from_parts(head, Body::empty());
    };
    let body = match added(&whole, warnings) {
        Some(longer) => {
            head.headers.remove(CONTENT_LENGTH);
            Bytes::from(longer)
        }
        None => whole,
    };
    Response::from_parts(head, Body::from(body))
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes() == JSON.as_bytes())
}

/// The object with one member more. The text is not parsed: it is our own, and may be long.
fn added(object: &[u8], warnings: &[Warning]) -> Option<Vec<u8>> {
    let members = object.strip_prefix(b"{")?.strip_suffix(b"}")?;
    let listed = serde_json::to_vec(warnings).ok()?;
    let comma: &[u8] = if members.is_empty() { b"" } else { b"," };
    let name = format!("\"{WARNINGS}\":");
    Some([b"{", members, comma, name.as_bytes(), &listed, b"}"].concat())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn warnings() -> Vec<Warning> {
        vec![Warning {
            place: "rule".to_owned(),
            message: "unknown field rule".to_owned(),
        }]
    }

    #[test]
    fn an_object_has_one_member_more() {
        let listed = json!([{"place": "rule", "message": "unknown field rule"}]);
        for (body, expected) in [
            ("{}", json!({"warnings": listed})),
            (
                r#"{"a":{"b":1}}"#,
                json!({"a": {"b": 1}, "warnings": listed}),
            ),
        ] {
            let longer = added(body.as_bytes(), &warnings()).unwrap();
            assert_eq!(serde_json::from_slice::<Value>(&longer).unwrap(), expected);
        }
    }

    #[test]
    fn bodies_that_are_no_objects_stay() {
        for body in ["", "[]", "\"{}\"", "7", "{"] {
            assert_eq!(added(body.as_bytes(), &warnings()), None, "{body}");
        }
    }
}
