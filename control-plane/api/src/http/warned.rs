//! Warnings about a write, in the answer: in `X-Warnings`, and in the body ([`super::fields`]).

use std::convert::Infallible;

use axum::{
    http::HeaderValue,
    response::{IntoResponseParts, ResponseParts},
};
use serving::layers::cors::WARNINGS;

use base::warning::Warning;

/// Adds `X-Warnings` to the answer unless empty: `<place>: <words>`, separated by `; `. The unit of work must know the warnings
/// too ([`domain::unit::Unit::warn`]), so that strict handling refuses them.
#[derive(Clone, Debug)]
pub(crate) struct Warned(pub(crate) Vec<Warning>);

impl IntoResponseParts for Warned {
    type Error = Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        let texts: Vec<_> = self.0.iter().map(Warning::text).collect();
        if !texts.is_empty() {
            let warnings = HeaderValue::try_from(texts.join("; "));
            let warnings = warnings.expect("warnings are visible ASCII");
            parts.headers_mut().insert(WARNINGS, warnings);
            parts.extensions_mut().insert(self);
        }
        Ok(parts)
    }
}
