//! The part of a path that names something, wherever the request was matched.

use std::convert::Infallible;

use axum::{extract::FromRequestParts, http::request::Parts};
use percent_encoding::percent_decode_str;

/// The environment, in `/v1/client/{envKey}/flags` and `/v1/stream/{envKey}`.
pub(super) type EnvKey = Named<3>;

/// The part of a path after `PLACE` slashes; `None` if it cannot be read.
pub(super) struct Named<const PLACE: usize>(pub(super) Option<String>);

impl<S: Sync, const PLACE: usize> FromRequestParts<S> for Named<PLACE> {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let part = parts.uri.path().split('/').nth(PLACE);
        let read = part.and_then(|part| {
            let text = percent_decode_str(part).decode_utf8().ok()?;
            Some(text.into_owned())
        });
        // No name has a NUL.
        Ok(Self(read.filter(|text| !text.contains('\0'))))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    #[tokio::test]
    async fn a_part_is_read_as_utf8() {
        for (path, expected) in [
            ("/v1/client/dev/flags", Some("dev")),
            ("/v1/client/d%65v/flags", Some("dev")),
            ("/v1/client/a%2Fb/flags", Some("a/b")),
            ("/v1/client/%c3%bc/flags", Some("ü")),
            ("/v1/client/%ff/flags", None),
            ("/v1/client/a%00/flags", None),
            ("/v1/client", None),
        ] {
            let request = Request::get(path).body(()).unwrap();
            let mut parts = request.into_parts().0;
            let Ok(Named(read)) = Named::<3>::from_request_parts(&mut parts, &()).await;
            assert_eq!(read.as_deref(), expected, "{path}");
        }
    }
}
