//! Warnings about a write, in the answer.

use std::convert::Infallible;

use axum::{
    http::HeaderValue,
    response::{IntoResponseParts, ResponseParts},
};
use serving::layers::cors::WARNINGS;

use domain::flags::warnings::Warning;

/// Adds `X-Warnings` to the answer unless empty: `<place>: <words>`, separated by `; `.
#[derive(Debug)]
pub(crate) struct Warned(pub(crate) Vec<Warning>);

impl IntoResponseParts for Warned {
    type Error = Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        let texts = self
            .0
            .iter()
            .map(|one| format!("{}: {}", one.place, one.message));
        let texts: Vec<_> = texts.collect();
        if !texts.is_empty() {
            let warnings = HeaderValue::try_from(texts.join("; "));
            let warnings = warnings.expect("warnings are visible ASCII");
            parts.headers_mut().insert(WARNINGS, warnings);
        }
        Ok(parts)
    }
}
