//! Paging: `limit` and `offset`, which never fail, and the envelope of paged lists.

use axum::{
    extract::{FromRequestParts, Query},
    http::request::Parts,
};
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

use crate::error::ApiError;

/// Bytes of a page whose items may be large: it ends after the item with which it has so many. `has_more` counts what was left
/// out, so that whoever goes on after what came misses nothing.
pub const MAX_BYTES: i64 = 2 * 1024 * 1024;

/// Lists that may be very long are counted up to this number. A larger total is what is known to be there.
pub const COUNTED: i64 = 10_000;

/// The part of a list that is asked for. Input that makes no sense falls back to the default, and
/// a limit above the maximum to the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Page {
    /// How many items at most: 1 to 100, 50 when absent.
    #[param(required = false, default = 50)]
    pub limit: i64,
    /// How many items to skip.
    #[param(required = false, default = 0)]
    pub offset: i64,
}

impl Page {
    fn from_query(pairs: &[(String, String)]) -> Self {
        let value = |name: &str| {
            pairs
                .iter()
                .find(|(key, _)| key == name)
                .and_then(|(_, value)| number(value))
        };
        Self {
            limit: match value("limit") {
                Some(limit) if limit > 0 => limit.min(100),
                _ => 50,
            },
            offset: value("offset").unwrap_or(0).max(0),
        }
    }
}

/// A whole number; one that does not fit 64 bits is clamped to them.
fn number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let limit = if text.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    Some(text.parse().unwrap_or(limit))
}

impl<S: Send + Sync> FromRequestParts<S> for Page {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let pairs = Query::try_from_uri(&parts.uri).map(|Query(pairs): Query<Vec<_>>| pairs);
        Ok(Self::from_query(&pairs.unwrap_or_default()))
    }
}

/// One page of a list, as every paged endpoint answers it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Paged<T> {
    /// The items.
    pub data: Vec<T>,
    total: i64,
    limit: i64,
    offset: i64,
    has_more: bool,
}

impl<T> Paged<T> {
    /// Wraps the items of `page`, out of `total` in the whole list.
    pub fn new(data: Vec<T>, total: i64, page: Page) -> Self {
        let shown = i64::try_from(data.len()).unwrap_or(i64::MAX);
        let has_more = page.offset.saturating_add(shown) < total;
        Self::with_more(data, total, has_more, page)
    }

    /// The same of a list that was counted no further than to [`COUNTED`] and one. From the offset on `found` items are there; it
    /// was not looked for more than one item that the page does not have.
    pub fn counted(data: Vec<T>, found: usize, counted: i64, page: Page) -> Self {
        let has_more = found > data.len();
        let found = i64::try_from(found).unwrap_or(i64::MAX);
        let total = match counted {
            all @ ..=COUNTED => all,
            _ if found == 0 => COUNTED,
            _ => COUNTED.max(page.offset.saturating_add(found)),
        };
        Self::with_more(data, total, has_more, page)
    }

    const fn with_more(data: Vec<T>, total: i64, has_more: bool, page: Page) -> Self {
        Self {
            data,
            total,
            limit: page.limit,
            offset: page.offset,
            has_more,
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    async fn page(query: &str) -> (i64, i64) {
        let request = Request::get(format!("/list?{query}")).body(()).unwrap();
        let mut parts = request.into_parts().0;
        let page = Page::from_request_parts(&mut parts, &()).await.unwrap();
        (page.limit, page.offset)
    }

    #[tokio::test]
    async fn bad_values_fall_back_and_large_ones_are_cut() {
        for (query, expected) in [
            ("", (50, 0)),
            ("limit=7&offset=3", (7, 3)),
            ("limit=100", (100, 0)),
            ("limit=101", (100, 0)),
            ("limit=99999999999999999999", (100, 0)),
            ("limit=0", (50, 0)),
            ("limit=-5&offset=-1", (50, 0)),
            ("limit=-99999999999999999999", (50, 0)),
            ("limit=ten&offset=x", (50, 0)),
            ("limit=&offset=", (50, 0)),
            ("limit=1.5", (50, 0)),
            ("limit=%ff", (50, 0)),
            ("offset=99999999999999999999", (50, i64::MAX)),
        ] {
            assert_eq!(page(query).await, expected, "{query}");
        }
    }

    #[test]
    fn has_more_looks_beyond_the_page() {
        let page = |offset| Page { limit: 2, offset };
        assert!(Paged::new(vec![1, 2], 3, page(0)).has_more);
        assert!(!Paged::new(vec![3], 3, page(2)).has_more);
        assert!(!Paged::<u8>::new(vec![], 3, page(i64::MAX)).has_more);
        assert_eq!(
            serde_json::to_string(&Paged::new(vec![1], 1, page(0))).unwrap(),
            r#"{"data":[1],"total":1,"limit":2,"offset":0,"has_more":false}"#
        );
    }
}
