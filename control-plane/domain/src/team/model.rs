//! A member as the team's list shows them.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{me::model::EnvironmentAccess, members::model::Role};
use base::{
    ids::{CustomRoleId, MemberId, UserId},
    input::Invalid,
};

/// Longer texts occur in no name that a person would search for.
const MAX_TEXT: usize = 200;

/// A member with sign-ins and permissions.
#[derive(Debug, Serialize, ToSchema)]
pub struct TeamMember {
    /// Id of the membership.
    pub member_id: MemberId,
    /// Their account, which the audit log names as the actor; `null` while they are invited.
    #[schema(required)]
    pub user_id: Option<UserId>,
    /// Name of the account; of an invited person the address, or the name that the identity provider gave.
    pub name: String,
    /// Address of the account; `null` for an account that an identity provider made without one.
    #[schema(required)]
    pub email: Option<String>,
    /// What they may do.
    pub role: Role,
    /// The role that restricts them, if any.
    #[schema(required)]
    pub custom_role_id: Option<CustomRoleId>,
    /// When they were added.
    #[serde(with = "time::serde::rfc3339")]
    pub joined_at: OffsetDateTime,
    /// Whether they have never signed in to the organization.
    pub invited: bool,
    /// When they last signed in to the organization; `null` for never, and for callers who may not manage members.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub last_login_at: Option<OffsetDateTime>,
    /// Whether their logins ask for a code; `null` while they are invited, and for callers who may not manage members.
    #[schema(required)]
    pub mfa_enabled: Option<bool>,
    /// The stored permissions in the environments of `project_id`; empty without it. Only developers are held to them.
    pub permissions: Vec<EnvironmentAccess>,
}

/// Which members a page shows.
#[derive(Debug, Default)]
pub struct Filter {
    /// Each occurs in the name or the address, in any case.
    pub words: Vec<String>,
    pub member_id: Option<MemberId>,
    pub custom_role_id: Option<CustomRoleId>,
}

impl Filter {
    pub fn of(
        text: &str,
        member_id: Option<MemberId>,
        custom_role_id: Option<CustomRoleId>,
    ) -> Result<Self, Invalid> {
        if text.chars().count() > MAX_TEXT {
            return Err(Invalid::new(format!(
                "q must be at most {MAX_TEXT} characters"
            )));
        }
        let words = text.split_whitespace().map(str::to_owned).collect();
        Ok(Self {
            words,
            member_id,
            custom_role_id,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty() && self.member_id.is_none() && self.custom_role_id.is_none()
    }
}
