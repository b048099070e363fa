//! What both ways to sign up end with: an organization of the new user's, all that it starts with, and a first session.

use std::net::IpAddr;

use serde_json::json;
use time::OffsetDateTime;

use super::{Accounts, model::User, sessions::SessionError, tokens::TokenPair};
use crate::{
    audit::{
        self,
        model::{Actor, Entry},
    },
    db::{self, Tx},
    ids::MemberId,
    members::{
        self,
        model::{Membership, Role},
    },
    orgs::{self, model::Organization},
    projects::seed::{self, SeedError},
};

/// A new account, signed in.
#[derive(Debug)]
pub struct Founded {
    /// The owner.
    pub user: User,
    /// The new organization.
    pub organization: Organization,
    /// The first sign-in.
    pub tokens: TokenPair,
}

/// A fault of founding an organization.
#[derive(Debug, thiserror::Error)]
pub enum FoundError {
    /// The new organization could not be furnished.
    #[error("making the default project")]
    Seed(#[from] SeedError),
    /// The owner could not be signed in.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl Accounts {
    /// Makes the user the owner of a new organization on trial, with its default project, and signs them in.
    pub(super) async fn found(
        &self,
        tx: &mut Tx,
        user: User,
        org_name: String,
        data_region: &str,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Founded, FoundError> {
        let trial_length = self.settings.trial_length;
        let organization = orgs::create(tx, org_name, data_region, trial_length, now).await?;
        let member = Membership {
            id: MemberId::new(now),
            org_id: organization.id,
            user_id: user.id,
            role: Role::Owner,
        };
        members::store::insert(tx, &member, now).await?;

        let actor = Actor::User {
            id: user.id,
            ip: Some(ip),
        };
        let entry = Entry::new(organization.id, actor, "auth.registered")
            .on(user.id)
            .after(&json!({"user": user, "organization": organization}));
        audit::store::record(tx, entry, now).await?;
        // Nobody waits for the edges: there is no API key yet to ask them with.
        let _change = seed::default_project(tx, organization.id, actor, now).await?;
        let tokens = self.open_session(tx, &member, data_region, now).await?;
        Ok(Founded {
            user,
            organization,
            tokens,
        })
    }
}
