//! A custom role, the permission keys, and the built-in roles, which are constants.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use super::keys::KEYS;
use base::ids::CustomRoleId;

/// A custom role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct CustomRole {
    /// Its id.
    pub id: CustomRoleId,
    /// Unique in the organization, without regard to case.
    pub name: String,
    /// Permission keys, each once, in the order in which they were given.
    pub permissions: Vec<String>,
    /// Whether it is the same everywhere and cannot be changed.
    pub built_in: bool,
    /// When it was created; the beginning of time for a built-in one.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// Value of the `ETag`: the number of changes, creation included; 0 for a built-in one.
    #[serde(skip)]
    pub version: i64,
}

/// A name normalized for comparison: without case and surrounding space.
pub fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltIn {
    Owner,
    Admin,
    /// Changes flags and their dependencies.
    Editor,
    Viewer,
}

impl BuiltIn {
    pub const ALL: [Self; 4] = [Self::Owner, Self::Admin, Self::Editor, Self::Viewer];

    pub fn find(id: CustomRoleId) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.id() == id)
    }

    /// Whether the name belongs to a built-in role, in any case.
    pub fn is_named(name: &str) -> bool {
        let name = folded(name);
        Self::ALL.iter().any(|role| folded(role.name()) == name)
    }

    pub fn role(self) -> CustomRole {
        CustomRole {
            id: self.id(),
            name: self.name().to_owned(),
            permissions: self.keys().map(str::to_owned).collect(),
            built_in: true,
            created_at: OffsetDateTime::UNIX_EPOCH,
            version: 0,
        }
    }

    const fn id(self) -> CustomRoleId {
        let number = match self {
            Self::Owner => 1,
            Self::Admin => 2,
            Self::Editor => 3,
            Self::Viewer => 4,
        };
        CustomRoleId(Uuid::from_u128(
            0x0000_0000_0000_7000_8000_0000_0000_0000 + number,
        ))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Owner => "Owner",
            Self::Admin => "Admin",
            Self::Editor => "Editor",
            Self::Viewer => "Viewer",
        }
    }

    fn keys(self) -> impl Iterator<Item = &'static str> {
        KEYS.iter().copied().filter(move |key| self.holds(key))
    }

    fn holds(self, key: &str) -> bool {
        let writes = [
            "segments.write",
            "projects.create",
            "environments.create",
            "approvals.create",
        ];
        match self {
            Self::Owner => true,
            Self::Admin => key != "billing.manage",
            Self::Editor => {
                key.ends_with(".read") || key.starts_with("flags.") || writes.contains(&key)
            }
            Self::Viewer => key.ends_with(".read") && key != "billing.read",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_roles_are_found_by_their_fixed_ids() {
        let ids = BuiltIn::ALL.map(|role| role.id().to_string());
        assert_eq!(
            ids,
            [
                "00000000-0000-7000-8000-000000000001",
                "00000000-0000-7000-8000-000000000002",
                "00000000-0000-7000-8000-000000000003",
                "00000000-0000-7000-8000-000000000004",
            ]
        );
        for role in BuiltIn::ALL {
            assert_eq!(BuiltIn::find(role.id()), Some(role));
        }
        assert_eq!(
            BuiltIn::find(CustomRoleId::new(OffsetDateTime::UNIX_EPOCH)),
            None
        );
    }

    #[test]
    fn names_of_built_in_roles_are_known_in_any_case() {
        for name in ["Owner", "OWNER", " viewer "] {
            assert!(BuiltIn::is_named(name), "{name}");
        }
        assert!(!BuiltIn::is_named("Owners"));
    }
}
