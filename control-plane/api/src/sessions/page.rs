//! The session of a page. Its refresh token is in a cookie, and its access token in the memory of the page.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderName, HeaderValue, StatusCode},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serving::{
    clock::Clock,
    document::{CLEAR_SITE_DATA, SET_COOKIE},
    error::ApiError,
};
use utoipa::{ToSchema, openapi::path::Operation};
use uuid::Uuid;

use super::{
    cookie,
    own_page::{OwnBody, OwnPage},
};
use crate::http::{
    FromDevice, Routes,
    access::answer::{Answer, successes_carry},
    endpoints,
    rates::SignIn,
};
use base::{ids::OrgId, input::required, refusal::Refusal};
use domain::accounts::{
    Accounts,
    tokens::{TokenPair, Tokens},
};

const FORGET: HeaderName = HeaderName::from_static("clear-site-data");

/// The endpoints that read or set the cookie. No other origin may call them.
pub fn router() -> Routes {
    endpoints![open, refresh, close]
}

/// The access token of a page. Its refresh token is in the cookie.
#[derive(Debug, Serialize, ToSchema)]
struct PageToken {
    /// JWT for management requests.
    access_token: String,
    /// End of the access token, Unix seconds.
    expires_at: i64,
}

/// An answer that may set or delete the cookie.
struct WithCookie<T>(Option<(HeaderName, HeaderValue)>, T);

impl<T: IntoResponse> IntoResponse for WithCookie<T> {
    fn into_response(self) -> Response {
        let Self(cookie, answer) = self;
        match cookie {
            Some(cookie) => ([cookie], answer).into_response(),
            None => answer.into_response(),
        }
    }
}

impl<T> Answer for WithCookie<T> {
    fn describe(operation: &mut Operation) {
        successes_carry(operation, &[SET_COOKIE]);
    }
}

fn kept(tokens: &Tokens, pair: TokenPair) -> WithCookie<Json<PageToken>> {
    let cookie = cookie::keep(&pair.refresh_token, tokens.refresh_ttl());
    let token = PageToken {
        access_token: pair.access_token,
        expires_at: pair.expires_at,
    };
    WithCookie(Some(cookie), Json(token))
}

#[derive(Deserialize, ToSchema)]
struct OpenSession {
    /// Required. From a login, a sign-up or an exchange of a one-time token.
    #[schema(value_type = String)]
    refresh_token: Option<String>,
}

/// Exchanges the tokens of a sign-in for the session of a page.
///
/// The tokens of the sign-in become invalid at once. A token that is presented again ends the session that was made from it.
#[utoipa::path(
    post,
    path = "/v1/auth/session",
    operation_id = "openSession",
    tag = "accounts",
    security(()),
    request_body = OpenSession,
    responses(
        (status = 200, description = "the access token; the refresh token is in the cookie `__Host-halyard`", body = PageToken),
        (status = 401, description = "invalid, expired, used or revoked, or no refresh token"),
    )
)]
async fn open(
    State(accounts): State<Arc<Accounts>>,
    State(tokens): State<Arc<Tokens>>,
    State(clock): State<Clock>,
    _page: OwnPage,
    _client: SignIn,
    FromDevice(device): FromDevice,
    OwnBody(body): OwnBody<OpenSession>,
) -> Result<WithCookie<Json<PageToken>>, ApiError> {
    let token = required("refresh_token", body.refresh_token)?;
    let now = clock.now();
    let pair = accounts.open_page_session(&token, &device, now).await?;
    Ok(kept(&tokens, pair))
}

#[derive(Deserialize, ToSchema)]
struct RefreshSession {
    /// The organization to continue in; the one of the session when absent.
    org_id: Option<String>,
}

/// Exchanges the cookie for the next access token and the next cookie.
///
/// With `org_id` the session continues in another organization of the caller, and ends in this one.
#[utoipa::path(
    post,
    path = "/v1/auth/session/refresh",
    operation_id = "refreshSession",
    tag = "accounts",
    security(("session_cookie" = [])),
    request_body = RefreshSession,
    responses(
        (status = 200, description = "the access token; the cookie is replaced", body = PageToken),
        (
            status = 401,
            description = "no cookie, or one that is invalid, expired, used or revoked, which is cleared",
            headers(("Set-Cookie" = String, description = "Clears the cookie that was sent.")),
        ),
        (status = 403, description = "not a member of the organization asked for"),
    )
)]
async fn refresh(
    State(accounts): State<Arc<Accounts>>,
    State(tokens): State<Arc<Tokens>>,
    State(clock): State<Clock>,
    page: OwnPage,
    _client: SignIn,
    FromDevice(device): FromDevice,
    OwnBody(body): OwnBody<RefreshSession>,
) -> Result<WithCookie<Json<PageToken>>, Refused> {
    let token = page.cookie.ok_or(Refusal::INVALID_TOKEN)?;
    // Text that is not a UUID stands for an organization without members.
    let org_id = body
        .org_id
        .map(|id| OrgId(Uuid::try_parse(id.trim()).unwrap_or_default()));
    let now = clock.now();
    let refreshed = accounts.refresh_page(&token, org_id, &device, now);
    match refreshed.await {
        Ok(pair) => Ok(kept(&tokens, pair)),
        Err(refusal) => Err(Refused {
            is_cleared: matches!(refusal, Refusal::Unauthenticated(_)),
            error: refusal.into(),
        }),
    }
}

/// A refusal that may delete the cookie.
struct Refused {
    error: ApiError,
    is_cleared: bool,
}

/// Keeps the cookie.
impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Self {
        Self {
            error: refusal.into(),
            is_cleared: false,
        }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let cleared = self.is_cleared.then(cookie::clear);
        WithCookie(cleared, self.error).into_response()
    }
}

/// The answer to signing out: whatever a browser kept of earlier answers goes with the session.
struct Closed {
    had_cookie: bool,
}

impl IntoResponse for Closed {
    fn into_response(self) -> Response {
        let cookie = self.had_cookie.then(cookie::clear);
        let mut response = WithCookie(cookie, StatusCode::NO_CONTENT).into_response();
        let cache = HeaderValue::from_static("\"cache\"");
        response.headers_mut().insert(FORGET, cache);
        response
    }
}

impl Answer for Closed {
    fn describe(operation: &mut Operation) {
        successes_carry(operation, &[SET_COOKIE, CLEAR_SITE_DATA]);
    }
}

/// Ends the session of the cookie, and clears the cookie. It succeeds without one too.
#[utoipa::path(
    delete,
    path = "/v1/auth/session",
    operation_id = "closeSession",
    tag = "accounts",
    security(()),
    responses((status = 204, description = "signed out"))
)]
async fn close(
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    page: OwnPage,
    SignIn(client): SignIn,
) -> Result<Closed, ApiError> {
    let Some(token) = page.cookie else {
        return Ok(Closed { had_cookie: false });
    };
    let now = clock.now();
    accounts.close_page_session(&token, client.0, now).await?;
    Ok(Closed { had_cookie: true })
}
