//! Token families: opened by a sign-in, kept alive by refreshing, ended by logout or by the reuse of a stolen token.
//!
//! Every refresh replaces its token. A browser with several tabs may send the old one once more, so it stays usable for
//! a short leeway; after that only a copy can have been sent, and the whole family is revoked. The lock on the family's
//! row orders refreshes and revocations: a refresh that waited for a revocation sees it.

use std::net::IpAddr;

use time::OffsetDateTime;

use super::{
    Accounts,
    store::{families, refresh_tokens},
    tokens::{Subject, TokenPair, TokenType},
};
use crate::{
    db::{self, Tx},
    events::{self, Action, Actor, Event},
    ids::FamilyId,
    lifecycle::activity::{Arrived, arrive},
    members::caller::Caller,
    members::{self, model::Membership},
    refusal::Refusal,
};

impl Accounts {
    /// Opens a family for a member, and records the organization as the last used.
    pub(super) async fn open_session(
        &self,
        tx: &mut Tx,
        member: &Membership,
        arrived: &Arrived,
        now: OffsetDateTime,
    ) -> Result<TokenPair, Refusal> {
        let subject = Subject {
            user_id: member.user_id,
            org_id: member.org_id,
            role: member.role,
            data_region: arrived.data_region().to_owned(),
            family_id: FamilyId::new(now),
        };
        let issued = self.tokens.issue(&subject, now)?;
        let (family_id, ends) = (subject.family_id, issued.refresh_expires_at);
        families::insert(tx, family_id, member, ends, now).await?;
        refresh_tokens::insert(tx, family_id, issued.refresh_id, ends, now).await?;
        members::store::update_last_login(tx, member.org_id, member.id, now).await?;
        Ok(issued.pair)
    }

    /// Exchanges a refresh token for the next pair, with the member's current role. For the organization it is a login.
    pub async fn refresh(
        &self,
        token: &str,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<TokenPair, Refusal> {
        let claims = self
            .tokens
            .verify(token, TokenType::Refresh, now)
            .map_err(|_| Refusal::INVALID_TOKEN)?;
        let (org_id, family_id) = (claims.org_id, claims.sid);

        let mut tx = self.db.begin().await?;
        // Undone if the token turns out to be refused.
        let arrived = arrive(&mut tx, org_id, Actor::user(claims.sub, ip), now)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        if !families::lock(&mut tx, org_id, claims.sub, family_id).await? {
            return Err(Refusal::INVALID_TOKEN);
        }
        let held = refresh_tokens::find(&mut tx, family_id, claims.jti)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        let member = members::store::find_live(&mut tx, org_id, claims.sub, family_id)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;

        match held.replaced_at {
            None => refresh_tokens::update_replaced(&mut tx, family_id, claims.jti, now).await?,
            Some(replaced_at) if now <= replaced_at + self.settings.reuse_leeway => {}
            Some(_) => {
                drop(tx);
                let mut tx = self.db.begin().await?;
                families::revoke(&mut tx, org_id, family_id, now).await?;
                tx.commit().await?;
                tracing::warn!(family.id = %family_id, "a replaced refresh token was reused: its family is revoked");
                return Err(Refusal::INVALID_TOKEN);
            }
        }

        let subject = Subject {
            user_id: claims.sub,
            org_id,
            role: member.role,
            data_region: arrived.data_region().to_owned(),
            family_id,
        };
        let issued = self.tokens.issue(&subject, now)?;
        let ends = issued.refresh_expires_at;
        refresh_tokens::insert(&mut tx, family_id, issued.refresh_id, ends, now).await?;
        families::extend(&mut tx, org_id, family_id, ends).await?;
        tx.commit().await?;
        Ok(issued.pair)
    }

    /// Revokes the caller's family at once, with its access and refresh tokens.
    pub async fn logout(&self, caller: &Caller, now: OffsetDateTime) -> db::Result<()> {
        let mut tx = self.db.begin().await?;
        // Of two concurrent logouts, only one ends the session and is recorded.
        if families::revoke(&mut tx, caller.org_id, caller.family_id, now).await? {
            let event = Event::new(Action::AuthLogout, events::Subject::User(caller.user_id));
            events::record(&mut tx, caller.org_id, caller.actor(), event, now).await?;
        }
        tx.commit().await
    }
}
