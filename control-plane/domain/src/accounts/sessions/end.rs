//! Ending sessions: the caller's own ones, those of a page, and those of a stolen token.

use std::{collections::BTreeSet, net::IpAddr};

use time::OffsetDateTime;

use crate::{
    accounts::{
        Accounts,
        store::{families, users},
    },
    events::{self, Action, Actor, Event, Subject},
    members::caller::Caller,
};
use base::{
    config::Page,
    db::{self, Tx},
    ids::{FamilyId, OrgId, UserId},
    mail::Template,
    refusal::{Missing, Refusal},
};

impl Accounts {
    /// Revokes the caller's family at once, with its access and refresh tokens and the families that continue it.
    pub async fn logout(
        &self,
        caller: &Caller,
        family_id: FamilyId,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        self.end_all_of(caller.user_id, family_id, caller.ip, now)
            .await
    }

    /// Ends the session of a page, whatever became of its token. Ignores invalid tokens.
    pub async fn close_page_session(
        &self,
        token: &str,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        let Ok(claims) = self.read_refresh_token(token, now) else {
            return Ok(());
        };
        self.end_all_of(claims.sub, claims.sid, ip, now).await
    }

    /// Of two concurrent calls, only one ends and records a session.
    async fn end_all_of(
        &self,
        user_id: UserId,
        family_id: FamilyId,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        let mut tx = self.db.begin().await?;
        let line = end_line(&mut tx, user_id, family_id, now).await?;
        for part in line.iter().filter(|part| part.has_ended) {
            record_logout(&mut tx, part.org_id, user_id, ip, now).await?;
        }
        tx.commit().await
    }

    /// Ends one of the caller's own sessions, also one in another organization.
    pub async fn end_session(
        &self,
        caller: &Caller,
        id: FamilyId,
        now: OffsetDateTime,
    ) -> Result<(), Refusal> {
        let mut tx = self.db.begin().await?;
        let ended = families::revoke_own(&mut tx, caller.user_id, id, now).await?;
        let org_id = ended.ok_or(Missing::Session)?;
        record_logout(&mut tx, org_id, caller.user_id, caller.ip, now).await?;
        Ok(tx.commit().await?)
    }

    /// Ends the family of a reused token and the families that continue it: only a copy can have been sent. Records it in the
    /// organizations concerned, and mails the user, once.
    pub(super) async fn end_reused(
        &self,
        user_id: UserId,
        family_id: FamilyId,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        let mut tx = self.db.begin().await?;
        let line = end_line(&mut tx, user_id, family_id, now).await?;
        if line.iter().all(|part| !part.has_ended) {
            return Ok(());
        }
        let orgs: BTreeSet<_> = line.iter().map(|part| part.org_id).collect();
        for org_id in orgs {
            let reused = Event::new(Action::AuthTokenReused, Subject::User(user_id));
            events::record(&mut tx, org_id, Actor::user(user_id, ip), reused, now).await?;
        }
        let user = users::get(&mut tx, user_id).await?;
        let notice = Template::SessionEnded {
            name: &user.name,
            link: &self.urls.page(Page::ForgotPassword),
        };
        self.mailer
            .enqueue(&mut tx, &user.email, &notice, now)
            .await?;
        tx.commit().await?;
        tracing::warn!(family.id = %family_id, "a replaced refresh token was reused: its family is revoked");
        Ok(())
    }
}

struct Part {
    org_id: OrgId,
    has_ended: bool,
}

/// Revokes and returns a family and those that continue it. Locks them one after the other, so that a continuation in progress
/// is waited for.
async fn end_line(
    tx: &mut Tx,
    user_id: UserId,
    family_id: FamilyId,
    now: OffsetDateTime,
) -> db::Result<Vec<Part>> {
    let mut line = Vec::new();
    let mut next = Some(family_id);
    while let Some(id) = next {
        let Some(org_id) = families::find_org(tx, user_id, id).await? else {
            break;
        };
        let Some(family) = families::lock_even_revoked(tx, org_id, user_id, id).await? else {
            break;
        };
        let has_ended = families::revoke(tx, org_id, id, now).await?;
        line.push(Part { org_id, has_ended });
        next = family.continued_by;
    }
    Ok(line)
}

async fn record_logout(
    tx: &mut Tx,
    org_id: OrgId,
    user_id: UserId,
    ip: IpAddr,
    now: OffsetDateTime,
) -> db::Result<()> {
    let actor = Actor::user(user_id, ip);
    let event = Event::new(Action::AuthLogout, Subject::User(user_id));
    events::record(tx, org_id, actor, event, now).await
}
