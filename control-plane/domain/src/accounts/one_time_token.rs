//! One-time tokens carry a session from one origin to another. The first client to present the token, within its short life, is
//! signed in as the same user to the same organization. The new session ends with the one that issued the token.

use time::OffsetDateTime;

use super::{
    Accounts, Device,
    model::User,
    opaque_token::{self, OpaqueToken},
    store::{families, one_time_tokens, users},
    tokens::{Keeper, TokenPair},
};
use crate::{
    events::{self, Action, Actor, Event, Subject},
    members::{self, caller::Caller},
    orgs::activity::arrive,
};
use base::{db, ids::FamilyId, refusal::Refusal};

impl Accounts {
    pub async fn issue_one_time_token(
        &self,
        caller: &Caller,
        family_id: FamilyId,
        now: OffsetDateTime,
    ) -> db::Result<String> {
        let token = OpaqueToken::random();
        let ends = now + self.settings.proofs.one_time_token_ttl;
        let (org_id, user_id) = (caller.org_id, caller.user_id);
        let mut tx = self.db.begin().await?;
        one_time_tokens::insert(&mut tx, (caller, family_id), &token.hash(), ends, now).await?;
        let event = Event::new(Action::AuthOneTimeTokenIssued, Subject::User(user_id));
        events::record(&mut tx, org_id, caller.actor(), event, now).await?;
        tx.commit().await?;
        Ok(token.reveal().to_owned())
    }

    /// Signs in the first client to present a token.
    pub async fn exchange_one_time_token(
        &self,
        token: &str,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<(User, TokenPair), Refusal> {
        let mut tx = self.db.begin().await?;
        let token_hash = opaque_token::hash(token);
        let bearer = one_time_tokens::consume(&mut tx, &token_hash, now)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        let (org_id, user_id) = (bearer.org_id, bearer.user_id);
        // Waits for a concurrent logout. The new session ends with the one that issued the token.
        let family = families::lock_even_revoked(&mut tx, org_id, user_id, bearer.family_id)
            .await?
            .filter(|family| !family.is_revoked)
            .ok_or(Refusal::INVALID_TOKEN)?;
        let member = members::store::find_for_login(&mut tx, user_id, Some(org_id))
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        let actor = Actor::user(user_id, device.ip);
        let arrived = arrive(&mut tx, org_id, actor, now)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;

        let user = users::find_credentials_of(&mut tx, user_id)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?
            .user;
        let opened = self
            .open_family(
                &mut tx,
                &member,
                &arrived,
                (Keeper::Client, device),
                family.ends_at,
                now,
            )
            .await?;
        if let Some(provider_id) = family.provider_id {
            families::update_provider(&mut tx, org_id, opened.family_id, provider_id).await?;
        }
        let event = Event::new(Action::AuthLogin, Subject::User(user_id));
        events::record(&mut tx, org_id, actor, event, now).await?;
        tx.commit().await?;
        Ok((user, opened.pair))
    }
}
