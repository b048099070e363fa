//! The endpoints of accounts: register, login, refresh, logout.

use axum::{Json, extract::State, http::StatusCode};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serving::{body::Body, error::ApiError};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};
use uuid::Uuid;

use super::{
    Login, LoginError, RawRegistration, RefreshError, RegisterError, Registration, SessionError,
    email::Email, model::User, tokens::TokenPair,
};
use crate::{
    app::AppState,
    http::{access::Member, rates::SignIn},
    ids::OrgId,
    orgs::model::Organization,
};

/// All of them.
pub fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(register))
        .routes(routes!(login))
        .routes(routes!(refresh))
        .routes(routes!(logout))
}

#[derive(Debug, Serialize, ToSchema)]
struct Welcome {
    user: User,
    organization: Organization,
    tokens: TokenPair,
}

/// Creates a user, an organization of theirs on trial, and its default project with three environments.
#[utoipa::path(
    post,
    path = "/v1/auth/register",
    tag = "accounts",
    security(()),
    request_body = RawRegistration,
    responses(
        (status = 201, description = "registered and signed in", body = Welcome),
        (status = 409, description = "the address has an account"),
    )
)]
async fn register(
    State(state): State<AppState>,
    SignIn(client): SignIn,
    Body(body): Body<RawRegistration>,
) -> Result<(StatusCode, Json<Welcome>), ApiError> {
    let accounts = &state.accounts;
    let registration = Registration::check(body, accounts.settings())?;
    let made = accounts
        .register(registration, client.0, state.clock.now())
        .await?;
    let welcome = Welcome {
        user: made.user,
        organization: made.organization,
        tokens: made.tokens,
    };
    Ok((StatusCode::CREATED, Json(welcome)))
}

#[derive(Deserialize, ToSchema)]
struct LoginRequest {
    /// Required.
    email: Option<String>,
    /// Required.
    password: Option<String>,
    /// The organization to act for; the one last used when absent.
    org_id: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
struct SignedIn {
    user: User,
    tokens: TokenPair,
}

/// Signs in with e-mail and password.
#[utoipa::path(
    post,
    path = "/v1/auth/login",
    tag = "accounts",
    security(()),
    request_body = LoginRequest,
    responses(
        (status = 200, description = "signed in", body = SignedIn),
        (status = 401, description = "unknown address or wrong password"),
        (status = 403, description = "not a member of the organization asked for"),
    )
)]
async fn login(
    State(state): State<AppState>,
    SignIn(client): SignIn,
    Body(body): Body<LoginRequest>,
) -> Result<Json<SignedIn>, ApiError> {
    let email = Email::parse(body.email.as_deref())?;
    let password: SecretString = required("password", body.password)?.into();
    let org_id = body
        .org_id
        .map(|id| required("org_id", Some(id)))
        .transpose()?;
    let login = Login {
        email,
        password,
        // A text that is no UUID names an organization that nobody belongs to.
        org_id: org_id.map(|id| OrgId(Uuid::try_parse(&id).unwrap_or_default())),
    };
    let (user, tokens) = state
        .accounts
        .login(login, client.0, state.clock.now())
        .await?;
    Ok(Json(SignedIn { user, tokens }))
}

#[derive(Deserialize, ToSchema)]
struct RefreshRequest {
    /// Required.
    refresh_token: Option<String>,
}

/// Exchanges a refresh token for the next pair of tokens.
#[utoipa::path(
    post,
    path = "/v1/auth/refresh",
    tag = "accounts",
    security(()),
    request_body = RefreshRequest,
    responses(
        (status = 200, description = "the next pair; the old refresh token is replaced", body = TokenPair),
        (status = 401, description = "invalid, expired, revoked, or no refresh token"),
    )
)]
async fn refresh(
    State(state): State<AppState>,
    _client: SignIn,
    Body(body): Body<RefreshRequest>,
) -> Result<Json<TokenPair>, ApiError> {
    let token = required("refresh_token", body.refresh_token)?;
    Ok(Json(
        state.accounts.refresh(&token, state.clock.now()).await?,
    ))
}

#[derive(Debug, Serialize, ToSchema)]
struct Message {
    message: &'static str,
}

/// Ends the session of the presented token at once.
#[utoipa::path(
    post,
    path = "/v1/auth/logout",
    tag = "accounts",
    responses((status = 200, description = "signed out", body = Message))
)]
async fn logout(
    State(state): State<AppState>,
    Member(caller): Member,
) -> Result<Json<Message>, ApiError> {
    state.accounts.logout(&caller, state.clock.now()).await?;
    Ok(Json(Message {
        message: "logged out",
    }))
}

fn required(field: &str, text: Option<String>) -> Result<String, ApiError> {
    text.filter(|text| !text.trim().is_empty())
        .ok_or_else(|| ApiError::bad_request(format!("{field} is required")))
}

impl From<RegisterError> for ApiError {
    fn from(error: RegisterError) -> Self {
        match error {
            RegisterError::EmailTaken => Self::conflict("email already registered"),
            RegisterError::Hash(source) => Self::internal(source),
            RegisterError::Seed(source) => Self::internal(source),
            RegisterError::Session(source) => source.into(),
            RegisterError::Database(source) => source.into(),
        }
    }
}

impl From<LoginError> for ApiError {
    fn from(error: LoginError) -> Self {
        match error {
            LoginError::InvalidCredentials => Self::unauthorized("invalid credentials"),
            LoginError::NotAMember => Self::forbidden("not a member of the organization"),
            LoginError::Hash(source) => Self::internal(source),
            LoginError::Session(source) => source.into(),
            LoginError::Database(source) => source.into(),
        }
    }
}

impl From<RefreshError> for ApiError {
    fn from(error: RefreshError) -> Self {
        match error {
            RefreshError::Refused => Self::unauthorized("invalid or expired token"),
            RefreshError::Session(source) => source.into(),
        }
    }
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        Self::internal(error)
    }
}
