//! Registering in one step: the address is proven later, if ever.

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{
    Accounts, Device,
    email::Email,
    found::{Founded, NewOrganization},
    model::User,
    password::NewPassword,
    settings::AccountSettings,
    store::users,
};
use base::{
    input::{Invalid, all_given, has_text, proper_name},
    refusal::Refusal,
};

#[derive(Debug)]
pub struct Registration {
    pub(super) email: Email,
    pub(super) password: NewPassword,
    pub(super) name: String,
    /// The organization to create; `None` to join one that invited the user.
    pub(super) organization: Option<NewOrganization>,
}

/// The fields of a sign-up as they were sent. Those about the owner are required.
#[derive(Deserialize, ToSchema)]
#[schema(as = Registration)]
pub struct RawRegistration {
    /// Address of the owner.
    #[schema(value_type = String)]
    pub email: Option<String>,
    /// Password of the owner.
    #[schema(value_type = String)]
    pub password: Option<String>,
    /// Name of the owner.
    #[schema(value_type = String)]
    pub name: Option<String>,
    /// Name of the organization. Required, except for somebody who was invited and begins at initiate-signup: without it none is
    /// made for them, and they join the one that invited them last.
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
        let password = NewPassword::parse("password", raw.password)?;
        let name = proper_name("name", raw.name)?;
        let org_name = has_text(&raw.org_name)
            .then(|| proper_name("org_name", raw.org_name))
            .transpose()?;
        let data_region = match raw.data_region {
            None => regions.first().cloned().unwrap_or_default(),
            Some(region) if regions.contains(&region) => region,
            Some(_) => return Err(Invalid::new("unknown data_region")),
        };
        Ok(Self {
            email,
            password,
            name,
            organization: org_name.map(|name| NewOrganization { name, data_region }),
        })
    }
}

/// The organization to create, required of users who join no other.
pub(super) fn own(organization: Option<NewOrganization>) -> Result<NewOrganization, Invalid> {
    organization.ok_or_else(|| Invalid::new("org_name is required"))
}

impl Accounts {
    /// Registers a user as the owner of a new organization, signs them in, and enqueues the mail with the verification link.
    /// Public callers must check [`Self::allow_uninvited`] first.
    pub async fn register(
        &self,
        registration: Registration,
        device: &Device,
        now: OffsetDateTime,
    ) -> Result<Founded, Refusal> {
        let organization = own(registration.organization)?;
        let password_hash = self
            .hasher
            .hash(registration.password.into_secret(), device.ip)
            .await?;
        let user = User::new(&registration.email, registration.name, false, now);

        let mut tx = self.db.begin().await?;
        users::insert(&mut tx, &user, &password_hash).await?;
        self.queue_verification(&mut tx, &user, now).await?;
        let (unit, founded) = self.found(tx, user, organization, device, now).await?;
        // No wait for edges: there is no API key yet to ask them with.
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
        let region = |region: Option<&str>| {
            let checked = check(|raw| raw.data_region = region.map(str::to_owned))?;
            let organization = own(checked.organization).map_err(|invalid| invalid.to_string())?;
            Ok::<_, String>(organization.data_region)
        };
        assert_eq!(region(None).unwrap(), "us");
        assert_eq!(region(Some("eu")).unwrap(), "eu");
        assert_eq!(region(Some("mars")).unwrap_err(), "unknown data_region");
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
    }

    #[test]
    fn a_name_makes_an_organization_of_ones_own() {
        let named = |name: Option<&str>| check(|raw| raw.org_name = name.map(str::to_owned));
        assert_eq!(
            own(named(Some("Acme")).unwrap().organization).unwrap().name,
            "Acme"
        );
        for name in [None, Some(" ")] {
            let none = own(named(name).unwrap().organization);
            assert_eq!(none.unwrap_err(), Invalid::new("org_name is required"));
        }
        assert!(named(Some("A\nB")).is_err());
    }
}
