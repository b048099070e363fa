//! Members as sent by clients, and the rules for them.

use serde::Deserialize;
use utoipa::ToSchema;

use super::model::Role;
use crate::accounts::email::Email;
use base::{
    ids::CustomRoleId,
    input::{Invalid, Patch, required},
};

/// The body of an invitation.
#[derive(Deserialize, ToSchema)]
#[schema(as = Invitation)]
pub struct NewMember {
    /// Required.
    #[schema(value_type = String)]
    email: Option<String>,
    /// `developer` when absent.
    #[schema(value_type = Option<Role>)]
    role: Option<String>,
}

impl NewMember {
    pub fn check(self) -> Result<(Email, Role), Invalid> {
        let email = Email::parse(self.email.as_deref())?;
        let role = self
            .role
            .as_deref()
            .map_or(Ok(Role::Developer), Role::parse)?;
        Ok((email, role))
    }
}

/// The body of a member's update. One of the fields at least is required.
#[derive(Debug, Deserialize, ToSchema)]
pub struct MemberPatch {
    #[serde(default)]
    #[schema(value_type = Role, required = false)]
    role: Patch<String>,
    /// What narrows the role, from the list of roles; `null` takes it away.
    #[serde(default)]
    #[schema(value_type = Option<CustomRoleId>)]
    custom_role_id: Patch<String>,
}

#[derive(Debug)]
pub struct MemberChange {
    /// `None` keeps the role.
    pub role: Option<Role>,
    /// `Set(None)` if the text is not an id.
    pub custom_role_id: Patch<Option<CustomRoleId>>,
}

impl MemberPatch {
    /// Checks the fields: at least one is required.
    pub fn check(self) -> Result<MemberChange, Invalid> {
        if self.role.is_keep() && self.custom_role_id.is_keep() {
            return Err(Invalid::new("role or custom_role_id is required"));
        }
        let role = match self.role {
            Patch::Keep => None,
            Patch::Clear => return Err(Invalid::new("role must not be null")),
            Patch::Set(text) => Some(Role::parse(&text)?),
        };
        let custom_role_id = self.custom_role_id.try_map(|text| {
            let text = required("custom_role_id", Some(text))?;
            Ok::<_, Invalid>(CustomRoleId::parse(&text))
        })?;
        Ok(MemberChange {
            role,
            custom_role_id,
        })
    }
}
