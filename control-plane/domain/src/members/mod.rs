//! Who belongs to an organization, and as what.
//!
//! Members are changed one after the other: inviting, changing or removing one takes the organization's lock
//! ([`crate::orgs::store::lock`]), so seats are counted exactly and an owner always remains. Permissions are checked on
//! each request, so a change takes effect at once.

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

/// Records in the audit trail of each organization that had made the user a member that they have now claimed their account.
/// Until then it had `former_name`: the address, or what an identity provider called them. Organizations that did not make the
/// account had a name of their own for it.
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

/// Lets the user act by the memberships that waited until somebody proves the password, and records in each organization that they
/// have joined. Not as the user: what they are called is for them to tell, by signing in there.
pub async fn begin_waiting(tx: &mut Tx, user_id: UserId, now: OffsetDateTime) -> db::Result<()> {
    for (org_id, member_id) in store::begin_waiting(tx, user_id).await? {
        let event = Event::new(Action::MemberJoined, Subject::Member(member_id));
        events::record(tx, org_id, Actor::System, event, now).await?;
    }
    Ok(())
}
