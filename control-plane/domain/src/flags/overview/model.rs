//! The overview as the API shows it.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serving::page::Paged;
use sqlx::{FromRow, types::Json};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::flags::{model::FlagType, states::model::BasisPoints};
use base::ids::{EnvId, FlagId, MemberId};

/// A page of flags, and what is needed to show them.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagOverview)]
pub struct Overview {
    #[serde(flatten)]
    pub(super) page: Paged<Row>,
    /// All of the project, oldest first.
    pub(super) environments: Vec<Column>,
    /// All of the project's flags, whatever is filtered; the most used first.
    pub(super) tags: Vec<TagCount>,
}

/// A flag, with its states.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagOverviewItem)]
pub(super) struct Row {
    #[serde(flatten)]
    flag: FlagRow,
    /// By the ids of environments; those in which none was ever stored and no request for approval waits are left out.
    states: BTreeMap<EnvId, Cell>,
}

/// A flag.
#[derive(Debug, FromRow, Serialize, ToSchema)]
#[schema(as = FlagOverviewFlag)]
pub(super) struct FlagRow {
    /// Its id.
    pub(super) id: FlagId,
    /// Unique in the project.
    pub(super) key: String,
    /// What people call it.
    pub(super) name: String,
    /// The type of its values.
    pub(super) flag_type: FlagType,
    /// Without duplicates.
    pub(super) tags: Vec<String>,
    /// Whether it is to stay for ever.
    pub(super) permanent: bool,
    /// The member who looks after it; `null` for none, and once that member is gone.
    #[schema(required, value_type = Option<Owner>)]
    pub(super) owner: Option<Json<Owner>>,
    /// Whether nothing seems to need it any more: it is not permanent, was created more than 30 days ago, and was neither evaluated
    /// nor changed since, in any environment.
    pub(super) stale: bool,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub(super) created_at: OffsetDateTime,
    /// When one of its own fields last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub(super) updated_at: OffsetDateTime,
    /// When somebody last asked for it in any environment, to the minute; `null` if nobody ever did.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub(super) last_evaluated_at: Option<OffsetDateTime>,
}

/// A member who looks after a flag.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
#[schema(as = FlagOverviewOwner)]
pub(super) struct Owner {
    /// Of the membership.
    pub(super) id: MemberId,
    /// The name now.
    pub(super) name: String,
}

/// What a flag does in an environment, in short.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagOverviewState)]
pub(super) struct Cell {
    pub(super) enabled: bool,
    /// How many rules there are.
    pub(super) rules: i32,
    /// In basis points; `null` if not set.
    #[schema(required)]
    pub(super) percentage_rollout: Option<BasisPoints>,
    /// How many variants there are.
    pub(super) variants: i32,
    /// When it will be enabled.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub(super) scheduled_enable_at: Option<OffsetDateTime>,
    /// When it will be disabled.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub(super) scheduled_disable_at: Option<OffsetDateTime>,
    /// How many requests for approval wait for a decision.
    pub(super) pending_approvals: i64,
    /// The state's version, as its `ETag` has it; 0 if none was ever stored.
    pub(super) version: i64,
    /// When it last changed; if none was ever stored, when the flag was created.
    #[serde(with = "time::serde::rfc3339")]
    pub(super) updated_at: OffsetDateTime,
    /// Who did that; `null` if it happened by itself, or before that was kept.
    #[schema(required)]
    pub(super) updated_by: Option<Author>,
}

/// Who changed something.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagOverviewAuthor)]
pub(super) struct Author {
    /// Of a user, or of the organization's token.
    pub(super) id: Uuid,
    /// The name now.
    pub(super) name: String,
}

/// An environment.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagOverviewEnvironment)]
pub(super) struct Column {
    /// Its id.
    pub(super) id: EnvId,
    /// What people call it.
    pub(super) name: String,
    /// Unique in the project.
    pub(super) slug: String,
    /// `#` and six hex digits.
    pub(super) color: String,
    /// Whether its states change by approval alone.
    pub(super) protected: bool,
    /// Its own version, as its `ETag` has it.
    pub(super) version: i64,
}

/// How many flags have a tag.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TagCount {
    /// The tag.
    pub(super) tag: String,
    /// The number of flags.
    pub(super) count: i64,
}

impl Row {
    pub(super) fn with_states(
        flags: Vec<FlagRow>,
        states: Vec<(FlagId, EnvId, Cell)>,
    ) -> Vec<Self> {
        let mut by_flag = HashMap::<FlagId, BTreeMap<EnvId, Cell>>::new();
        for (flag_id, env_id, cell) in states {
            by_flag.entry(flag_id).or_default().insert(env_id, cell);
        }
        let with_states = |flag: FlagRow| Self {
            states: by_flag.remove(&flag.id).unwrap_or_default(),
            flag,
        };
        flags.into_iter().map(with_states).collect()
    }
}
