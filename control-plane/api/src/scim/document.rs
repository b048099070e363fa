//! Messages of SCIM for the API document; the code parses and writes them field by field.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use domain::scim::resource::UserResource;

/// A user, as an identity provider sends one. Attributes that are not known are ignored.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScimUserInput {
    /// `urn:ietf:params:scim:schemas:core:2.0:User` must be among them.
    schemas: Vec<String>,
    /// The identity provider's name of the user; unique in the organization, ignoring case.
    user_name: String,
    /// The identity provider's own id.
    external_id: Option<String>,
    name: Option<ScimNameInput>,
    /// At most 20.
    emails: Option<Vec<ScimEmailInput>>,
    /// Whether the user is a member; true when absent.
    active: Option<bool>,
}

/// The name of a person.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ScimNameInput {
    formatted: Option<String>,
    given_name: Option<String>,
    family_name: Option<String>,
}

/// An e-mail address.
#[derive(Serialize, ToSchema)]
struct ScimEmailInput {
    value: String,
    r#type: Option<String>,
    /// At most one is.
    primary: Option<bool>,
}

/// Changes to a user: all are made, or none.
#[derive(Serialize, ToSchema)]
pub(super) struct ScimPatch {
    /// `urn:ietf:params:scim:api:messages:2.0:PatchOp` must be among them.
    schemas: Vec<String>,
    #[serde(rename = "Operations")]
    operations: Vec<ScimPatchOperation>,
}

/// A change to a user.
#[derive(Serialize, ToSchema)]
struct ScimPatchOperation {
    /// `add`, `replace` or `remove`.
    op: String,
    /// The attribute; without it, `value` has attributes by name.
    path: Option<String>,
    value: Option<Value>,
}

/// A page of users.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ScimUserList {
    schemas: Vec<String>,
    /// In all.
    total_results: i64,
    /// Counted from 1.
    start_index: i64,
    /// In this page.
    items_per_page: i64,
    #[serde(rename = "Resources")]
    resources: Vec<UserResource>,
}
