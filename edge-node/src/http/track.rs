//! `POST /v1/track`: a client reports which variant it showed to whom.

use axum::{
    http::StatusCode,
    response::{IntoResponse, Response},
};
use protocol::wire::usage::Impression;
use serde::Deserialize;
use serving::{body::RawBody, error::ApiError};

use super::{Caller, document::TrackRequest};

/// The longest text, in characters.
const LONGEST: usize = 512;

#[derive(Debug, Deserialize)]
struct Tracked {
    flag_key: Option<String>,
    variant_key: Option<String>,
    user_key: Option<String>,
}

/// Records an impression, also of an unknown flag.
#[utoipa::path(
    post,
    path = "/v1/track",
    operation_id = "trackImpression",
    tag = "evaluation",
    security(("api_key" = [])),
    request_body = TrackRequest,
    responses((status = 204, description = "recorded"))
)]
pub(super) async fn track(mut caller: Caller, body: Result<RawBody, ApiError>) -> Response {
    if let Ok(body) = &body {
        // Each KiB is one request: an impression is kept as it came until the control plane has stored it.
        caller.charge(body.size().div_ceil(1_024));
        if let Some(refusal) = caller.over_rate() {
            return caller.answer(Ok(refusal));
        }
    }
    caller.answer(body.and_then(|body| {
        let [flag_key, variant_key, user_key] = body.parse_unstored::<Tracked>()?.check()?;
        let head = caller.environment.head();
        let impression = Impression {
            env_id: head.env_id,
            flag_key,
            variant_key,
            user_key,
            at_ms: caller.edge.parts().clock.now_ms(),
        };
        caller.edge.parts().usage.track(head.org_id, impression);
        Ok(StatusCode::NO_CONTENT.into_response())
    }))
}

impl Tracked {
    /// Flag, variant and user.
    fn check(self) -> Result<[String; 3], ApiError> {
        let flag_key = self.flag_key.filter(|key| !key.trim().is_empty());
        let flag_key = flag_key.ok_or_else(|| ApiError::bad_request("flag_key is required"))?;
        let bounded = |name: &str, text: String| {
            if text.chars().count() > LONGEST {
                return Err(ApiError::bad_request(format!(
                    "{name} must have at most {LONGEST} characters"
                )));
            }
            Ok(text)
        };
        Ok([
            bounded("flag_key", flag_key)?,
            bounded("variant_key", self.variant_key.unwrap_or_default())?,
            bounded("user_key", self.user_key.unwrap_or_default())?,
        ])
    }
}
