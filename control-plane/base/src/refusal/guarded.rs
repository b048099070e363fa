//! Refusals of changes that environments are guarded against: what they affect, and another way to the same end.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::ids::{EnvId, GrantId};

/// Environments named in a refusal.
const MOST: usize = 50;

/// The body of a refusal by a guarded environment. Refusals for other reasons have `error` alone.
#[derive(Clone, Debug, Serialize, thiserror::Error, ToSchema)]
#[schema(as = GuardedErrorBody)]
#[error("{message}")]
pub struct Guarded {
    /// `approval_required`, `environment_protected`, or other words.
    pub error: &'static str,
    /// What to do instead, for people.
    #[schema(required = false)]
    pub message: String,
    /// The request that leads to the same change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalRequest>,
    /// The environments that keep the change out, in creation order; the first 50.
    #[schema(required = false)]
    pub environments: Vec<AffectedEnvironment>,
    /// Why none of the caller's grants allows it, the first 20; left out without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub grants: Vec<RefusedGrant>,
}

/// A grant that does not allow a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct RefusedGrant {
    /// Its id.
    pub id: GrantId,
    /// What it is called.
    pub name: String,
    /// The member of the grant that keeps the change out, such as `max_raise`.
    pub clause: &'static str,
    /// Why, for people.
    pub message: String,
}

/// A request for approval, as it is to be sent.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SuggestedApproval)]
pub struct ApprovalRequest {
    /// Its method.
    pub method: &'static str,
    /// Its path.
    pub path: &'static str,
    /// Its body.
    pub body: ApprovalBody,
}

/// The body of a request for approval.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SuggestedApprovalBody)]
pub struct ApprovalBody {
    /// The flag.
    pub flag_key: String,
    /// The environment.
    pub env_id: EnvId,
    /// `update_state`.
    pub change_type: &'static str,
    /// The fields of the state to change; left out if they are large.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub payload: Option<Map<String, Value>>,
}

/// An environment that a change affects.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AffectedEnvironment {
    /// Its id.
    pub id: EnvId,
    /// Unique in the project.
    pub slug: String,
    /// Whether it is protected.
    pub protected: bool,
}

impl Guarded {
    pub fn new(
        error: &'static str,
        message: String,
        mut environments: Vec<AffectedEnvironment>,
    ) -> Self {
        environments.truncate(MOST);
        Self {
            error,
            message,
            approval: None,
            environments,
            grants: Vec::new(),
        }
    }

    /// The members of the body beside `error`.
    pub(super) fn details(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(mut members)) => {
                members.remove("error");
                members
            }
            _ => Map::new(),
        }
    }
}
