//! Service accounts as sent by clients, and the rules for them.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::members::model::Role;
use base::{
    ids::CustomRoleId,
    input::{Invalid, Name, all_given, has_text, required},
};

/// The body of a service account's creation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewServiceAccount {
    /// Required.
    #[schema(value_type = String)]
    name: Option<String>,
    /// Required.
    #[schema(value_type = Role)]
    role: Option<String>,
    /// What narrows the role, from the list of roles; nothing when absent.
    #[schema(value_type = Option<CustomRoleId>)]
    custom_role_id: Option<String>,
}

#[derive(Debug)]
pub struct Wanted {
    pub name: Name,
    pub role: Role,
    /// `Some(None)` if the text is not an id.
    pub custom_role_id: Option<Option<CustomRoleId>>,
}

impl NewServiceAccount {
    pub fn check(self) -> Result<Wanted, Invalid> {
        all_given([
            ("name", has_text(&self.name)),
            ("role", has_text(&self.role)),
        ])?;
        Ok(Wanted {
            name: Name::parse(self.name)?,
            role: Role::parse(&required("role", self.role)?)?,
            custom_role_id: self.custom_role_id.map(|id| CustomRoleId::parse(&id)),
        })
    }
}

/// The body of a service account's update. Its roles change as those of any member do.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ServiceAccountRenaming {
    /// Required.
    #[schema(value_type = String)]
    name: Option<String>,
}

impl ServiceAccountRenaming {
    pub fn check(self) -> Result<Name, Invalid> {
        Name::parse(self.name)
    }
}
