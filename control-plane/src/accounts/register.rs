//! Registering: a user, an organization of theirs, and everything a new organization starts with, in one transaction.

use std::net::IpAddr;

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{
    Accounts,
    email::Email,
    hasher::HashError,
    model::{self, User},
    password::NewPassword,
    sessions::SessionError,
    store::users::{self, InsertError},
    tokens::TokenPair,
};
use crate::{
    audit::{
        self,
        model::{Actor, Entry},
    },
    config::AccountSettings,
    db,
    ids::{MemberId, UserId},
    input::Invalid,
    members::{
        self,
        model::{Member, Role},
    },
    orgs::{self, model::Organization},
    projects::seed::{self, SeedError},
};

/// What a sign-up asks for, checked.
#[derive(Debug)]
pub struct Registration {
    email: Email,
    password: NewPassword,
    name: String,
    org_name: String,
    data_region: String,
}

/// The fields of a sign-up as they were sent. All but the last are required.
#[derive(Deserialize, ToSchema)]
pub struct RawRegistration {
    /// Address of the owner.
    pub email: Option<String>,
    /// Password of the owner.
    pub password: Option<String>,
    /// Name of the owner.
    pub name: Option<String>,
    /// Name of the organization.
    pub org_name: Option<String>,
    /// Where the organization's data lives; the service's first region when absent.
    pub data_region: Option<String>,
}

impl Registration {
    /// Checks the fields.
    ///
    /// # Errors
    /// The first rule that one of them breaks.
    pub fn check(raw: RawRegistration, settings: &AccountSettings) -> Result<Self, Invalid> {
        let regions = &settings.data_regions;
        Ok(Self {
            email: Email::parse(raw.email.as_deref())?,
            password: NewPassword::parse(raw.password)?,
            name: model::signup_name("name", raw.name)?,
            org_name: model::signup_name("org_name", raw.org_name)?,
            data_region: match raw.data_region {
                None => regions.first().cloned().unwrap_or_default(),
                Some(region) if regions.contains(&region) => region,
                Some(_) => return Err(Invalid::new("unknown data_region")),
            },
        })
    }
}

/// A new account, signed in.
#[derive(Debug)]
pub struct Registered {
    /// The owner.
    pub user: User,
    /// The new organization.
    pub organization: Organization,
    /// The first sign-in.
    pub tokens: TokenPair,
}

/// Why nobody was registered.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// The address has an account.
    #[error("email already registered")]
    EmailTaken,
    /// The password could not be hashed.
    #[error(transparent)]
    Hash(#[from] HashError),
    /// The new organization could not be furnished.
    #[error("making the default project")]
    Seed(#[from] SeedError),
    /// The new user could not be signed in.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl From<InsertError> for RegisterError {
    fn from(error: InsertError) -> Self {
        match error {
            InsertError::EmailTaken => Self::EmailTaken,
            InsertError::Database(source) => Self::Database(source),
        }
    }
}

impl Accounts {
    /// Registers a user as the owner of a new organization on trial, and signs them in.
    ///
    /// # Errors
    /// When the address has an account, or on a fault.
    pub async fn register(
        &self,
        registration: Registration,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Registered, RegisterError> {
        let password_hash = self
            .hasher
            .hash(registration.password.into_secret())
            .await?;
        let user = User {
            id: UserId::new(now),
            email: registration.email.into(),
            name: registration.name,
            email_verified: false,
            created_at: now,
        };

        let mut tx = self.db.begin().await?;
        users::insert(&mut tx, &user, &password_hash).await?;
        let organization = orgs::create(
            &mut tx,
            registration.org_name,
            &registration.data_region,
            self.settings.trial_length,
            now,
        )
        .await?;
        let member = Member {
            id: MemberId::new(now),
            org_id: organization.id,
            user_id: user.id,
            role: Role::Owner,
        };
        members::store::insert(&mut tx, &member, now).await?;
        // Nobody waits for the edges: there is no API key yet to ask them with.
        let _change = seed::default_project(&mut tx, organization.id, now).await?;

        let actor = Actor::User {
            id: user.id,
            ip: Some(ip),
        };
        let entry = Entry::new(organization.id, actor, "auth.registered").on(user.id);
        audit::store::record(&mut tx, entry, now).await?;
        let tokens = self
            .open_session(&mut tx, &member, &registration.data_region, now)
            .await?;
        tx.commit().await?;

        Ok(Registered {
            user,
            organization,
            tokens,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn check(change: impl FnOnce(&mut RawRegistration)) -> Result<Registration, String> {
        let settings = AccountSettings {
            data_regions: vec!["us".to_owned(), "eu".to_owned()],
            trial_length: Duration::ZERO,
            reuse_leeway: Duration::ZERO,
        };
        let mut raw = RawRegistration {
            email: Some("ada@example.com".to_owned()),
            password: Some("Passw0rd!".to_owned()),
            name: Some("Ada".to_owned()),
            org_name: Some("Acme".to_owned()),
            data_region: None,
        };
        change(&mut raw);
        Registration::check(raw, &settings).map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn the_first_region_is_the_default() {
        assert_eq!(check(|_| {}).unwrap().data_region, "us");
        assert_eq!(
            check(|raw| raw.data_region = Some("eu".to_owned()))
                .unwrap()
                .data_region,
            "eu"
        );
        let refused = check(|raw| raw.data_region = Some("mars".to_owned()));
        assert_eq!(refused.unwrap_err(), "unknown data_region");
    }

    #[test]
    fn every_other_field_is_required() {
        assert_eq!(
            check(|raw| raw.email = None).unwrap_err(),
            "email is required"
        );
        assert_eq!(
            check(|raw| raw.password = None).unwrap_err(),
            "password is required"
        );
        assert_eq!(
            check(|raw| raw.name = None).unwrap_err(),
            "name is required"
        );
        assert_eq!(
            check(|raw| raw.org_name = None).unwrap_err(),
            "org_name is required"
        );
    }
}
