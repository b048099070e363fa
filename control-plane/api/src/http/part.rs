//! Paging of reports by query parameters and a `Link` header.
//!
//! Reports have no envelope for a total, so a part before the last has a `Link` to the next one (RFC 8288). Ordinary reports have
//! one part.

use std::convert::Infallible;

use axum::{
    extract::{FromRequestParts, Query},
    http::{HeaderValue, header::LINK, request::Parts},
    response::{IntoResponseParts, ResponseParts},
};
use url::form_urlencoded;
use utoipa::IntoParams;

use domain::usage::model::Part;

/// The query of a report. Values that make no sense count as absent.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes what `AskedPart` reads")]
pub(crate) struct PartQuery {
    /// How many items at most: 1 to 20000, which is also the default.
    limit: Option<i64>,
    /// How many items to skip.
    offset: Option<i64>,
}

/// The requested part.
#[derive(Debug)]
pub(crate) struct AskedPart(pub(crate) Part);

impl<S: Send + Sync> FromRequestParts<S> for AskedPart {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let pairs = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let pairs = pairs.map(|Query(pairs)| pairs).unwrap_or_default();
        let number = |name: &str| -> Option<i64> {
            let (_, value) = pairs.iter().find(|(key, _)| key == name)?;
            value.parse().ok()
        };
        let limit = number("limit").filter(|limit| *limit > 0);
        Ok(Self(Part {
            limit: limit.unwrap_or(Part::LIMIT).min(Part::LIMIT),
            offset: number("offset").unwrap_or(0).max(0),
        }))
    }
}

/// A `Link` to the next part, if there is one.
#[derive(Debug)]
pub(crate) struct NextPart(Option<HeaderValue>);

impl NextPart {
    /// The part after `shown` items, of `total`, of the report at `path` with these filters.
    pub(crate) fn after<'f>(
        path: &str,
        filters: impl Iterator<Item = (&'static str, &'f str)>,
        part: Part,
        shown: usize,
        total: i64,
    ) -> Self {
        let shown = i64::try_from(shown).unwrap_or(i64::MAX);
        let next = part.offset.saturating_add(shown);
        if shown == 0 || next >= total {
            return Self(None);
        }
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(filters)
            .append_pair("limit", &part.limit.to_string())
            .append_pair("offset", &next.to_string())
            .finish();
        let link = format!("<{path}?{query}>; rel=\"next\"");
        Self(HeaderValue::try_from(link).ok())
    }
}

impl IntoResponseParts for NextPart {
    type Error = Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        if let Some(link) = self.0 {
            parts.headers_mut().insert(LINK, link);
        }
        Ok(parts)
    }
}
