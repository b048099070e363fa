//! A SCIM user and its rules. The JSON form is in [`super::resource`].

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use crate::accounts::email::Email;
use base::ids::UserId;

pub const MAX_EMAILS: usize = 20;

/// A user of an organization as its identity provider sees them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScimUser {
    /// The account's.
    pub id: UserId,
    pub attributes: Attributes,
    pub is_member: bool,
    /// Whether the membership is usable: their account must not be held with an unproven address.
    pub active: bool,
    pub created_at: OffsetDateTime,
    pub updated_at: OffsetDateTime,
}

/// The attributes set by an identity provider.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attributes {
    pub user_name: String,
    pub external_id: Option<String>,
    pub name: PersonName,
    pub emails: Emails,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonName {
    pub formatted: Option<String>,
    pub given: Option<String>,
    pub family: Option<String>,
}

impl PersonName {
    /// The formatted name, composed of the parts if missing.
    pub fn in_one_piece(&self) -> Option<String> {
        self.formatted.clone().or_else(|| {
            let parts: Vec<_> = [&self.given, &self.family].into_iter().flatten().collect();
            (!parts.is_empty()).then(|| parts.into_iter().cloned().collect::<Vec<_>>().join(" "))
        })
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// E-mail addresses in the given order, at most one of them primary.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Emails(pub Vec<EmailAddress>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailAddress {
    pub value: String,
    /// The type: `work`, `home`, or any other.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    pub primary: bool,
}

impl Emails {
    pub fn primary(address: String) -> Self {
        Self(vec![EmailAddress {
            value: address,
            kind: None,
            primary: true,
        }])
    }

    /// The primary one, else the first.
    pub fn main(&self) -> Option<&EmailAddress> {
        let primary = self.0.iter().find(|email| email.primary);
        primary.or_else(|| self.0.first())
    }

    pub fn are_reachable(&self) -> bool {
        let mut values = self.0.iter().map(|email| email.value.as_str());
        values.all(|value| Email::parse(Some(value)).is_ok())
    }

    pub fn folded(&self) -> Vec<String> {
        self.0.iter().map(|email| folded(&email.value)).collect()
    }
}

impl Attributes {
    /// The address that identifies the account: the main one of `emails`, else the `userName`, if mail can reach it.
    pub fn account_email(&self) -> Option<Email> {
        let text = self.emails.main().map(|email| email.value.as_str());
        Email::parse(Some(text.unwrap_or(&self.user_name))).ok()
    }

    /// The name of the account: the name, else the address, else the `userName`.
    pub fn account_name(&self) -> String {
        let name = self.name.in_one_piece().unwrap_or_else(|| {
            self.account_email()
                .map_or_else(|| self.user_name.clone(), Into::into)
        });
        // The limit of all names of people.
        name.chars().take(255).collect()
    }
}

pub fn folded(text: &str) -> String {
    text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn email(value: &str, primary: bool) -> EmailAddress {
        EmailAddress {
            value: value.to_owned(),
            kind: None,
            primary,
        }
    }

    fn user(user_name: &str, emails: &[(&str, bool)]) -> Attributes {
        Attributes {
            user_name: user_name.to_owned(),
            emails: Emails(emails.iter().map(|(value, is)| email(value, *is)).collect()),
            ..Attributes::default()
        }
    }

    #[test]
    fn an_account_is_identified_by_the_primary_address_else_the_first_else_the_user_name() {
        let address = |attributes: Attributes| attributes.account_email().map(String::from);
        let two = [("a@x.test", false), ("B@x.test", true)];
        assert_eq!(address(user("ada", &two)).as_deref(), Some("b@x.test"));
        let none_primary = [("a@x.test", false), ("b@x.test", false)];
        assert_eq!(
            address(user("c@x.test", &none_primary)).as_deref(),
            Some("a@x.test")
        );
        assert_eq!(address(user("C@x.test", &[])).as_deref(), Some("c@x.test"));
        assert_eq!(address(user("ada", &[])), None);
    }

    #[test]
    fn an_account_is_called_by_the_name_else_the_address_else_the_user_name() {
        let mut ada = user("ada", &[]);
        assert_eq!(ada.account_name(), "ada");
        ada.emails = Emails::primary("Ada@x.test".to_owned());
        assert_eq!(ada.account_name(), "ada@x.test");
        ada.name.family = Some("Lovelace".to_owned());
        assert_eq!(ada.account_name(), "Lovelace");
        ada.name.given = Some("Ada".to_owned());
        assert_eq!(ada.account_name(), "Ada Lovelace");
        ada.name.formatted = Some("Countess ".repeat(50));
        assert_eq!(ada.account_name().chars().count(), 255);
    }
}
