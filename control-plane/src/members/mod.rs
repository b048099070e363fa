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
pub mod routes;
pub mod store;
pub mod suspend;

use time::OffsetDateTime;

use self::model::Member;
use crate::{
    accounts::model::User,
    db::{self, Tx},
    events::{self, Action, Actor, Event, Subject},
};

/// Records in the audit trail of each organization that had made the user a member that they have now claimed their account.
/// Until then it had `former_name`: the address, or what an identity provider called them.
pub async fn record_joined(
    tx: &mut Tx,
    actor: Actor,
    user: &User,
    former_name: &str,
    now: OffsetDateTime,
) -> db::Result<()> {
    for joined in store::list_of_user(tx, user.id).await? {
        let invited = Member {
            name: former_name.to_owned(),
            ..joined.clone()
        };
        let subject = Subject::Member(joined.id);
        let event = Event::updated(Action::MemberJoined, subject, &invited, &joined);
        events::record(tx, joined.org_id, actor, event, now).await?;
    }
    Ok(())
}
