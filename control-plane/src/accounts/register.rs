//! Registering in one step: the address is proven later, if ever.

use std::net::IpAddr;

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{
    Accounts, email::Email, found::Founded, model::User, password::NewPassword, store::users,
};
use crate::{
    config::AccountSettings,
    ids::UserId,
    input::{Invalid, all_given, has_text, proper_name},
    refusal::Refusal,
};

/// A sign-up that was checked.
#[derive(Debug)]
pub struct Registration {
    pub(super) email: Email,
    pub(super) password: NewPassword,
    pub(super) name: String,
    pub(super) org_name: String,
    pub(super) data_region: String,
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
    pub fn check(raw: RawRegistration, settings: &AccountSettings) -> Result<Self, Invalid> {
        all_given([
            ("email", has_text(&raw.email)),
            ("password", has_text(&raw.password)),
            ("name", has_text(&raw.name)),
        ])?;
        let regions = &settings.data_regions;
        let email = Email::parse(raw.email.as_deref())?;
        if settings.disposable_domains.include(&email) {
            return Err(Invalid::new("disposable email addresses are not accepted"));
        }
        Ok(Self {
            email,
            password: NewPassword::parse("password", raw.password)?,
            name: proper_name("name", raw.name)?,
            org_name: proper_name("org_name", raw.org_name)?,
            data_region: match raw.data_region {
                None => regions.first().cloned().unwrap_or_default(),
                Some(region) if regions.contains(&region) => region,
                Some(_) => return Err(Invalid::new("unknown data_region")),
            },
        })
    }
}

impl Accounts {
    /// Registers a user as the owner of a new organization on trial, and signs them in. Enqueues the mail with which
    /// they prove their address.
    pub async fn register(
        &self,
        registration: Registration,
        ip: IpAddr,
        now: OffsetDateTime,
    ) -> Result<Founded, Refusal> {
        let password_hash = self
            .hasher
            .hash(registration.password.into_secret(), ip)
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
        self.queue_verification(&mut tx, &user, now).await?;
        let (unit, founded) = self
            .found(
                tx,
                user,
                registration.org_name,
                &registration.data_region,
                ip,
                now,
            )
            .await?;
        // No need to wait for the edges: there is no API key yet to ask them with.
        Ok(unit.commit(founded).await?.made)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serving::settings::Reader;

    use super::*;

    fn check(change: impl FnOnce(&mut RawRegistration)) -> Result<Registration, String> {
        let source = BTreeMap::from([("DATA_REGIONS".to_owned(), "us,eu".to_owned())]);
        let settings = AccountSettings::load(&mut Reader::new(&source));
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
    fn a_disposable_address_is_refused() {
        let refused = check(|raw| raw.email = Some("ada@inbox.Mailinator.com".to_owned()));
        assert_eq!(
            refused.unwrap_err(),
            "disposable email addresses are not accepted"
        );
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
