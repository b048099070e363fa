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
pub mod store;
pub mod suspend;

use time::OffsetDateTime;

use self::{model::Member, store::Joined};
use crate::{
    accounts::model::User,
    events::{self, Action, Actor, Event, Subject},
};
use base::{
    db::{self, Tx},
    ids::UserId,
};

/// Records in the audit log of each organization that invited the user that they have claimed their account. `former_name` is
/// its name until then, the address or one set by an identity provider. Organizations that did not create the account had a
/// name of their own for it.
pub async fn record_joined(
    tx: &mut Tx,
    actor: Actor,
    user: &User,
    former_name: &str,
    now: OffsetDateTime,
) -> db::Result<()> {
    for Joined { member, known_as } in store::claim_all(tx, user.id).await? {
        let invited = Member {
            name: known_as.unwrap_or_else(|| former_name.to_owned()),
            ..member.clone()
        };
        let subject = Subject::Member(member.id);
        let event = Event::updated(Action::MemberJoined, subject, &invited, &member);
        events::record(tx, member.org_id, actor, event, now).await?;
    }
    Ok(())
}

/// Activates memberships that waited for a proof of the password, and records in each organization that the user has joined.
/// The system is the actor: the user's name stays private until they sign in there.
pub async fn begin_waiting(tx: &mut Tx, user_id: UserId, now: OffsetDateTime) -> db::Result<()> {
    for (org_id, member_id) in store::begin_waiting(tx, user_id).await? {
        let event = Event::new(Action::MemberJoined, Subject::Member(member_id));
        events::record(tx, org_id, Actor::System, event, now).await?;
    }
    Ok(())
}
