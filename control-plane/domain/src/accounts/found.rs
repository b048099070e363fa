//! Creates the organization of a new user: the last step of both ways to sign up, unless the user joins the one that invited
//! them ([`super::join`]).

use serde_json::json;
use time::OffsetDateTime;

use super::{Accounts, Device, model::User, tokens::TokenPair};
use crate::{
    events::{Action, Actor, Event, Subject},
    members::{
        self,
        model::{Membership, Role},
    },
    orgs::{self, activity::arrive, model::Organization},
    projects::change as projects,
    unit::{Recorded, Unit},
};
use base::{db::Tx, refusal::Refusal};

#[derive(Debug)]
pub struct Founded {
    pub user: User,
    pub organization: Organization,
    pub tokens: TokenPair,
}

#[derive(Debug)]
pub struct NewOrganization {
    pub name: String,
    pub data_region: String,
}

impl Accounts {
    /// Makes the user the owner of a new organization with its default project, and opens a session.
    pub(super) async fn found(
        &self,
        tx: Tx,
        user: User,
        new: NewOrganization,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<(Unit, Recorded<Founded>), Refusal> {
        let actor = Actor::user(user.id, device.ip);
        let (mut unit, organization, member, made) =
            self.make_owner(tx, &user, new, actor, now).await?;
        let arrived = arrive(&mut unit, organization.id, actor, now)
            .await?
            .expect("this transaction made the organization");
        let tokens = self
            .open_session(&mut unit, &member, &arrived, device, now)
            .await?;
        let founded = made.map(|()| Founded {
            user,
            organization,
            tokens,
        });
        Ok((unit, founded))
    }

    pub(super) async fn make_owner(
        &self,
        mut tx: Tx,
        user: &User,
        new: NewOrganization,
        actor: Actor,
        now: OffsetDateTime,
    ) -> Result<(Unit, Organization, Membership, Recorded<()>), Refusal> {
        let NewOrganization { name, data_region } = new;
        let first_plan = self.settings.first_plan;
        let organization = orgs::create(&mut tx, name, &data_region, first_plan, now).await?;
        let member = Membership::new(organization.id, user.id, Role::Owner, now);
        members::store::insert(&mut tx, &member, now).await?;

        let mut unit = Unit::within(tx, organization.id, actor, now);
        let registered = Event::created(
            Action::AuthRegistered,
            Subject::User(user.id),
            &json!({"user": user, "organization": organization}),
        );
        let registered = unit.record(registered, ()).await?;
        // An internal error: the client could not correct the request.
        let project = projects::create_default(&mut unit)
            .await
            .map_err(|refusal| Refusal::Fault(refusal.into()))?;
        Ok((
            unit,
            organization,
            member,
            registered.and(project).map(drop),
        ))
    }
}
