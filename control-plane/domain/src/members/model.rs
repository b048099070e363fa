//! A member as the API shows it, and the rules of roles over members.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::{
    ids::{CustomRoleId, MemberId, OrgId, UserId},
    input::Invalid,
};

/// A member's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Role {
    /// Full access, including billing and organization settings.
    Owner,
    /// Manages members, API keys, webhooks and approvals.
    Admin,
    /// Creates and modifies flags and segments.
    Developer,
    /// Reads.
    Viewer,
}

impl Role {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "owner" => Ok(Self::Owner),
            "admin" => Ok(Self::Admin),
            "developer" => Ok(Self::Developer),
            "viewer" => Ok(Self::Viewer),
            _ => Err(Invalid::new(
                "role must be owner, admin, developer or viewer",
            )),
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Developer => "developer",
            Self::Viewer => "viewer",
        }
    }

    pub const fn is_manager(self) -> bool {
        matches!(self, Self::Owner | Self::Admin)
    }

    /// The lower of two roles.
    #[must_use]
    pub fn at_most(self, most: Self) -> Self {
        if self.is_above(most) { most } else { self }
    }

    /// Whether the role allows more than the other.
    pub fn is_above(self, other: Self) -> bool {
        // Declared in descending order.
        (self as u8) < (other as u8)
    }

    /// Whether a member with this role may make changes that grant or revoke `roles`. Only owners may manage owners.
    pub fn may_handle(self, roles: &[Self]) -> bool {
        match self {
            Self::Owner => true,
            Self::Admin => !roles.contains(&Self::Owner),
            Self::Developer | Self::Viewer => false,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Membership {
    pub id: MemberId,
    pub org_id: OrgId,
    pub user_id: UserId,
    pub role: Role,
}

impl Membership {
    pub fn new(org_id: OrgId, user_id: UserId, role: Role, now: OffsetDateTime) -> Self {
        Self {
            id: MemberId::new(now),
            org_id,
            user_id,
            role,
        }
    }
}

/// A membership with whom it is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Member {
    /// Of the membership, not of the user.
    pub id: MemberId,
    /// The organization.
    pub org_id: OrgId,
    /// What they may do there.
    pub role: Role,
    /// Address of the account; `null` for an account that an identity provider made without one.
    #[schema(required)]
    pub email: Option<String>,
    /// Name of the account; until an invited person signs up, their address or what the identity provider calls them.
    pub name: String,
    /// What narrows the role; not shown while there is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = CustomRoleId, required = false)]
    pub custom_role_id: Option<CustomRoleId>,
    /// The account, which may belong to several organizations.
    #[serde(skip)]
    pub user_id: UserId,
}

impl Member {
    pub const fn ownership(&self) -> Ownership {
        match (self.role, self.custom_role_id) {
            (Role::Owner, None) => Ownership::Full,
            (Role::Owner, Some(_)) => Ownership::Held,
            (Role::Admin | Role::Developer | Role::Viewer, _) => Ownership::None,
        }
    }
}

/// Degrees of ownership, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ownership {
    None,
    /// An owner restricted by a custom role, who may be unable to undo that.
    Held,
    Full,
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Role; 4] = [Role::Owner, Role::Admin, Role::Developer, Role::Viewer];

    #[test]
    fn roles_are_named_as_in_json() {
        for role in ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
            assert_eq!(Role::parse(role.as_str()), Ok(role));
        }
        for text in ["", "Owner", "superuser", " owner"] {
            assert!(Role::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn of_two_roles_the_lower_one_counts() {
        assert_eq!(Role::Admin.at_most(Role::Viewer), Role::Viewer);
        assert_eq!(Role::Viewer.at_most(Role::Owner), Role::Viewer);
        for role in ALL {
            assert!(!role.is_above(role));
            assert_eq!(Role::Owner.at_most(role), role);
        }
    }

    #[test]
    fn only_owners_may_handle_owners() {
        assert!(Role::Owner.may_handle(&ALL));
        assert!(Role::Admin.may_handle(&[Role::Admin, Role::Viewer]));
        assert!(!Role::Admin.may_handle(&[Role::Viewer, Role::Owner]));
        for role in [Role::Developer, Role::Viewer] {
            assert!(!role.may_handle(&[Role::Viewer]));
        }
    }
}
