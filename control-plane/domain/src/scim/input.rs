//! The bodies of POST and PUT for a user. Unsupported attributes are ignored.

use super::{
    fields::{self, Fields},
    model::{Attributes, Emails, PersonName},
    refused::{Refused, invalid_value},
    schemas::USER,
};
use base::input::Patch;

/// A whole user as sent by a client.
#[derive(Debug, Default)]
pub struct Wanted {
    pub user_name: Option<String>,
    pub external_id: Patch<String>,
    pub name: Patch<PersonName>,
    pub emails: Patch<Emails>,
    pub active: Option<bool>,
}

impl Wanted {
    pub fn check(mut body: Fields) -> Result<Self, Refused> {
        body.require_schema(USER)?;
        let mut wanted = Self::default();
        if let Some(value) = body.take("username") {
            wanted.user_name = fields::text("userName", value)?;
        }
        if let Some(value) = body.take("externalid") {
            let text = fields::text("externalId", value)?;
            wanted.external_id = text.map_or(Patch::Clear, Patch::Set);
        }
        if let Some(value) = body.take("name") {
            wanted.name = match name(value)? {
                name if name.is_empty() => Patch::Clear,
                name => Patch::Set(name),
            };
        }
        if let Some(value) = body.take("emails") {
            wanted.emails = match fields::emails(value)? {
                emails if emails.0.is_empty() => Patch::Clear,
                emails => Patch::Set(emails),
            };
        }
        if let Some(value) = body.take("active").filter(|value| !value.is_null()) {
            wanted.active = Some(fields::boolean("active", &value)?);
        }
        Ok(wanted)
    }

    /// A new user. A missing `userName` defaults to the first address.
    pub fn into_new(self) -> Result<NewUser, Refused> {
        let emails = self.emails.or_empty().unwrap_or_default();
        let first = emails.0.first().map(|email| email.value.clone());
        let user_name = self
            .user_name
            .or(first)
            .ok_or_else(|| invalid_value("userName is required"))?;
        Ok(NewUser {
            attributes: Attributes {
                user_name,
                external_id: self.external_id.or_empty().filter(|text| !text.is_empty()),
                name: self.name.or_empty().unwrap_or_default(),
                emails,
            },
            active: self.active.unwrap_or(true),
        })
    }

    /// Applies it to an existing user. A body with a `userName` replaces external id and name even if they are missing.
    /// Addresses, which give access to accounts, are only removed explicitly.
    pub fn apply(self, to: &Attributes) -> Attributes {
        let mut made = to.clone();
        if let Some(user_name) = self.user_name {
            made.user_name = user_name;
            made.external_id = None;
            made.name = PersonName::default();
        }
        self.external_id.write_to(&mut made.external_id);
        if let Some(name) = self.name.or_empty() {
            made.name = name;
        }
        if let Some(emails) = self.emails.or_empty() {
            made.emails = emails;
        }
        made
    }
}

#[derive(Debug)]
pub struct NewUser {
    pub attributes: Attributes,
    pub active: bool,
}

fn name(value: serde_json::Value) -> Result<PersonName, Refused> {
    if value.is_null() {
        return Ok(PersonName::default());
    }
    let mut given = Fields::of("name", value)?;
    let mut part = |name: &str, field: &str| {
        let value = given.take(field).unwrap_or_default();
        fields::text(name, value)
    };
    Ok(PersonName {
        formatted: part("name.formatted", "formatted")?,
        given: part("name.givenName", "givenname")?,
        family: part("name.familyName", "familyname")?,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn wanted(body: Value) -> Wanted {
        Wanted::check(Fields::of("body", body).unwrap()).unwrap()
    }

    fn ada() -> Attributes {
        let body = json!({
            "userName": "ada", "externalId": "1", "name": {"givenName": "Ada"},
            "emails": [{"value": "ada@x.test"}],
        });
        wanted(body).into_new().unwrap().attributes
    }

    #[test]
    fn the_first_address_stands_for_a_missing_user_name() {
        let two = json!([{"value": "A@x.test"}, {"value": "b@x.test", "primary": true}]);
        let new = wanted(json!({"emails": two})).into_new().unwrap();
        assert_eq!(new.attributes.user_name, "A@x.test");
        assert!(new.active);
        for body in [json!({}), json!({"userName": " ", "emails": []})] {
            assert!(wanted(body).into_new().is_err());
        }
    }

    #[test]
    fn a_body_that_names_the_user_is_a_whole_one() {
        let made = wanted(json!({"userName": "Ada"})).apply(&ada());
        let emails = ada().emails;
        let user_name = "Ada".to_owned();
        assert_eq!(
            made,
            Attributes {
                user_name,
                emails,
                ..Attributes::default()
            }
        );
        assert_eq!(wanted(json!({"active": false})).apply(&ada()), ada());
        let cleared = wanted(json!({"externalId": null, "emails": []})).apply(&ada());
        assert_eq!((cleared.external_id, cleared.emails.0.len()), (None, 0));
        assert_eq!(cleared.name, ada().name);
    }
}
