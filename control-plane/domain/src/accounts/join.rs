//! Joining the inviting organization: the last step of a sign-up that asks for no organization of its own.

use std::net::IpAddr;

use time::OffsetDateTime;

use super::{
    Accounts, Device,
    email::Email,
    found::Founded,
    model::User,
    store::{stubs, users},
};
use crate::{
    events::Actor,
    members::{
        self,
        model::{Membership, Role},
    },
    orgs::{
        self,
        activity::{Arrived, arrive},
        model::Organization,
    },
    sign_in,
    unit::{Recorded, Unit},
};
use base::{
    db::{self, Tx},
    refusal::Refusal,
};

/// An existing organization and a user whose membership is locked until the transaction ends.
#[derive(Debug)]
pub(super) struct Joining {
    pub(super) organization: Organization,
    member: Membership,
    arrived: Arrived,
}

/// Stores a new user, or hands over the stub account of their address; returns the account and the name it had before. `None`
/// if the address has an account with a password.
pub(super) async fn claim(
    tx: &mut Tx,
    email: &Email,
    user: &User,
    password_hash: &str,
) -> db::Result<Option<(User, String)>> {
    let stub = users::find_credentials(tx, email).await?;
    let former_name = stub.map_or_else(|| user.email.clone(), |stub| stub.user.name);
    let claimed = stubs::insert_or_claim(tx, user, password_hash).await?;
    Ok(claimed.map(|user| (user, former_name)))
}

/// The organization that invited the user last, if any. Locks the membership until the transaction ends.
pub(super) async fn newest_invitation(
    tx: &mut Tx,
    user: &User,
    ip: IpAddr,
    now: OffsetDateTime,
) -> db::Result<Option<Joining>> {
    let actor = Actor::user(user.id, ip);
    while let Some(member) = members::store::find_newest(tx, user.id).await? {
        // Before the membership is locked: see the order of locks in `lifecycle`.
        let Some(arrived) = arrive(tx, member.org_id, actor, now).await? else {
            continue;
        };
        // An invitation withdrawn concurrently leaves no session behind; an older one may remain.
        if members::store::lock(tx, member.org_id, member.id).await? {
            let mut organization = orgs::store::get(tx, member.org_id).await?;
            organization.plan = organization.plan.at(organization.trial_expires_at, now);
            return Ok(Some(Joining {
                organization,
                member,
                arrived,
            }));
        }
    }
    Ok(None)
}

impl Accounts {
    pub(super) async fn join(
        &self,
        tx: Tx,
        user: User,
        joining: Joining,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<(Unit, Recorded<Founded>), Refusal> {
        let Joining {
            organization,
            member,
            arrived,
        } = joining;
        let mut tx = tx;
        if member.role != Role::Owner
            && sign_in::store::is_required(&mut tx, organization.id).await?
        {
            return Err(sign_in::BY_PROVIDER);
        }
        let mut unit = Unit::within(tx, organization.id, Actor::user(user.id, device.ip), now);
        let tokens = self
            .open_session(&mut unit, &member, &arrived, device, now)
            .await?;
        let registered = user.registered();
        let joined = Founded {
            user,
            organization,
            tokens,
        };
        let joined = unit.record(registered, joined).await?;
        Ok((unit, joined))
    }
}
