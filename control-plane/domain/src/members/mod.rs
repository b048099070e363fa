//! Membership of organizations, and roles.
//!
//! Changes of members are serialized: inviting, changing or removing one takes the organization's lock
//! ([`crate::orgs::store::lock`]), so seats are counted exactly and an owner always remains. Permissions are checked on each
//! request, so a change takes effect at once.

pub mod caller;
pub mod change;
pub mod input;
pub mod invite;
pub mod model;
pub mod permissions;
pub mod sessions;
pub mod store;
pub mod suspend;

use time::OffsetDateTime;

use self::{model::Member, store::Joined};
use crate::{
    accounts::model::User,
    events::{
        self, Action, Actor, Event, Subject,
        contents::MAX_OF_A_UNIT,
        outbox::{self, NewOutboxEvent},
    },
};
use base::{
    db::{self, Tx},
    ids::{OrgId, UserId},
};

/// What is left to tell webhooks of those who joined, at the end of the transaction: it locks a row that all changes of the
/// organization contend for.
#[derive(Debug, Default)]
#[must_use = "webhooks are notified at the end of the transaction"]
pub struct Joins(Vec<(OrgId, Actor, NewOutboxEvent)>);

impl Joins {
    async fn record(
        &mut self,
        tx: &mut Tx,
        org_id: OrgId,
        actor: Actor,
        event: Event,
        now: OffsetDateTime,
    ) -> db::Result<()> {
        let mut room = MAX_OF_A_UNIT;
        if let Some(outgoing) = NewOutboxEvent::of(&event, &mut room, now) {
            self.0.push((org_id, actor, outgoing));
        }
        events::record(tx, org_id, actor, event, now).await
    }

    /// Writes the events of webhooks. Organizations are locked in the order of their ids.
    pub async fn write(mut self, tx: &mut Tx) -> db::Result<()> {
        self.0.sort_by_key(|(org_id, ..)| *org_id);
        for (org_id, actor, event) in self.0 {
            outbox::write(tx, org_id, actor, &[event]).await?;
        }
        Ok(())
    }
}

/// Records in the audit log of each organization that invited the user that they have claimed their account. `former_name` is
/// its name until then, the address or one set by an identity provider. Organizations that did not create the account had a
/// name of their own for it.
pub async fn record_joined(
    tx: &mut Tx,
    actor: Actor,
    user: &User,
    former_name: &str,
    now: OffsetDateTime,
) -> db::Result<Joins> {
    let mut joins = Joins::default();
    for Joined { member, known_as } in store::claim_all(tx, user.id).await? {
        let invited = Member {
            name: known_as.unwrap_or_else(|| former_name.to_owned()),
            ..member.clone()
        };
        let subject = Subject::Member(member.id);
        let event = Event::updated(Action::MemberJoined, subject, &invited, &member);
        joins.record(tx, member.org_id, actor, event, now).await?;
    }
    Ok(joins)
}

/// Activates memberships that waited for a proof of the password, and records in each organization that the user has joined.
/// The system is the actor: the user's name stays private until they sign in there.
pub async fn begin_waiting(tx: &mut Tx, user_id: UserId, now: OffsetDateTime) -> db::Result<Joins> {
    let mut joins = Joins::default();
    for (org_id, member_id) in store::begin_waiting(tx, user_id).await? {
        let event = Event::new(Action::MemberJoined, Subject::Member(member_id));
        joins.record(tx, org_id, Actor::System, event, now).await?;
    }
    Ok(joins)
}
