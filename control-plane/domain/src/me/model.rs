//! The signed-in user as the API shows them, and the permission keys of a role.

use serde::Serialize;
use utoipa::ToSchema;

use crate::{
    access_tokens::model::AccessToken,
    accounts::model::User,
    members::{model::Role, permissions::model::EnvironmentPermission},
    orgs::{
        self, Feature,
        model::{Organization, Plan},
    },
    roles::keys::KEYS,
};
use base::ids::{CustomRoleId, EnvId, OrgId, ProjectId};

/// Somebody who is signed in.
#[derive(Debug, Serialize, ToSchema)]
pub struct Me {
    /// Their account.
    pub user: User,
    /// The organization that the token acts for, with the plan in effect.
    pub organization: Organization,
    /// The region that its data stays in.
    pub data_region: String,
    /// Their role there.
    pub role: Role,
    /// What narrows the role, if anything does.
    #[schema(required)]
    pub custom_role_id: Option<CustomRoleId>,
    /// What role and custom role allow together, as the keys that endpoints require.
    #[schema(value_type = Vec<String>)]
    pub permissions: Vec<&'static str>,
    /// What is stored of what a developer may do in environments. One that is not there is not restricted.
    pub environment_permissions: Vec<EnvironmentAccess>,
    /// What the plan has.
    pub features: Features,
    /// Whether their logins ask for a code.
    pub mfa_enabled: bool,
    /// The organizations that they may sign in to, this one among them, in the order in which they joined; at most 1000.
    pub organizations: Vec<JoinedOrganization>,
    /// The projects of the organization in the order of their creation; none without the key `projects.read`.
    pub projects: Vec<NamedProject>,
    /// Where programs ask for flags; `null` if the installation does not say.
    #[schema(required)]
    pub edge_url: Option<String>,
    /// The access token of the request; not shown to a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = AccessToken, required = false)]
    pub access_token: Option<AccessToken>,
}

/// What a developer may do in an environment.
#[derive(Debug, Serialize, ToSchema)]
pub struct EnvironmentAccess {
    /// Where.
    env_id: EnvId,
    /// Whether they may switch, schedule, kill.
    can_toggle: bool,
    /// Whether they may change rules, rollout, variants and default value.
    can_edit_rules: bool,
}

impl EnvironmentAccess {
    pub const fn new(env_id: EnvId, can_toggle: bool, can_edit_rules: bool) -> Self {
        Self {
            env_id,
            can_toggle,
            can_edit_rules,
        }
    }
}

impl From<EnvironmentPermission> for EnvironmentAccess {
    fn from(row: EnvironmentPermission) -> Self {
        Self::new(row.env_id, row.can_toggle, row.can_edit_rules)
    }
}

/// The features that plans differ in.
#[derive(Debug, Serialize, ToSchema)]
pub struct Features {
    /// A second factor at sign-in.
    mfa: bool,
    /// Roles of the organization's own.
    custom_roles: bool,
    /// Provisioning by an identity provider.
    scim: bool,
}

impl Features {
    pub fn of(plan: Plan) -> Self {
        let has = |feature: &Feature| feature.allow(plan).is_ok();
        Self {
            mfa: has(&orgs::MFA),
            custom_roles: has(&orgs::CUSTOM_ROLES),
            scim: has(&orgs::SCIM),
        }
    }
}

/// An organization that somebody is a member of.
#[derive(Debug, Serialize, ToSchema)]
pub struct JoinedOrganization {
    /// What a login names it by (`org_id`).
    pub id: OrgId,
    /// Its name.
    pub name: String,
    /// Their role there.
    pub role: Role,
}

/// A project, as much of it as a menu shows.
#[derive(Debug, Serialize, ToSchema)]
pub struct NamedProject {
    /// Its id.
    pub id: ProjectId,
    /// Its name.
    pub name: String,
    /// Its slug.
    pub slug: String,
}

/// The effective keys of a member: those of their custom role that open some endpoint to their role. In the order of [`KEYS`].
pub fn permissions(role: Role, custom: Option<&[String]>) -> Vec<&'static str> {
    let is_held = |key: &str| custom.is_none_or(|held| held.iter().any(|one| one == key));
    let keys = KEYS.iter().copied();
    keys.filter(|key| opens_something(role, key) && is_held(key))
        .collect()
}

/// Whether an endpoint that requires the key is open to the role. An integration test compares this with the handlers'
/// signatures.
fn opens_something(role: Role, key: &str) -> bool {
    const OF_MANAGERS: [&str; 12] = [
        "projects.delete",
        "environments.delete",
        "approvals.review",
        "members.manage",
        "api_keys.manage",
        "webhooks.manage",
        "roles.manage",
        "metrics.read",
        "metrics.manage",
        "rehearsals.run",
        "what_if.examples",
        "migration.run",
    ];
    let is_of_managers = OF_MANAGERS.contains(&key);
    match role {
        Role::Owner => true,
        Role::Admin => key != "billing.manage",
        Role::Developer => key != "billing.manage" && !is_of_managers,
        Role::Viewer => key.ends_with(".read") && !is_of_managers,
    }
}
