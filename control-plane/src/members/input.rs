//! What a client may say about a member, and the rules for it.

use serde::Deserialize;
use utoipa::ToSchema;

use super::model::{Member, Role};
use crate::{accounts::email::Email, http::patch::Patch, input::Invalid};

/// The body of an invitation.
#[derive(Deserialize, ToSchema)]
pub struct NewMember {
    /// Required.
    email: Option<String>,
    /// `developer` when absent.
    #[schema(value_type = Option<Role>)]
    role: Option<String>,
}

impl NewMember {
    /// Whom to invite, and as what.
    ///
    /// # Errors
    /// When a field breaks a rule.
    pub fn check(self) -> Result<(Email, Role), Invalid> {
        let email = Email::parse(self.email.as_deref())?;
        let role = self
            .role
            .as_deref()
            .map_or(Ok(Role::Developer), Role::parse)?;
        Ok((email, role))
    }
}

/// The body of a member's update.
#[derive(Debug, Deserialize, ToSchema)]
pub struct MemberPatch {
    #[serde(default)]
    #[schema(value_type = Role, required = false)]
    role: Patch<String>,
}

impl MemberPatch {
    /// The member as it is asked to be.
    ///
    /// # Errors
    /// When nothing is given, or a field breaks a rule.
    pub fn apply(self, before: &Member) -> Result<Member, Invalid> {
        let role = match self.role {
            Patch::Keep => return Err(Invalid::new("role is required")),
            Patch::Clear => return Err(Invalid::new("role must not be null")),
            Patch::Set(text) => Role::parse(&text)?,
        };
        Ok(Member {
            role,
            ..before.clone()
        })
    }
}
