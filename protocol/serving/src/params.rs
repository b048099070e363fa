//! Path and query parameters that are refused as the API promises.
//!
//! A path parameter that cannot be read names nothing, so the answer is 404; a query that cannot be read breaks a rule,
//! so the answer is 400. NUL is refused in both: Postgres cannot store it.

use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::request::Parts,
};
use serde::de::DeserializeOwned;
use uuid::Uuid;

use crate::error::ApiError;

/// Parameters of the path; unreadable ones (an id that is not a UUID) are answered with 404.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<S, T> FromRequestParts<S> for Path<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        if parts.uri.path().contains("%00") {
            return Err(ApiError::not_found("not found"));
        }
        let path = axum::extract::Path::from_request_parts(parts, state).await;
        match path {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            Err(_) => Err(names_nothing(parts, state).await),
        }
    }
}

/// Parameters that are ids are called so; many a caller tries a slug there.
async fn names_nothing<S: Send + Sync>(parts: &mut Parts, state: &S) -> ApiError {
    let params = RawPathParams::from_request_parts(parts, state).await;
    let wrong = params
        .iter()
        .flat_map(RawPathParams::iter)
        .find(|(name, value)| {
            (name.ends_with("ID") || *name == "id") && Uuid::try_parse(value).is_err()
        });
    match wrong {
        None => ApiError::not_found("not found"),
        Some((name, _)) => ApiError::not_found(format!(
            "not found: {name} must be an id (a UUID), not a slug, a key or a name"
        )),
    }
}

/// Parameters of the query; unreadable ones are answered with 400.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<S, T> FromRequestParts<S> for Query<T>
where
    S: Send + Sync,
    T: DeserializeOwned,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            return Err(ApiError::bad_request(
                "text must not contain NUL characters",
            ));
        }
        axum::extract::Query::try_from_uri(&parts.uri)
            .map(|axum::extract::Query(value)| Self(value))
            .map_err(|error| ApiError::bad_request(format!("invalid query: {}", error.body_text())))
    }
}

#[cfg(test)]
mod tests {
    use axum::{Router, body::Body, http::Request, routing::get};
    use serde::Deserialize;
    use tower::ServiceExt;
    use uuid::Uuid;

    use super::*;

    #[derive(Deserialize)]
    struct Filter {
        count: Option<u8>,
    }

    async fn status(uri: &str) -> u16 {
        let router = Router::new()
            .route("/things/{id}", get(|Path(_): Path<Uuid>| async {}))
            .route("/names/{name}", get(|Path(_): Path<String>| async {}))
            .route(
                "/list",
                get(|Query(filter): Query<Filter>| async move { format!("{:?}", filter.count) }),
            );
        let request = Request::get(uri).body(Body::empty()).unwrap();
        router.oneshot(request).await.unwrap().status().as_u16()
    }

    #[tokio::test]
    async fn a_path_that_names_nothing_answers_404() {
        assert_eq!(
            status("/things/0194e1c1-7f52-7000-8000-000000000000").await,
            200
        );
        assert_eq!(status("/things/12").await, 404);
        assert_eq!(status("/names/dev%00").await, 404);
        assert_eq!(status("/names/%ff").await, 404);
    }

    #[tokio::test]
    async fn a_query_that_cannot_be_read_answers_400() {
        assert_eq!(status("/list?count=5&other=x").await, 200);
        assert_eq!(status("/list?count=many").await, 400);
        assert_eq!(status("/list?other=%00").await, 400);
    }
}
