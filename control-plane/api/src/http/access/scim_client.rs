//! The identity provider that sends a request.

use std::sync::Arc;

use axum::{extract::FromRequestParts, http::request::Parts};
use serving::{clock::Clock, error::ApiError};

use super::{DELETED, bearer};
use crate::{http::rates, state::AppState};
use base::{
    config::UrlSettings,
    db::{self, Db, behalf},
    ids::{OrgId, ScimTokenId, UserId},
    refusal::{Missing, Refusal},
};
use domain::{
    events::Actor,
    members::{self, change::Acting, model::Role},
    orgs,
    scim::{
        model::ScimUser,
        refused::Refused,
        store,
        tokens::{self, model::TokenText, store::find_bearer},
    },
    unit::{OrgChange, Recorded, Unit},
};

/// A client with a SCIM token of an organization that has SCIM. Token, organization and plan are read from the database at each
/// request. In this order: token 401, rate 429, deleted organization 403, plan 402.
pub struct ScimClient {
    /// The tenant of every query.
    pub org_id: OrgId,
    token_id: ScimTokenId,
    made_by: Option<UserId>,
    pub db: Db,
    clock: Clock,
    /// The base address of users.
    pub urls: Arc<UrlSettings>,
    /// The role of members that it adds.
    pub default_role: Role,
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
            db: state.db.clone(),
            clock: state.clock.clone(),
            urls: Arc::clone(&state.urls),
            default_role: state.scim.default_role,
        })
    }
}

impl ScimClient {
    /// Performs an operation on the organization in a unit of work.
    pub async fn write<T>(
        &self,
        operation: impl AsyncFnOnce(&mut OrgChange<'_>, Acting<'_>) -> Result<Recorded<T>, Refused>,
    ) -> Result<T, Refused> {
        self.write_in(self.begin().await?, operation).await
    }

    /// The same of one that may change an account.
    pub async fn write_account<T>(
        &self,
        id: UserId,
        operation: impl AsyncFnOnce(&mut OrgChange<'_>, Acting<'_>) -> Result<Recorded<T>, Refused>,
    ) -> Result<T, Refused> {
        let mut unit = self.begin().await?;
        unit.lock_account(id).await?;
        self.write_in(unit, operation).await
    }

    async fn begin(&self) -> db::Result<Unit> {
        let actor = Actor::Scim {
            id: self.token_id,
            made_by: self.made_by,
        };
        Unit::begin(&self.db, self.org_id, actor, self.clock.now()).await
    }

    async fn write_in<T>(
        &self,
        mut unit: Unit,
        operation: impl AsyncFnOnce(&mut OrgChange<'_>, Acting<'_>) -> Result<Recorded<T>, Refused>,
    ) -> Result<T, Refused> {
        let mut org = unit.lock_org(&self.clock).await?;
        let acting = self.acting(&mut org).await?;
        let recorded = operation(&mut org, acting).await?;
        Ok(unit.commit(recorded).await?.made)
    }

    /// The client's permissions, read under the organization's lock: those that the member who made the token has now.
    async fn acting(&self, change: &mut OrgChange<'_>) -> Result<Acting<'static>, Refusal> {
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
    pub async fn user(&self, id: UserId) -> Result<ScimUser, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = store::find(&mut conn, self.org_id, id).await?;
        found.ok_or(Missing::ScimUser.into())
    }
}
