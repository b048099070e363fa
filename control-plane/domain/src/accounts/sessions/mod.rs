//! Token families: opened by a sign-in, kept alive by refreshing, ended by logout or by the reuse of a stolen token.
//!
//! Every refresh replaces its token. A browser with several tabs may send the old one once more, so for a short leeway it is
//! answered with its successor; after that only a copy can have been sent, and the whole family is revoked. So a family has one
//! usable token at a time, and two holders of copies expose each other. The lock on the family's row orders refreshes and
//! revocations.
//!
//! A family may be continued by another: when the tokens of a sign-in are exchanged for the session of a page, or a session
//! moves to another organization. The old family is revoked and names the new one, so that reuse of an old token ends both.
//! Locks are taken from old to new. All families of a session end at the time set by its sign-in.

mod end;
mod exchange;
mod refresh;

use time::OffsetDateTime;

use super::{
    Accounts, Device,
    store::{families, refresh_tokens},
    tokens::{Claims, Keeper, Subject, TokenPair, TokenType},
};
use crate::{
    members::{self, model::Membership},
    orgs::activity::Arrived,
};
use base::{db::Tx, ids::FamilyId, refusal::Refusal};

#[derive(Debug)]
pub(super) struct Opened {
    pub(super) family_id: FamilyId,
    pub(super) pair: TokenPair,
}

impl Accounts {
    /// Opens a family for a member who signs in, and records the organization as the last used.
    pub(super) async fn open_session(
        &self,
        tx: &mut Tx,
        member: &Membership,
        arrived: &Arrived,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<TokenPair, Refusal> {
        let (keeper, end) = (Keeper::Client, self.tokens.session_end(now));
        let opened = self.open_family(tx, member, arrived, (keeper, device), end, now);
        Ok(opened.await?.pair)
    }

    /// Opens a family as part of a session that ends at `end`.
    pub(super) async fn open_family(
        &self,
        tx: &mut Tx,
        member: &Membership,
        arrived: &Arrived,
        (keeper, device): (Keeper, &Device),
        end: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<Opened, Refusal> {
        let subject = Subject {
            user_id: member.user_id,
            org_id: member.org_id,
            role: member.role,
            data_region: arrived.data_region().to_owned(),
            family_id: FamilyId::new(now),
        };
        let issued = self.tokens.issue(&subject, keeper, end, now)?;
        let (family_id, ends) = (subject.family_id, (issued.refresh.expires_at, end));
        families::insert(tx, family_id, member, device, ends, now).await?;
        refresh_tokens::insert(tx, family_id, issued.refresh).await?;
        members::store::update_last_login(tx, member.org_id, member.id, now).await?;
        Ok(Opened {
            family_id,
            pair: issued.pair,
        })
    }

    /// Verifies a refresh token's form, signature and expiry.
    fn read_refresh_token(&self, token: &str, now: OffsetDateTime) -> Result<Claims, Refusal> {
        let claims = self.tokens.verify(token, TokenType::Refresh, now);
        claims.map_err(|_| Refusal::INVALID_TOKEN)
    }
}
