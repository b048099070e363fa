//! A grant as the API shows it, and what is left of it.

use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use time::{OffsetDateTime, PrimitiveDateTime};
use utoipa::ToSchema;
use uuid::Uuid;

use base::ids::{EnvId, GrantId, UserId};

/// What its holder may change in a protected environment without approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Grant {
    /// Its id.
    pub id: GrantId,
    /// Where it holds.
    pub env_id: EnvId,
    /// What people call it.
    pub name: String,
    /// Who may use it.
    pub holder: Holder,
    /// It holds for flags with one of these tags; empty for all flags.
    pub tags: Vec<String>,
    /// By how many basis points percentages may be raised in any `window_seconds`, those of all flags and rules added up.
    #[schema(minimum = 0, maximum = 10000)]
    pub max_raise: i32,
    /// 60 to 604800.
    pub window_seconds: i32,
    /// Whether percentages may be lowered, which is not counted.
    pub lower: bool,
    /// Whether flags may be switched off by any change, at any time. The kill switch works without it.
    pub kill: bool,
    /// When percentages may be moved; `null` for any time.
    #[schema(required, value_type = Option<Hours>)]
    pub hours: Option<Json<Hours>>,
    /// When it ends; `null` for never.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub ends_at: Option<OffsetDateTime>,
    /// The user who gave it, or changed it last: it ends with their right to approve changes, and they cannot use it.
    pub given_by: UserId,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// Value of the `ETag`: the number of changes, creation included.
    #[serde(skip)]
    pub version: i64,
}

/// Who holds a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = GrantHolder)]
pub struct Holder {
    /// The kind.
    pub kind: HolderKind,
    /// The id of the membership, the custom role or the access token.
    pub id: Uuid,
}

/// Who can hold a grant: a member, all members with a custom role together, or what acts by an access token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = GrantHolderKind)]
#[serde(rename_all = "snake_case")]
pub enum HolderKind {
    Member,
    Role,
    AccessToken,
}

/// Days and hours on the clocks of a time zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = GrantHours)]
pub struct Hours {
    /// `monday` to `sunday`.
    pub days: Vec<String>,
    /// Of each of these days, such as `09:00`.
    pub from: String,
    /// Later than `from`; `24:00` for the whole rest of the day.
    pub until: String,
    /// Such as `Europe/Berlin`.
    pub time_zone: String,
}

/// A grant, and what is left of it now.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = GrantStanding)]
pub struct ShownGrant {
    #[serde(flatten)]
    pub grant: Grant,
    /// What people call its holder.
    pub holder_name: String,
    /// How many basis points are left of `max_raise`.
    pub left: i32,
    /// When more of them come back; `null` while none are used.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub more_at: Option<OffsetDateTime>,
    /// What keeps every move of a percentage out now; `null` where nothing does.
    #[schema(required)]
    pub closed: Option<Closed>,
}

/// Why a grant allows nothing now, or not a certain change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ClosedGrant)]
pub struct Closed {
    /// The member of the grant that says so.
    pub clause: &'static str,
    /// Why, for people.
    pub message: String,
}

/// A grant as it stands: read under the project's lock where it is to be used.
#[derive(Debug)]
pub struct Standing {
    pub grant: Grant,
    pub(super) holder_name: String,
    /// Whether the access token that holds it has ended.
    pub(super) is_orphaned: bool,
    /// Whether whoever gave it may approve changes.
    pub(super) is_backed: bool,
    pub(super) left: i32,
    pub(super) more_at: Option<OffsetDateTime>,
    /// The time on the clocks of its zone; `None` without one, or with one that the database does not know.
    pub(super) local: Option<PrimitiveDateTime>,
}

impl Standing {
    pub fn shown(self, now: OffsetDateTime) -> ShownGrant {
        ShownGrant {
            closed: self.closed(now).or_else(|| self.out_of_hours()),
            holder_name: self.holder_name,
            left: self.left,
            more_at: self.more_at,
            grant: self.grant,
        }
    }
}
