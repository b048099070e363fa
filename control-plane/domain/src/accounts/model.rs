//! A user as the API shows it.

use serde::Serialize;
use serde_json::json;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::email::Email;
use crate::events::{Action, Event, Subject};
use base::ids::UserId;

/// A user.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct User {
    /// Its id.
    pub id: UserId,
    /// Trimmed and lower-cased; empty for a service account.
    pub email: String,
    /// What people call them.
    pub name: String,
    /// Whether the address was proven.
    pub email_verified: bool,
    /// When the account was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

impl User {
    pub(super) fn new(
        email: &Email,
        name: String,
        email_verified: bool,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            id: UserId::new(now),
            email: email.as_str().to_owned(),
            name,
            email_verified,
            created_at: now,
        }
    }

    /// Recorded when the account joins an existing organization.
    pub(super) fn registered(&self) -> Event {
        let subject = Subject::User(self.id);
        Event::created(Action::AuthRegistered, subject, &json!({"user": self}))
    }
}
