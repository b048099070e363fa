//! Opening an account as an operator: without a code, a session or a mail, whatever `SIGNUP` is set to.

use std::net::{IpAddr, Ipv4Addr};

use time::OffsetDateTime;

use super::{Accounts, Registration, join::claim, model::User};
use crate::{
    events::Actor,
    members,
    orgs::{self, model::Organization},
    unit::{Committed, Unit},
};
use base::refusal::Refusal;

const EMAIL_TAKEN: &str = "email already registered";
const UNINVITED: &str =
    "no organization invites this address: name one of its own, or have it invited first";
/// Operators work on this machine.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A new account and the organization that its holder signs in to first.
#[derive(Debug)]
pub struct Opened {
    pub user: User,
    pub organization: Organization,
}

impl Accounts {
    /// Opens an account with an organization of its own, or for an invited address. The operator vouches for the address: it
    /// counts as proven, and its pending memberships become active.
    pub async fn open(
        &self,
        registration: Registration,
        now: OffsetDateTime,
    ) -> Result<Opened, Refusal> {
        let password = registration.password.into_secret();
        let password_hash = self.hasher.hash(password, HERE).await?;
        let user = User::new(&registration.email, registration.name, true, now);

        let actor = Actor::Operator;
        let mut tx = self.db.begin().await?;
        let (user, former_name) = claim(&mut tx, &registration.email, &user, &password_hash)
            .await?
            .ok_or_else(|| Refusal::conflict(EMAIL_TAKEN))?;
        let joins = members::record_joined(&mut tx, actor, &user, &former_name, now).await?;
        let (mut unit, organization, opened) = match registration.organization {
            Some(new) => {
                let (unit, organization, _, opened) =
                    self.make_owner(tx, &user, new, actor, now).await?;
                (unit, organization, opened)
            }
            None => {
                let invited = members::store::find_newest(&mut tx, user.id).await?;
                let member = invited.ok_or_else(|| Refusal::invalid(UNINVITED))?;
                let organization = orgs::store::get(&mut tx, member.org_id).await?;
                let mut unit = Unit::within(tx, organization.id, actor, now);
                let opened = unit.record(user.registered(), ()).await?;
                (unit, organization, opened)
            }
        };
        joins.write(&mut unit).await?;
        // No wait for edges: there is no API key yet to ask them with.
        let Committed { .. } = unit.commit(opened).await?;
        Ok(Opened { user, organization })
    }
}
