//! Typed identifiers: UUIDs of version 7, so that creation order is index order.

use std::{fmt, sync::Mutex};

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::{ContextV7, Timestamp, Uuid};

macro_rules! id {
    ($($name:ident),* $(,)?) => {$(
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
        #[serde(transparent)]
        #[sqlx(transparent)]
        #[doc = concat!("Identifies one row; see the table of the same name (`", stringify!($name), "`).")]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new identifier. Its random bits come from the operating system; `now` orders it.
            #[must_use]
            pub fn new(now: OffsetDateTime) -> Self {
                Self(new_v7(now))
            }

            /// Reads the text of an identifier. One that is no UUID names nothing.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                Uuid::try_parse(text).ok().map(Self)
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
    ApiKeyId,
    AuditEntryId,
    EnvId,
    FamilyId,
    FlagId,
    FlagStateId,
    MemberId,
    OrgId,
    ProjectId,
    SegmentId,
    TokenId,
    UserId,
);

/// Counts within a millisecond. Rows of one transaction share their time, and lists break the tie by id: what was made
/// first has to come first.
static ORDER: Mutex<ContextV7> = Mutex::new(ContextV7::new());

fn new_v7(now: OffsetDateTime) -> Uuid {
    let seconds = u64::try_from(now.unix_timestamp()).unwrap_or(0);
    Uuid::new_v7(Timestamp::from_unix(&ORDER, seconds, now.nanosecond()))
}

/// The identifiers that edges are told too.
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
}
