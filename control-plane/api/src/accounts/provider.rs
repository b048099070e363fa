//! Signing in by a provider of one's organization.

use std::sync::Arc;

use axum::{Json, extract::State};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use serving::{body::Body, clock::Clock, error::ApiError};
use utoipa::ToSchema;

use super::SignedIn;
use crate::http::{
    FromDevice, Routes, endpoints,
    rates::{Rates, SignIn, spend_by_body},
};
use base::{
    ids::SignInProviderId,
    input::{Invalid, all_given, has_text, required},
    refusal::Missing,
};
use domain::{
    accounts::{Accounts, email::Email},
    sign_in::{
        Providers,
        finish::Answer,
        start::{Begun, Whose},
    },
};

pub(super) fn router() -> Routes {
    endpoints![start, finish]
}

/// Whose provider: `email` or `organization`.
#[derive(Deserialize, ToSchema)]
struct ProviderSignIn {
    /// An address in a domain that the organization has proven.
    email: Option<String>,
    /// The id or the slug of the organization.
    organization: Option<String>,
    /// Which one, where the organization has several.
    #[schema(value_type = Option<SignInProviderId>)]
    provider_id: Option<String>,
}

/// A sign-in that has begun, or the providers to choose from.
#[derive(Serialize, ToSchema)]
struct BegunSignIn {
    /// Where the browser goes; `null` while a provider is to be chosen.
    #[schema(required)]
    redirect_url: Option<String>,
    /// The page keeps it, and sends it with what the provider sends back.
    #[schema(required)]
    attempt_key: Option<String>,
    /// The providers to choose from; empty once the sign-in has begun.
    providers: Vec<ProviderChoice>,
}

/// A provider to choose.
#[derive(Serialize, ToSchema)]
struct ProviderChoice {
    /// Its id.
    id: SignInProviderId,
    /// What people call it.
    name: String,
}

/// Begins a sign-in by a provider of an organization. The answer does not reveal whether an address has an account.
#[utoipa::path(
    post,
    path = "/v1/auth/oidc/start",
    operation_id = "beginProviderSignIn",
    tag = "accounts",
    security(()),
    request_body = ProviderSignIn,
    responses(
        (status = 200, description = "begun, for ten minutes", body = BegunSignIn),
        (status = 404, description = "no provider for this address, organization or id"),
        (status = 502, description = "the provider cannot be used"),
    )
)]
async fn start(
    State(providers): State<Arc<Providers>>,
    State(rates): State<Arc<Rates>>,
    State(clock): State<Clock>,
    _client: SignIn,
    Body(body): Body<ProviderSignIn>,
) -> Result<Json<BegunSignIn>, ApiError> {
    let whose = match (&body.email, body.organization) {
        (_, Some(organization)) => Whose::Organization(organization),
        (Some(email), None) => Whose::Email(Email::of_login(Some(email))?),
        (None, None) => return Err(Invalid::new("email or organization is required").into()),
    };
    let provider_id = body
        .provider_id
        .map(|id| Missing::SignInProvider.by_id("provider_id", SignInProviderId::parse(&id)))
        .transpose()?;
    let org_id = providers.find_org(&whose).await?;
    spend_by_body(&rates.provider_sign_in, &org_id)?;
    let begun = providers.start(org_id, &whose, provider_id, clock.now());
    Ok(Json(match begun.await? {
        Begun::Started {
            redirect_url,
            attempt_key,
        } => BegunSignIn {
            redirect_url: Some(redirect_url),
            attempt_key: Some(attempt_key),
            providers: Vec::new(),
        },
        Begun::Choice(all) => BegunSignIn {
            redirect_url: None,
            attempt_key: None,
            providers: all
                .into_iter()
                .map(|provider| ProviderChoice {
                    id: provider.id,
                    name: provider.name,
                })
                .collect(),
        },
    }))
}

/// What the provider sent back to the page, and what the page kept.
#[derive(Deserialize, ToSchema)]
struct ProviderAnswer {
    /// Required.
    #[schema(value_type = String)]
    state: Option<String>,
    /// Required.
    #[schema(value_type = String)]
    code: Option<String>,
    /// As the provider sent it, where it did (RFC 9207).
    iss: Option<String>,
    /// Required. From the beginning of the sign-in.
    #[schema(value_type = String)]
    attempt_key: Option<String>,
}

/// Finishes a sign-in by a provider. It stands for the password and for the second factor.
///
/// The session stays in the organization of the provider.
#[utoipa::path(
    post,
    path = "/v1/auth/oidc/finish",
    operation_id = "finishProviderSignIn",
    tag = "accounts",
    security(()),
    request_body = ProviderAnswer,
    responses(
        (status = 200, description = "signed in", body = SignedIn),
        (status = 401, description = "expired, used before, begun elsewhere, or the provider's answer is not to be trusted"),
        (status = 402, description = "the plan has no seat for another member"),
        (status = 403, description = "not a member, an address that is not verified, or one that the provider may not vouch for"),
        (status = 502, description = "the provider cannot be used"),
    )
)]
async fn finish(
    State(providers): State<Arc<Providers>>,
    State(accounts): State<Arc<Accounts>>,
    State(clock): State<Clock>,
    _client: SignIn,
    FromDevice(device): FromDevice,
    Body(body): Body<ProviderAnswer>,
) -> Result<Json<SignedIn>, ApiError> {
    all_given([
        ("state", has_text(&body.state)),
        ("code", has_text(&body.code)),
        ("attempt_key", has_text(&body.attempt_key)),
    ])?;
    let answer = Answer {
        state: required("state", body.state)?,
        code: SecretString::from(required("code", body.code)?),
        issuer: body.iss,
        attempt_key: required("attempt_key", body.attempt_key)?,
    };
    let vouched = providers.finish(answer, clock.now()).await?;
    let (user, tokens) = accounts
        .sign_in_by_provider(vouched, &device, &clock)
        .await?;
    Ok(Json(SignedIn { user, tokens }))
}
