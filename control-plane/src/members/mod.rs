//! Who belongs to an organization, and as what.
//!
//! Members are changed one after the other: whoever invites, changes or removes one holds the organization's lock
//! ([`crate::orgs::store::lock`]), so seats are counted exactly and an owner is always left. What a role may do is asked at each
//! request, so a change acts at once.

pub mod caller;
pub mod change;
pub mod input;
pub mod invite;
pub mod model;
pub mod permissions;
pub mod routes;
pub mod store;

use std::net::IpAddr;

use time::OffsetDateTime;

use self::model::Member;
use crate::{
    accounts::model::User,
    db::{self, Tx},
    events::{self, Action, Actor, Event, Subject},
};

/// Tells the trails of the organizations that had invited a user that they claimed their account just now. Until then their
/// name was their address.
pub async fn record_joined(
    tx: &mut Tx,
    user: &User,
    ip: IpAddr,
    now: OffsetDateTime,
) -> db::Result<()> {
    let actor = Actor::user(user.id, ip);
    for joined in store::list_of_user(tx, user.id).await? {
        let invited = Member {
            name: user.email.clone(),
            ..joined.clone()
        };
        let subject = Subject::Member(joined.id);
        let event = Event::updated(Action::MemberJoined, subject, &invited, &joined);
        events::record(tx, joined.org_id, actor, event, now).await?;
    }
    Ok(())
}
