//! Refreshing, which may move a page's session to another organization.

use time::OffsetDateTime;

use super::Opened;
use crate::{
    accounts::{
        Accounts, Device,
        store::{families, refresh_tokens, users},
        tokens::{Keeper, Subject, TokenPair},
    },
    events::{self, Action, Actor, Event},
    members::{self, model::Role},
    orgs::activity::arrive,
    sign_in,
};
use base::{
    db::Tx,
    ids::{FamilyId, OrgId, TokenId, UserId},
    refusal::Refusal,
};

const NO_MEMBER: Refusal = Refusal::Forbidden("not a member of the organization");

const ENDED: Refusal =
    Refusal::Forbidden("your sessions in the organization were ended: sign in again to work there");

/// A provider vouches for its users in its own organization alone.
const STAYS: Refusal = Refusal::Forbidden(
    "a session that an organization's provider opened stays in it: sign in to the other organization",
);

#[derive(Clone, Copy, Debug)]
struct Refresh<'a> {
    user_id: UserId,
    keeper: Keeper,
    device: &'a Device,
    now: OffsetDateTime,
}

#[derive(Clone, Copy, Debug)]
struct Target {
    org_id: OrgId,
    family_id: FamilyId,
    /// The presented token; `None` in a family that continues the token's.
    token_id: Option<TokenId>,
}

/// The result of a refresh in one family.
enum Outcome<T> {
    Done(T),
    /// The family was just continued by another.
    Elsewhere(Target),
    /// The token was used before. Every session that came of it must end.
    Reused,
}

struct Live {
    role: Role,
    /// The token, if it is used for the first time.
    unused: Option<TokenId>,
    end: OffsetDateTime,
    is_by_provider: bool,
}

impl Accounts {
    /// Exchanges a refresh token for the next pair, with the member's current role. For the organization it is a login.
    pub async fn refresh(
        &self,
        token: &str,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<TokenPair, Refusal> {
        self.refresh_for(Keeper::Client, token, None, device, now)
            .await
    }

    /// Refreshes the session of a page, which may move to another organization.
    pub async fn refresh_page(
        &self,
        token: &str,
        org_id: Option<OrgId>,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<TokenPair, Refusal> {
        self.refresh_for(Keeper::Cookie, token, org_id, device, now)
            .await
    }

    async fn refresh_for(
        &self,
        keeper: Keeper,
        token: &str,
        org_id: Option<OrgId>,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<TokenPair, Refusal> {
        let claims = self.read_refresh_token(token, now)?;
        let refresh = Refresh {
            user_id: claims.sub,
            keeper,
            device,
            now,
        };
        let mut target = Target {
            org_id: claims.org_id,
            family_id: claims.sid,
            token_id: Some(claims.jti),
        };
        // One transaction per family: no lock of one organization is held while waiting for another's.
        loop {
            let outcome = match org_id {
                Some(org_id) if org_id != target.org_id => {
                    self.go_to(org_id, target, refresh).await?
                }
                _ => self.stay(target, refresh).await?,
            };
            match outcome {
                Outcome::Done(pair) => return Ok(pair),
                Outcome::Elsewhere(next) => target = next,
                Outcome::Reused => {
                    self.end_reused(claims.sub, claims.sid, device.ip, now)
                        .await?;
                    return Err(Refusal::INVALID_TOKEN);
                }
            }
        }
    }

    /// Issues the next pair of the same family. A token used just before yields the same successor.
    async fn stay(
        &self,
        target: Target,
        refresh: Refresh<'_>,
    ) -> Result<Outcome<TokenPair>, Refusal> {
        let (user_id, device, now) = (refresh.user_id, refresh.device, refresh.now);
        let (org_id, family_id) = (target.org_id, target.family_id);
        let mut tx = self.db.begin().await?;
        // Rolled back if the token is refused.
        let arrived = arrive(&mut tx, org_id, Actor::user(user_id, device.ip), now)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        let live = match self.check(&mut tx, target, user_id, now).await? {
            Outcome::Done(live) => live,
            Outcome::Elsewhere(next) => return Ok(Outcome::Elsewhere(next)),
            Outcome::Reused => return Ok(Outcome::Reused),
        };
        let next = match live.unused {
            Some(token_id) => {
                refresh_tokens::update_replaced(&mut tx, family_id, token_id, now).await?;
                None
            }
            None => refresh_tokens::find_next(&mut tx, family_id).await?,
        };
        let subject = Subject {
            user_id,
            org_id,
            role: live.role,
            data_region: arrived.data_region().to_owned(),
            family_id,
        };
        let issued = match next {
            Some(next) => self
                .tokens
                .issue_with(&subject, refresh.keeper, next, now)?,
            None => {
                let issued = self.tokens.issue(&subject, refresh.keeper, live.end, now)?;
                refresh_tokens::insert(&mut tx, family_id, issued.refresh).await?;
                issued
            }
        };
        let ends = issued.refresh.expires_at;
        families::extend(&mut tx, org_id, family_id, device, ends, now).await?;
        tx.commit().await?;
        Ok(Outcome::Done(issued.pair))
    }

    /// Continues the session in another organization, where it is recorded as a login.
    async fn go_to(
        &self,
        org_id: OrgId,
        target: Target,
        refresh: Refresh<'_>,
    ) -> Result<Outcome<TokenPair>, Refusal> {
        let (user_id, device, now) = (refresh.user_id, refresh.device, refresh.now);
        let actor = Actor::user(user_id, device.ip);
        let mut tx = self.db.begin().await?;
        // A password reset ends the sessions that it finds, and must not miss the one that is opened here.
        users::find_hash_for_share(&mut tx, user_id).await?;
        let member = members::store::find_for_login(&mut tx, user_id, Some(org_id)).await?;
        let arrived = match &member {
            Some(member) => arrive(&mut tx, member.org_id, actor, now).await?,
            None => None,
        };
        let live = match self.check(&mut tx, target, user_id, now).await? {
            Outcome::Done(live) => live,
            Outcome::Elsewhere(next) => return Ok(Outcome::Elsewhere(next)),
            Outcome::Reused => return Ok(Outcome::Reused),
        };
        let (Some(member), Some(arrived)) = (member, arrived) else {
            return Err(NO_MEMBER);
        };
        if live.is_by_provider {
            return Err(STAYS);
        }
        if member.role != Role::Owner && sign_in::store::is_required(&mut tx, org_id).await? {
            return Err(sign_in::BY_PROVIDER);
        }
        let end = live.end;
        // The lock on the account orders this with the end of sessions.
        let ended = members::store::find_ended_sessions(&mut tx, org_id, member.id).await?;
        if ended.is_some_and(|until| end < until) {
            return Err(ENDED);
        }
        refresh_tokens::update_all_replaced(&mut tx, target.family_id, now).await?;
        let Opened { family_id, pair } = self
            .open_family(
                &mut tx,
                &member,
                &arrived,
                (refresh.keeper, device),
                end,
                now,
            )
            .await?;
        families::update_continued(&mut tx, target.org_id, target.family_id, family_id, now)
            .await?;
        let event = Event::new(Action::AuthLogin, events::Subject::User(user_id));
        events::record(&mut tx, org_id, actor, event, now).await?;
        tx.commit().await?;
        Ok(Outcome::Done(pair))
    }

    /// Locks a family, and checks whether it may be refreshed with this token.
    async fn check(
        &self,
        tx: &mut Tx,
        target: Target,
        user_id: UserId,
        now: OffsetDateTime,
    ) -> Result<Outcome<Live>, Refusal> {
        let (org_id, family_id) = (target.org_id, target.family_id);
        let family = families::lock_even_revoked(tx, org_id, user_id, family_id)
            .await?
            .ok_or(Refusal::INVALID_TOKEN)?;
        let mut unused = None;
        if let Some(token_id) = target.token_id {
            let replaced_at = refresh_tokens::find_replaced_at(tx, family_id, token_id)
                .await?
                .ok_or(Refusal::INVALID_TOKEN)?;
            match replaced_at {
                _ if family.is_spent => return Ok(Outcome::Reused),
                None => unused = Some(token_id),
                Some(replaced_at) if now <= replaced_at + self.settings.reuse_leeway => {}
                Some(_) => return Ok(Outcome::Reused),
            }
        }
        if !family.is_revoked {
            let member = members::store::find_live(tx, org_id, user_id, family_id).await?;
            let role = member.ok_or(Refusal::INVALID_TOKEN)?.role;
            let end = family.ends_at;
            return Ok(Outcome::Done(Live {
                role,
                unused,
                end,
                is_by_provider: family.provider_id.is_some(),
            }));
        }
        let next = family.continued_by.ok_or(Refusal::INVALID_TOKEN)?;
        let next_org = families::find_org(tx, user_id, next).await?;
        Ok(Outcome::Elsewhere(Target {
            org_id: next_org.ok_or(Refusal::INVALID_TOKEN)?,
            family_id: next,
            token_id: None,
        }))
    }
}
