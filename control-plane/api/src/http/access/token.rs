//! Access tokens as credentials of a request.

use axum::http::request::Parts;
use serving::{address::ClientAddress, error::ApiError};
use time::OffsetDateTime;

use super::{Proven, invalid_token, spend};
use crate::{http::rates::OrgRate, state::AppState};
use base::db::behalf;
use domain::{
    access_tokens::{
        model::TokenText,
        refused,
        store::{self, Bearer},
    },
    members::caller::Credential,
};

/// The member whose access token this is. What cannot be a token costs no query; an unknown or ended one is
/// within the share of the client's network.
pub(super) async fn find<L: OrgRate>(
    parts: &Parts,
    state: &AppState,
    text: &str,
    now: OffsetDateTime,
) -> Result<Proven, ApiError> {
    let hash = TokenText::parse(text).ok_or_else(invalid_token)?.hash();
    let mut conn = state.db.acquire().await?;
    let found = store::find_bearer(&mut conn, &hash, now).await?;
    drop(conn);
    let bearer = found.ok_or_else(invalid_token)?;
    let ClientAddress(ip) = ClientAddress::of(parts, &state.trusted_proxies);
    let Bearer {
        org_id,
        user_id,
        scope,
        expires_at,
        member,
        is_unnoted,
        is_untold,
    } = bearer;
    // Whoever has an ended token spends nothing of the organization's.
    let Some(member) = member else {
        if is_untold {
            refused::record(&state.db, org_id, scope.token_id, ip, now).await?;
        }
        return Err(invalid_token());
    };
    behalf::is_of(org_id);
    spend::<L>(parts, state, org_id)?;
    if is_unnoted {
        let mut conn = state.db.acquire().await?;
        store::note_use(&mut conn, org_id, scope.token_id, ip, now).await?;
    }
    Ok(Proven {
        org_id,
        user_id,
        member,
        credential: Credential::AccessToken(scope),
        ends_at: expires_at,
    })
}
