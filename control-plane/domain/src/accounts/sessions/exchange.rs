//! From a sign-in to the session of a page. The page, and any script in it, has seen the tokens of the sign-in: the exchange
//! ends them, without a leeway.

use time::OffsetDateTime;

use super::Opened;
use crate::{
    accounts::{
        Accounts, Device,
        store::{families, refresh_tokens, users},
        tokens::{Keeper, TokenPair},
    },
    events::Actor,
    members::{self, model::Membership},
    orgs::activity::arrive,
};
use base::refusal::Refusal;

impl Accounts {
    /// Exchanges the refresh token of a sign-in for one kept in a cookie, in a new family. A token that was used before, here
    /// or in a refresh, ends every session that came of it.
    pub async fn open_page_session(
        &self,
        token: &str,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<TokenPair, Refusal> {
        let claims = self.read_refresh_token(token, now)?;
        let (org_id, user_id, family_id) = (claims.org_id, claims.sub, claims.sid);
        let mut tx = self.db.begin().await?;
        // A password reset ends the sessions that it finds, and must not miss the one that is opened here.
        users::find_hash_for_share(&mut tx, user_id).await?;
        // Rolled back if the token is refused.
        let arrived = arrive(&mut tx, org_id, Actor::user(user_id, device.ip), now)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        let family = families::lock_even_revoked(&mut tx, org_id, user_id, family_id)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        let replaced_at = refresh_tokens::find_replaced_at(&mut tx, family_id, claims.jti)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        if family.is_spent || replaced_at.is_some() {
            drop(tx);
            self.end_reused(user_id, family_id, device.ip, now).await?;
            return Err(Refusal::INVALID_TOKEN);
        }
        // A revoked family has no member.
        let member = members::store::find_live(&mut tx, org_id, user_id, family_id)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        let member = Membership {
            id: member.id,
            org_id,
            user_id,
            role: member.role,
        };
        let Opened {
            family_id: page,
            pair,
        } = self
            .open_family(
                &mut tx,
                &member,
                &arrived,
                (Keeper::Cookie, device),
                family.ends_at,
                now,
            )
            .await?;
        if let Some(provider_id) = family.provider_id {
            families::update_provider(&mut tx, org_id, page, provider_id).await?;
        }
        families::update_spent(&mut tx, org_id, family_id, page, now).await?;
        tx.commit().await?;
        Ok(pair)
    }
}
