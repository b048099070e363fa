//! Environment permissions as sent by clients.

use std::collections::HashSet;

use serde::Deserialize;
use utoipa::ToSchema;

use base::{
    ids::EnvId,
    input::{Invalid, required},
};

/// The body of an update of a member's permissions. Environments that it does not name keep their rows.
#[derive(Debug, Deserialize, ToSchema)]
pub struct PermissionsPatch {
    /// Required.
    #[schema(value_type = Vec<Row>)]
    permissions: Option<Vec<Row>>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = EnvironmentPermissionInput)]
struct Row {
    /// Required, each environment once.
    #[schema(value_type = String)]
    env_id: Option<String>,
    /// Required.
    #[schema(value_type = bool)]
    can_toggle: Option<bool>,
    /// Required.
    #[schema(value_type = bool)]
    can_edit_rules: Option<bool>,
}

#[derive(Debug)]
pub struct Wanted {
    /// `None` if the text is not an id, and so matches nothing.
    pub env_id: Option<EnvId>,
    pub can_toggle: bool,
    pub can_edit_rules: bool,
}

impl PermissionsPatch {
    /// Checks that nothing is missing, and that each environment is named once.
    pub fn check(self) -> Result<Vec<Wanted>, Invalid> {
        let rows = self
            .permissions
            .ok_or_else(|| Invalid::new("permissions is required"))?;
        let mut named = HashSet::with_capacity(rows.len());
        rows.into_iter()
            .map(|row| {
                let text = required("env_id", row.env_id)?.to_ascii_lowercase();
                let wanted = Wanted {
                    env_id: EnvId::parse(&text),
                    can_toggle: given("can_toggle", row.can_toggle)?,
                    can_edit_rules: given("can_edit_rules", row.can_edit_rules)?,
                };
                if named.insert(text) {
                    Ok(wanted)
                } else {
                    Err(Invalid::new("an environment is named twice"))
                }
            })
            .collect()
    }
}

fn given(field: &str, value: Option<bool>) -> Result<bool, Invalid> {
    value.ok_or_else(|| Invalid::new(format!("{field} is required")))
}
