//! Typed identifiers: UUIDs version 7, so that index order is creation order.

use std::{borrow::Cow, fmt, sync::Mutex};

use serde::{Deserialize, Deserializer, Serialize, de};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::{ContextV7, Timestamp, Uuid, fmt::Hyphenated};

macro_rules! id {
    ($($name:ident),* $(,)?) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, ToSchema)]
        #[serde(transparent)]
        #[cfg_attr(feature = "server", derive(sqlx::Type), sqlx(transparent))]
        #[doc = concat!("Identifies one row; see the table of the same name (`", stringify!($name), "`).")]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new identifier. Its random bits come from the operating system; `now` orders it.
            pub fn new(now: OffsetDateTime) -> Self {
                Self(new_v7(now))
            }

            /// Parses an identifier; `None` if the text is not a UUID as the API writes it.
            pub fn parse(text: &str) -> Option<Self> {
                hyphenated(text).map(Self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                let text = Cow::<str>::deserialize(input)?;
                Self::parse(&text).ok_or_else(|| de::Error::custom("not a UUID"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

id!(
    AccessTokenId,
    ApiKeyId,
    ApprovalCommentId,
    ApprovalId,
    AuditEntryId,
    ChangeSetId,
    CheckoutId,
    CustomRoleId,
    EnvId,
    EnvPermissionId,
    FamilyId,
    FlagId,
    FlagStateId,
    GrantId,
    InquiryId,
    MailId,
    MemberId,
    MigrationId,
    OrgId,
    ProjectId,
    RehearsalId,
    RepositoryId,
    ScimTokenId,
    SegmentId,
    SignInDomainId,
    SignInProviderId,
    SubscriptionEventId,
    SubscriptionId,
    TokenId,
    UserId,
    WebhookDeliveryId,
    WebhookId,
    WhatIfQuestionId,
);

/// A UUID as the API writes it. Other forms (braces, no hyphens) would give one thing several names.
fn hyphenated(text: &str) -> Option<Uuid> {
    let uuid = Uuid::try_parse(text).ok()?;
    (text.len() == Hyphenated::LENGTH).then_some(uuid)
}

/// Counts within a millisecond. Rows of one transaction share their time, and lists break the tie by id: the row
/// created first must come first.
static ORDER: Mutex<ContextV7> = Mutex::new(ContextV7::new());

fn new_v7(now: OffsetDateTime) -> Uuid {
    let seconds = u64::try_from(now.unix_timestamp()).unwrap_or(0);
    Uuid::new_v7(Timestamp::from_unix(&ORDER, seconds, now.nanosecond()))
}

/// The identifiers that edges receive too.
macro_rules! on_the_link {
    ($($name:ident),* $(,)?) => {$(
        impl From<$name> for protocol::ids::$name {
            fn from(id: $name) -> Self {
                id.0.into()
            }
        }

        impl From<protocol::ids::$name> for $name {
            fn from(id: protocol::ids::$name) -> Self {
                Self(id.uuid())
            }
        }
    )*};
}

on_the_link!(ApiKeyId, EnvId, FlagId, OrgId, ProjectId, SegmentId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_instant_are_in_creation_order() {
        let now = OffsetDateTime::UNIX_EPOCH + time::Duration::days(20_000);
        let ids: Vec<_> = (0..1_000).map(|_| EnvId::new(now)).collect();
        assert!(ids.is_sorted());
    }

    #[test]
    fn an_id_has_one_spelling_but_for_the_case() {
        let id = EnvId::new(OffsetDateTime::UNIX_EPOCH);
        let text = id.to_string();
        assert_eq!(EnvId::parse(&text), Some(id));
        assert_eq!(EnvId::parse(&text.to_uppercase()), Some(id));
        let others = [
            format!("{{{text}}}"),
            text.replace('-', ""),
            format!("urn:uuid:{text}"),
            format!("{text} "),
            String::new(),
        ];
        for other in others {
            assert_eq!(EnvId::parse(&other), None, "{other}");
            assert!(serde_json::from_value::<EnvId>(other.into()).is_err());
        }
    }
}
