//! Bodies that are read only once there is a place for them.

use std::convert::Infallible;

use axum::extract::{FromRequest, Request};

use super::{JSON, RawBody};
use crate::error::ApiError;

/// A JSON body of at most `LIMIT` bytes that has not been read yet: the caller reads large ones when it has a permit to hold them.
#[derive(Debug)]
pub struct LateBody<const LIMIT: usize>(Request);

impl<S: Send + Sync, const LIMIT: usize> FromRequest<S> for LateBody<LIMIT> {
    type Rejection = Infallible;

    async fn from_request(request: Request, _: &S) -> Result<Self, Infallible> {
        Ok(Self(request))
    }
}

impl<const LIMIT: usize> LateBody<LIMIT> {
    /// Reads it.
    ///
    /// # Errors
    /// As of a [`RawBody`].
    pub async fn read(self) -> Result<RawBody, ApiError> {
        RawBody::read_up_to(LIMIT, self.0, &[JSON]).await
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{StatusCode, header};

    use super::*;

    #[tokio::test]
    async fn a_late_body_has_a_limit_of_its_own() {
        let read = async |length: usize| {
            let text = format!("{{\"note\": \"{}\"}}", "a".repeat(length - 12));
            let request = Request::post("/").header(header::CONTENT_TYPE, JSON);
            let request = request.body(text.into()).unwrap();
            let Ok(late) = LateBody::<64>::from_request(request, &()).await;
            let read = late.read().await;
            read.map_err(|refusal| refusal.status())
                .map(|body| body.size())
        };
        assert_eq!(read(64).await, Ok(64));
        assert_eq!(read(65).await, Err(StatusCode::PAYLOAD_TOO_LARGE));
    }
}
