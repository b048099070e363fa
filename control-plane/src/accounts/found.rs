//! The last step of both ways to sign up: an organization for the new user, with all it starts with, and a session.

use std::net::IpAddr;

use serde_json::json;
use time::OffsetDateTime;

use super::{Accounts, model::User, tokens::TokenPair};
use crate::{
    db::Tx,
    events::{Action, Actor, Event, Subject},
    ids::MemberId,
    lifecycle::activity::arrive,
    members::{
        self,
        model::{Membership, Role},
    },
    orgs::{self, model::Organization},
    projects::change as projects,
    refusal::Refusal,
    unit::{Recorded, Unit},
};

/// A new account, signed in.
#[derive(Debug)]
pub struct Founded {
    pub user: User,
    pub organization: Organization,
    pub tokens: TokenPair,
}

impl Accounts {
    /// Makes the user the owner of a new organization on trial with its default project, and signs them in.
    pub(super) async fn found(
        &self,
        mut tx: Tx,
        user: User,
        org_name: String,
        data_region: &str,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<(Unit, Recorded<Founded>), Refusal> {
        let trial_length = self.settings.trial_length;
        let organization = orgs::create(&mut tx, org_name, data_region, trial_length, now).await?;
        let member = Membership {
            id: MemberId::new(now),
            org_id: organization.id,
            user_id: user.id,
            role: Role::Owner,
        };
        members::store::insert(&mut tx, &member, now).await?;

        let actor = Actor::user(user.id, ip);
        let mut unit = Unit::within(tx, organization.id, actor, now);
        let registered = Event::created(
            Action::AuthRegistered,
            Subject::User(user.id),
            &json!({"user": user, "organization": organization}),
        );
        let registered = unit.record(registered, ()).await?;
        // Whatever it is, it is nothing that the client could change.
        let project = projects::create_default(&mut unit)
            .await
            .map_err(|refusal| Refusal::Fault(refusal.into()))?;
        let arrived = arrive(&mut unit, organization.id, actor, now)
            .await?
            .expect("this transaction made the organization");
        let tokens = self.open_session(&mut unit, &member, &arrived, now).await?;
        let founded = registered.and(project).map(|_| Founded {
            user,
            organization,
            tokens,
        });
        Ok((unit, founded))
    }
}
