//! Ending sessions: one's own, that of a page, another of one's own, and those of a token that was stolen.

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
    db::{self, Tx},
    ids::{FamilyId, OrgId, UserId},
    mail::Template,
    refusal::{Missing, Refusal},
};

impl Accounts {
    /// Revokes the caller's family at once, with its access and refresh tokens. What it goes on as at this moment ends too.
    pub async fn logout(&self, caller: &Caller, now: OffsetDateTime) -> db::Result<()> {
        self.end_all_of(caller.user_id, caller.family_id, caller.ip, now)
            .await
    }

    /// Ends the session of a page, whatever became of the token meanwhile. A token that is none ends nothing.
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

    /// Of two who do this at once, only one ends a session, and is recorded.
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

    /// Ends the family of a token that was reused, and those that it went on as: only a copy can have been sent. The organizations
    /// in which it was used hear of it, and so does the user. Nothing is left to be told when the token is sent again.
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
            link: &format!("{}/forgot-password", self.urls.dashboard),
        };
        self.mailer
            .enqueue(&mut tx, &user.email, &notice, now)
            .await?;
        tx.commit().await?;
        tracing::warn!(family.id = %family_id, "a replaced refresh token was reused: its family is revoked");
        Ok(())
    }
}

/// A family of a line.
struct Part {
    org_id: OrgId,
    /// Whether it was live until now.
    has_ended: bool,
}

/// Revokes a family and those that it went on as, and gives them. One is locked after the other, so
/// that one which is going on as another at this moment is waited for.
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
