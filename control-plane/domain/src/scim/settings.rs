//! Settings of provisioning by identity providers.

use serving::settings::Reader;

use crate::members::model::Role;

#[derive(Clone, Copy, Debug)]
pub struct ScimSettings {
    /// `SCIM_DEFAULT_ROLE`: the role of members added through SCIM: `viewer`, `developer` (the default) or `admin`. Only owners
    /// can add owners.
    pub default_role: Role,
}

impl ScimSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        const NAME: &str = "SCIM_DEFAULT_ROLE";
        let role = reader.optional(NAME);
        let default_role = match role.as_deref().map(Role::parse) {
            None => Role::Developer,
            Some(Ok(role)) if role != Role::Owner => role,
            Some(_) => {
                reader.problem(NAME, "must be viewer, developer or admin");
                Role::Developer
            }
        };
        Self { default_role }
    }
}
