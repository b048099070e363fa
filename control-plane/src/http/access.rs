//! Who may call: one extractor for each role list of the contract.
//!
//! A handler without one of these is public on sight. Order (decisions 1.5): credentials 401, rate 429, role 403. Membership
//! and role are read from the database at each request, without a cache.

use std::net::IpAddr;

use axum::{
    extract::FromRequestParts,
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
                    $(Role::$role)|+ => Ok(Self(caller)),
                    #[allow(unreachable_patterns, reason = "one extractor lists every role")]
                    _ => Err(ApiError::forbidden("insufficient permissions")),
                }
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

fn invalid_token() -> ApiError {
    ApiError::unauthorized("invalid or expired token")
}
