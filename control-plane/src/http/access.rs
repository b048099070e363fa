//! Who may call: one extractor for each role list of the contract.
//!
//! A handler without one of these is public on sight. Order (decisions 1.5): credentials 401, rate 429, role 403, and 403 again
//! when the member has a custom role that lacks what the endpoint needs. Membership, role and custom role are read from the
//! database at each request, without a cache.

use std::{net::IpAddr, sync::Arc};

use axum::{
    extract::{FromRequestParts, MatchedPath},
    http::{header::AUTHORIZATION, request::Parts},
};
use serving::{address::ClientAddress, error::ApiError};

use super::{published::Wait, rates};
use crate::{
    accounts::tokens::TokenType,
    app::AppState,
    audit::model::Actor,
    ids::{FamilyId, MemberId, OrgId, UserId},
    members::{model::Role, store},
    roles::permissions,
};

/// The signed-in member behind a request.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The user.
    pub user_id: UserId,
    /// The organization the token acts for: the tenant of every query.
    pub org_id: OrgId,
    /// The membership.
    pub member_id: MemberId,
    /// The role now.
    pub role: Role,
    /// The permission keys of the custom role now; `None` without one, when the role alone decides.
    pub permissions: Option<Arc<[String]>>,
    /// The token family, which logout ends.
    pub family_id: FamilyId,
    /// Address of the client, for the audit trail.
    pub ip: IpAddr,
    /// For whom the answer to a write is to wait.
    pub wait: Wait,
}

impl Caller {
    /// The caller as the audit trail names it.
    #[must_use]
    pub const fn actor(&self) -> Actor {
        Actor::User {
            id: self.user_id,
            ip: Some(self.ip),
        }
    }

    /// Refuses a custom role without this key: for what an endpoint needs only with some bodies.
    ///
    /// # Errors
    /// 403.
    pub fn require(&self, key: &str) -> Result<(), ApiError> {
        match &self.permissions {
            Some(held) if !held.iter().any(|other| other == key) => Err(insufficient()),
            _ => Ok(()),
        }
    }

    fn check_endpoint(&self, parts: &Parts) -> Result<(), ApiError> {
        let Some(held) = &self.permissions else {
            return Ok(());
        };
        let needs = parts
            .extensions
            .get::<MatchedPath>()
            .and_then(|path| permissions::needs(parts.method.as_str(), path.as_str()));
        match needs {
            Some(needs) if needs.is_met_by(held) => Ok(()),
            _ => Err(insufficient()),
        }
    }
}

macro_rules! access {
    ($($(#[$doc:meta])* $name:ident: $($role:ident)|+;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name(pub Caller);

        impl FromRequestParts<AppState> for $name {
            type Rejection = ApiError;

            async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
                let caller = authenticate(parts, state).await?;
                match caller.role {
                    $(Role::$role)|+ => {}
                    #[allow(unreachable_patterns, reason = "one extractor lists every role")]
                    _ => return Err(insufficient()),
                }
                caller.check_endpoint(parts)?;
                Ok(Self(caller))
            }
        }
    )+};
}

access! {
    /// All roles.
    Member: Owner | Admin | Developer | Viewer;
    /// Owner, Admin, Developer: those who change flags.
    Editor: Owner | Admin | Developer;
    /// Owner, Admin: those who manage members and keys.
    Manager: Owner | Admin;
    /// Owner alone.
    Owner: Owner;
}

async fn authenticate(parts: &mut Parts, state: &AppState) -> Result<Caller, ApiError> {
    let claims = state
        .tokens
        .verify(bearer(parts)?, TokenType::Access, state.clock.now())
        .map_err(|_| invalid_token())?;
    let mut conn = state.db.acquire().await?;
    let member = store::find_live(&mut conn, claims.org_id, claims.sub, claims.sid)
        .await?
        .ok_or_else(invalid_token)?;
    drop(conn);

    rates::spend(parts, &state.rates.management, &claims.org_id)?;
    let Ok(ClientAddress(ip)) = ClientAddress::from_request_parts(parts, state).await;

    Ok(Caller {
        user_id: claims.sub,
        org_id: claims.org_id,
        member_id: member.id,
        role: member.role,
        permissions: member.permissions,
        family_id: claims.sid,
        ip,
        wait: Wait::asked_for(&parts.uri),
    })
}

fn bearer(parts: &Parts) -> Result<&str, ApiError> {
    let header = parts
        .headers
        .get(AUTHORIZATION)
        .ok_or_else(|| ApiError::unauthorized("missing authorization header"))?;
    let (scheme, token) = header
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .ok_or_else(invalid_token)?;
    if scheme.eq_ignore_ascii_case("bearer") {
        Ok(token.trim())
    } else {
        Err(invalid_token())
    }
}

fn insufficient() -> ApiError {
    ApiError::forbidden("insufficient permissions")
}

fn invalid_token() -> ApiError {
    ApiError::unauthorized("invalid or expired token")
}
