//! Authorization, declared once: the handler's signature names the roles, the permission key and the feature of the plan, and
//! from it comes both what is enforced here and the API document ([`declare`](self::declare::declare)).
//!
//! A handler without one of these extractors is visibly public. Order (docs/decisions): credentials 401, rate 429, deleted
//! organization 403, role 403, custom role 403, plan 402, `If-Match` without a version to compare 400, unknown parameter 400
//! (if there is no body and no `If-Match`, which are read later). Membership, role, custom
//! role and plan are read from the database at each request, in one query and without a cache.

pub mod answer;
pub mod declare;
mod ended;
mod plans;
mod scim_client;
mod scope;
mod session;
mod token;

use std::{marker::PhantomData, ops::Deref};

use axum::{
    extract::FromRequestParts,
    http::{
        HeaderValue,
        header::{AUTHORIZATION, IF_MATCH},
        request::Parts,
    },
};
use protocol::api_key;
use serving::{
    address::ClientAddress,
    clock::Clock,
    error::{ApiError, chain},
};

use time::OffsetDateTime;

use self::declare::Untagged;
pub use self::{
    ended::EndedSessions,
    plans::{AnyPlan, CustomRoles, Mfa, PlanGate, Scim, SignInProviders},
    scim_client::ScimClient,
    session::BySession,
};
use super::{
    fields::Checked,
    published::Wait,
    rates::{self, Management, OrgRate},
};
use crate::state::AppState;
use base::{
    db::{Db, behalf},
    ids::{OrgId, UserId},
    input::Invalid,
    limits::Limiter,
    refusal::Refusal,
};
use domain::{
    access_tokens::model::TokenText,
    accounts::tokens::TokenType,
    members::{
        caller::{Caller, Credential},
        model::Role,
        store::{self, LiveMember},
    },
    orgs::model::Plan,
    roles::keys::Permission,
};
use publish::Publisher;

const API_KEY: &str = "an API key is for evaluation only: this takes the access token of a login, or one made for programs, as Authorization: Bearer";
const DELETED: &str = "organization is deleted: sign in again to restore it";

/// A list of member roles that a handler's signature can name.
pub trait Roles: Send + Sync + 'static {
    const ALLOWED: &'static [Role];
}

macro_rules! roles {
    ($($(#[$doc:meta])* $extractor:ident, $list:ident: $($role:ident)|+;)+) => {$(
        $(#[$doc])*
        pub type $extractor<K, P = AnyPlan, L = Management> = Allowed<$list, K, P, L>;

        #[doc = concat!("The roles of [`", stringify!($extractor), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub struct $list;

        impl Roles for $list {
            const ALLOWED: &'static [Role] = &[$(Role::$role),+];
        }
    )+};
}

roles! {
    /// A member, whatever their role.
    AnyRole, AllRoles: Owner | Admin | Developer | Viewer;
    /// Owner, Admin, Developer: those who change flags.
    Editor, Editors: Owner | Admin | Developer;
    /// Owner, Admin: those who manage members and keys.
    Manager, Managers: Owner | Admin;
    /// Only Owner.
    Owner, Owners: Owner;
}

/// A caller, and the way to the data of their organization.
pub struct Access {
    caller: Caller,
    pub db: Db,
    pub clock: Clock,
    pub publisher: Publisher,
    /// Permits for pages that take long to find.
    pub long_pages: Limiter,
    /// Permits for reports.
    pub heavy_pages: Limiter,
    /// Permits for changing many flags.
    pub bulk_edits: Limiter,
    /// Permits for changing all definitions of a project.
    pub content_writes: Limiter,
    /// Permits for checking rules.
    pub checks: Limiter,
    /// The edges that the answer to a write waits for.
    pub(super) wait: Wait,
    pub(super) checked: Checked,
}

impl Deref for Access {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

/// The access of a caller who passed every check that does not depend on the path or the body: the organization is within the rate
/// `L`, the role is one of `R`, a custom role includes `K`, the plan has `P`.
pub struct Allowed<R, K, P = AnyPlan, L = Management>(Access, PhantomData<(R, K, P, L)>);

impl<R, K, P, L> Deref for Allowed<R, K, P, L> {
    type Target = Access;

    fn deref(&self) -> &Access {
        &self.0
    }
}

impl<R: Roles, K: Permission, P: PlanGate, L: OrgRate> FromRequestParts<AppState>
    for Allowed<R, K, P, L>
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let (caller, plan) = authenticate::<L>(parts, state).await?;
        if !R::ALLOWED.contains(&caller.role) {
            return Err(Refusal::INSUFFICIENT.into());
        }
        caller.require(K::NEEDS)?;
        if let Some(feature) = P::FEATURE {
            feature.allow(plan)?;
        }
        refuse_tag(parts)?;
        let checked = Checked::of(&parts.extensions);
        if is_untagged(parts) && !checked.reads_body() {
            checked.check_query()?;
        }
        let access = Access {
            caller,
            db: state.db.clone(),
            clock: state.clock.clone(),
            publisher: state.publisher.clone(),
            long_pages: state.long_pages.clone(),
            heavy_pages: state.heavy_pages.clone(),
            bulk_edits: state.bulk_edits.clone(),
            content_writes: state.content_writes.clone(),
            checks: state.checks.clone(),
            wait: Wait::asked_for(&parts.uri),
            checked,
        };
        Ok(Self(access, PhantomData))
    }
}

/// Who is proven to send a request.
struct Proven {
    org_id: OrgId,
    user_id: UserId,
    member: LiveMember,
    credential: Credential,
    ends_at: OffsetDateTime,
}

/// The caller, and the plan in effect.
async fn authenticate<L: OrgRate>(
    parts: &Parts,
    state: &AppState,
) -> Result<(Caller, Plan), ApiError> {
    let now = state.clock.now();
    refuse_api_key(parts)?;
    let text = bearer(parts)?;
    let proven = if TokenText::has_form(text) {
        token::find::<L>(parts, state, text, now).await?
    } else {
        find_session::<L>(parts, state, text, now).await?
    };
    let Proven {
        org_id,
        user_id,
        member,
        credential,
        ends_at,
    } = proven;

    rates::is_paid_by(parts, &state.rates, org_id);
    let plan = member.plan.at(member.trial_expires_at, now);
    if plan != member.plan {
        end_trial(state, org_id).await;
    }
    if member.is_deleted {
        return Err(Refusal::Forbidden(DELETED).into());
    }
    if let Credential::AccessToken(scope) = &credential {
        scope::check(parts, scope)?;
    }
    let ClientAddress(ip) = ClientAddress::of(parts, &state.trusted_proxies);

    let caller = Caller {
        user_id,
        org_id,
        member_id: member.id,
        role: member.role,
        permissions: member.permissions,
        credential,
        token_ends_at: ends_at,
        ip,
    };
    Ok((caller, plan))
}

/// Spends one request of the organization's rates.
fn spend<L: OrgRate>(parts: &Parts, state: &AppState, org_id: OrgId) -> Result<(), ApiError> {
    if let Some(rate) = L::of(&state.rates) {
        rates::spend(parts, rate, &org_id)?;
    }
    rates::spend(parts, &state.rates.management, &org_id)
}

/// The member who signed in, by the signed token of their session.
async fn find_session<L: OrgRate>(
    parts: &Parts,
    state: &AppState,
    text: &str,
    now: OffsetDateTime,
) -> Result<Proven, ApiError> {
    let claims = state
        .tokens
        .verify(text, TokenType::Access, now)
        .map_err(|_| invalid_token())?;
    if state.ended_sessions.has(&claims) {
        return Err(invalid_token());
    }
    // Before any query: requests above the rate cost others nothing. An ended session costs one request.
    spend::<L>(parts, state, claims.org_id)?;
    behalf::is_of(claims.org_id);
    let mut conn = state.db.acquire().await?;
    let found = store::find_live(&mut conn, claims.org_id, claims.sub, claims.sid).await?;
    drop(conn);
    let Some(member) = found else {
        state.ended_sessions.insert(&claims, now);
        return Err(invalid_token());
    };
    Ok(Proven {
        org_id: claims.org_id,
        user_id: claims.sub,
        member,
        credential: Credential::Session(claims.sid),
        ends_at: OffsetDateTime::from_unix_timestamp(claims.exp).unwrap_or(now),
    })
}

/// Stores and announces the end of the trial. The request continues on failure: the end applies already, and a job retries.
async fn end_trial(state: &AppState, org_id: OrgId) {
    if let Err(error) = state.lifecycle.end_trial(org_id).await {
        tracing::error!(error = chain(&error), org.id = %org_id, "the end of a trial was not stored");
    }
}

/// Refuses an expected version for a change of something without one: the client would believe that it is protected.
fn refuse_tag(parts: &Parts) -> Result<(), ApiError> {
    let is_ignored =
        !parts.method.is_safe() && parts.headers.contains_key(IF_MATCH) && is_untagged(parts);
    if is_ignored {
        return Err(Invalid::new("If-Match: what this changes has no entity tag").into());
    }
    Ok(())
}

fn is_untagged(parts: &Parts) -> bool {
    parts.extensions.get::<Untagged>().is_some()
}

/// Explains the mistake to clients that send an API key in place of a token.
fn refuse_api_key(parts: &Parts) -> Result<(), ApiError> {
    let header = parts.headers.get(AUTHORIZATION);
    let is_key = match header.map(HeaderValue::as_bytes) {
        None => parts.headers.contains_key("x-api-key"),
        Some(text) => {
            let credential = text.rsplit(|byte| *byte == b' ').next();
            credential.is_some_and(api_key::has_form)
        }
    };
    if is_key {
        Err(ApiError::unauthorized(API_KEY))
    } else {
        Ok(())
    }
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
    Refusal::INVALID_TOKEN.into()
}
