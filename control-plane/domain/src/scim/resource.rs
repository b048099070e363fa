//! A SCIM user as JSON (RFC 7643, 4.1), in answers and in the audit log.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{
    model::{EmailAddress, PersonName, ScimUser},
    schemas::USER,
};
use base::ids::UserId;

/// A SCIM user, in answers.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScimUser)]
pub struct UserResource {
    schemas: [&'static str; 1],
    #[serde(flatten)]
    user: UserState,
    meta: Meta,
}

/// What there is to know of a user, without where it is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScimUserState)]
pub struct UserState {
    /// The account's.
    id: UserId,
    /// What the identity provider calls the user by; unique in the organization, without case.
    user_name: String,
    /// The identity provider's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    external_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = NameResource, required = false)]
    name: Option<NameResource>,
    /// At most one is primary.
    emails: Vec<EmailResource>,
    /// Whether they are a member of the organization.
    active: bool,
}

/// The name of a person.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScimName)]
struct NameResource {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    formatted: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    given_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    family_name: Option<String>,
}

/// An e-mail address.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScimEmail)]
struct EmailResource {
    value: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    kind: Option<String>,
    primary: bool,
}

/// Where a resource is, and since when.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ScimMeta)]
struct Meta {
    resource_type: &'static str,
    #[serde(with = "time::serde::rfc3339")]
    created: OffsetDateTime,
    #[serde(with = "time::serde::rfc3339")]
    last_modified: OffsetDateTime,
    location: String,
}

impl UserResource {
    /// The user at this address.
    pub fn new(user: &ScimUser, location: String) -> Self {
        Self {
            schemas: [USER],
            user: user.into(),
            meta: Meta {
                resource_type: "User",
                created: user.created_at,
                last_modified: user.updated_at,
                location,
            },
        }
    }
}

impl From<&ScimUser> for UserState {
    fn from(user: &ScimUser) -> Self {
        let attributes = &user.attributes;
        let emails = attributes.emails.0.iter().cloned();
        Self {
            id: user.id,
            user_name: attributes.user_name.clone(),
            external_id: attributes.external_id.clone(),
            name: NameResource::of(&attributes.name),
            emails: emails.map(Into::into).collect(),
            active: user.active,
        }
    }
}

impl NameResource {
    fn of(name: &PersonName) -> Option<Self> {
        (!name.is_empty()).then(|| Self {
            formatted: name.in_one_piece(),
            given_name: name.given.clone(),
            family_name: name.family.clone(),
        })
    }
}

impl From<EmailAddress> for EmailResource {
    fn from(email: EmailAddress) -> Self {
        let EmailAddress {
            value,
            kind,
            primary,
        } = email;
        Self {
            value,
            kind,
            primary,
        }
    }
}
