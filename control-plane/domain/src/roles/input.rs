//! Custom roles as sent by clients, and the rules for them.

use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::CustomRole;
use base::{
    ids::CustomRoleId,
    input::{Invalid, all_given, distinct, has_text, is_longer_than, required},
};

/// The body of a role's creation, and of its update, which replaces both.
#[derive(Debug, Deserialize, ToSchema)]
pub struct RoleInput {
    /// Required; 1 to 100 characters, taken by no other role in any case.
    #[schema(value_type = String)]
    name: Option<String>,
    /// Required, possibly empty. Keys of the form `word.word`; a repeated one counts once.
    #[schema(value_type = Vec<String>)]
    permissions: Option<Vec<String>>,
}

#[derive(Clone, Debug)]
pub struct RoleWish {
    pub name: String,
    pub permissions: Vec<String>,
}

impl RoleInput {
    pub fn check(self) -> Result<RoleWish, Invalid> {
        all_given([
            ("name", has_text(&self.name)),
            ("permissions", self.permissions.is_some()),
        ])?;
        Ok(RoleWish {
            name: checked_name(self.name)?,
            permissions: checked_keys(self.permissions)?,
        })
    }
}

impl RoleWish {
    pub fn create(self, now: OffsetDateTime) -> CustomRole {
        CustomRole {
            id: CustomRoleId::new(now),
            name: self.name,
            permissions: self.permissions,
            built_in: false,
            created_at: now,
            version: 1,
        }
    }

    pub fn replace(self, before: &CustomRole) -> CustomRole {
        CustomRole {
            name: self.name,
            permissions: self.permissions,
            ..before.clone()
        }
    }
}

fn checked_name(name: Option<String>) -> Result<String, Invalid> {
    let name = required("name", name)?;
    if is_longer_than(&name, 100) {
        return Err(Invalid::new("name must have at most 100 characters"));
    }
    Ok(name)
}

/// At most 200: they are read on each request of a member with the role.
fn checked_keys(keys: Option<Vec<String>>) -> Result<Vec<String>, Invalid> {
    let keys = keys.ok_or_else(|| Invalid::new("permissions is required"))?;
    distinct(keys, 200, "permissions must be at most 200 keys", |key| {
        if !is_key(key) {
            return Err(Invalid::new(
                "permissions must be keys of the form word.word, of at most 100 characters",
            ));
        }
        Ok(())
    })
}

fn is_key(text: &str) -> bool {
    let is_word = |word: &str| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        !word.is_empty() && word.bytes().all(is_allowed)
    };
    text.len() <= 100
        && text
            .split_once('.')
            .is_some_and(|(area, verb)| is_word(area) && is_word(verb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roles::keys::KEYS;

    fn keys(keys: &[&str]) -> Result<Vec<String>, Invalid> {
        checked_keys(Some(keys.iter().map(|&key| key.to_owned()).collect()))
    }

    #[test]
    fn every_known_key_and_any_other_of_the_form_is_accepted() {
        assert!(KEYS.iter().all(|key| is_key(key)));
        for key in [
            "a.b",
            "space_ships.launch-2",
            &format!("{}.b", "a".repeat(98)),
        ] {
            assert!(is_key(key), "{key}");
        }
    }

    #[test]
    fn keys_of_another_form_are_refused() {
        for key in [
            "",
            ".",
            "flags",
            "flags.",
            ".read",
            "flags.read.all",
            "flags read",
            "flags.*",
            "flags.read ",
            "größe.read",
            &format!("{}.b", "a".repeat(99)),
        ] {
            assert!(!is_key(key), "{key:?}");
        }
    }

    #[test]
    fn repeated_keys_count_once_and_the_order_stays() {
        assert_eq!(
            keys(&["flags.read", "a.b", "flags.read"]).unwrap(),
            ["flags.read", "a.b"]
        );
        assert_eq!(keys(&[]).unwrap(), [""; 0]);
        assert_eq!(
            checked_keys(None),
            Err(Invalid::new("permissions is required"))
        );
    }

    #[test]
    fn a_role_has_a_bounded_number_of_keys() {
        let many: Vec<_> = (0..=200).map(|number| format!("a.{number}")).collect();
        assert!(checked_keys(Some(many[1..].to_vec())).is_ok());
        assert!(checked_keys(Some(many)).is_err());
    }

    #[test]
    fn names_are_counted_in_characters() {
        assert!(checked_name(Some("ü".repeat(100))).is_ok());
        assert!(checked_name(Some("ü".repeat(101))).is_err());
        assert!(checked_name(Some("  ".to_owned())).is_err());
    }
}
