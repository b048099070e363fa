//! The identity provider that sends a request.

use axum::{extract::FromRequestParts, http::request::Parts};
use serving::error::ApiError;

use super::{DELETED, bearer};
use crate::{http::rates, state::AppState};
use base::{
    db::{self, behalf},
    ids::{OrgId, ScimTokenId, UserId},
    refusal::{Missing, Refusal},
};
use domain::{
    events::Actor,
    members::{self, change::Acting},
    orgs,
    scim::{
        model::ScimUser,
        store,
        tokens::{self, model::TokenText, store::find_bearer},
    },
    unit::{OrgChange, Unit},
};

/// A client with a SCIM token of an organization that has SCIM. Token, organization and plan are read from the database at each
/// request. In this order: token 401, rate 429, deleted organization 403, plan 402.
#[derive(Clone, Copy, Debug)]
pub struct ScimClient {
    /// The tenant of every query.
    pub org_id: OrgId,
    token_id: ScimTokenId,
    made_by: Option<UserId>,
}

impl FromRequestParts<AppState> for ScimClient {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let now = state.clock.now();
        let text = TokenText::parse(bearer(parts)?).ok_or(Refusal::INVALID_TOKEN)?;
        let mut conn = state.db.acquire().await?;
        let found = find_bearer(&mut conn, &text.hash()).await?;
        drop(conn);
        let found = found.ok_or(Refusal::INVALID_TOKEN)?;
        if found.expires_at.is_some_and(|end| end <= now) {
            return Err(Refusal::INVALID_TOKEN.into());
        }
        behalf::is_of(found.org_id);
        rates::spend(parts, &state.rates.management, &found.org_id)?;
        rates::is_paid_by(parts, &state.rates, found.org_id);
        if found.deleted_at.is_some() {
            return Err(Refusal::Forbidden(DELETED).into());
        }
        orgs::SCIM.allow(found.plan.at(found.trial_expires_at, now))?;
        Ok(Self {
            org_id: found.org_id,
            token_id: found.id,
            made_by: found.made_by,
        })
    }
}

impl ScimClient {
    pub async fn begin(&self, state: &AppState) -> db::Result<Unit> {
        let actor = Actor::Scim {
            id: self.token_id,
            made_by: self.made_by,
        };
        Unit::begin(&state.db, self.org_id, actor, state.clock.now()).await
    }

    /// The client's permissions, read under the organization's lock: those that the member who made the token has now.
    pub async fn acting(&self, change: &mut OrgChange<'_>) -> Result<Acting<'static>, Refusal> {
        if !tokens::store::exists(change, self.org_id, self.token_id).await? {
            return Err(Refusal::INVALID_TOKEN);
        }
        let maker = match self.made_by {
            Some(user_id) => members::store::find_manager(change, self.org_id, user_id).await?,
            None => None,
        };
        Ok(Acting::Provider(maker))
    }

    /// A user of the client's organization.
    pub async fn user(&self, state: &AppState, id: UserId) -> Result<ScimUser, Refusal> {
        let mut conn = state.db.acquire().await?;
        let found = store::find(&mut conn, self.org_id, id).await?;
        found.ok_or(Missing::ScimUser.into())
    }
}
