//! Versions as the API shows them, and what they say besides what was stored.

use serde::Serialize;
use serde_json::{Value, json};
use sqlx::types::Json;
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    flags::{model::Flag, states::model::FlagState},
    ids::{ApprovalId, EnvId, ProjectId, UserId},
    members::permissions::model::Touches,
};

/// What a version is that was not made by a change: what was there when history began.
pub(crate) const BEGAN: &str = "flag.history_began";

/// A version in the history of a flag.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FlagVersionItem)]
pub(crate) struct VersionItem {
    /// Counts the changes of the flag.
    pub(crate) version: i64,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub(crate) at: OffsetDateTime,
    /// Who made it.
    pub(crate) actor: VersionActor,
    /// What happened, as the audit trail names it; `flag.history_began` for what was there before history was kept.
    pub(crate) action: String,
    /// The environment whose state it is of; `null` for the flag's own fields.
    #[schema(required)]
    pub(crate) env_id: Option<EnvId>,
    /// The fields that differ from the version before.
    #[schema(value_type = Vec<String>)]
    pub(crate) changed: Json<Vec<String>>,
    /// The request for approval that was approved.
    #[schema(required)]
    pub(crate) approval_id: Option<ApprovalId>,
}

/// Who made a version.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FlagVersionActor)]
pub(crate) struct VersionActor {
    /// The id of the user; `null` for the system.
    #[schema(required)]
    pub(crate) id: Option<UserId>,
    /// `user` or `system`.
    #[serde(rename = "type")]
    pub(crate) actor_type: String,
    /// What the user is called now; `null` for the system, and for somebody who is gone.
    #[schema(required)]
    pub(crate) name: Option<String>,
}

/// What a flag and its state in an environment were at a version.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FlagVersion)]
pub(crate) struct ShownVersion {
    /// The version.
    pub(crate) version: i64,
    /// `null` where it says that the flag was deleted.
    #[schema(required)]
    pub(crate) flag: Option<Flag>,
    /// `null` where none was stored.
    #[schema(required)]
    pub(crate) state: Option<FlagState>,
}

/// How many versions of a flag's own fields are kept, and of its state in each environment.
pub(crate) const MAX_VERSIONS: i64 = 200;

/// Where versions come from that are written together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// The project of the flags.
    pub(crate) project_id: ProjectId,
    /// What happened, as the audit trail names it.
    pub(crate) action: &'static str,
    /// Who did it, as the audit trail shows them.
    pub(crate) actor_type: &'static str,
    /// Their id.
    pub(crate) actor_id: Option<Uuid>,
    /// The request that was approved.
    pub(crate) approval_id: Option<ApprovalId>,
    /// When.
    pub(crate) at: OffsetDateTime,
}

/// The fields that an update of a flag has changed; `None` if none.
pub(crate) fn changed_fields(before: &Flag, after: &Flag) -> Option<Value> {
    named(&[
        ("name", before.name != after.name),
        ("description", before.description != after.description),
        ("default_value", before.default_value != after.default_value),
        ("tags", before.tags != after.tags),
        ("prerequisites", before.prerequisites != after.prerequisites),
        (
            "mutual_exclusion_group",
            before.mutual_exclusion_group != after.mutual_exclusion_group,
        ),
    ])
}

/// The fields in which a state differs from what was there before: another one, or nothing. `None` if in none.
pub(crate) fn changed_parts(before: Option<&FlagState>, after: &FlagState) -> Option<Value> {
    let initial;
    let before = match before {
        Some(before) => before,
        None => {
            initial = FlagState::initial(after.updated_at);
            &initial
        }
    };
    named(&differences(before, after))
}

/// Which halves of a state differ.
pub(crate) fn touched(before: &FlagState, after: &FlagState) -> Touches {
    let differ = |names: &[&str]| {
        let mut all = differences(before, after).into_iter();
        all.any(|(name, differs)| differs && names.contains(&name))
    };
    Touches {
        toggle: differ(&["enabled", "scheduled_enable_at", "scheduled_disable_at"]),
        rules: differ(&["default_value", "rules", "percentage_rollout", "variants"]),
    }
}

fn differences(before: &FlagState, after: &FlagState) -> [(&'static str, bool); 7] {
    [
        ("enabled", before.enabled != after.enabled),
        ("default_value", before.default_value != after.default_value),
        ("rules", before.rules != after.rules),
        (
            "percentage_rollout",
            before.percentage_rollout != after.percentage_rollout,
        ),
        ("variants", before.variants != after.variants),
        (
            "scheduled_enable_at",
            before.scheduled_enable_at != after.scheduled_enable_at,
        ),
        (
            "scheduled_disable_at",
            before.scheduled_disable_at != after.scheduled_disable_at,
        ),
    ]
}

fn named(fields: &[(&'static str, bool)]) -> Option<Value> {
    let names = fields.iter().filter(|(_, differs)| *differs);
    let names: Vec<_> = names.map(|(name, _)| *name).collect();
    (!names.is_empty()).then(|| json!(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    #[test]
    fn what_differs_from_nothing_is_what_was_set() {
        let mut state = FlagState::initial(NOW);
        assert_eq!(changed_parts(None, &state), None);
        state.enabled = true;
        state.scheduled_disable_at = Some(NOW);
        let changed = changed_parts(None, &state);
        assert_eq!(changed, Some(json!(["enabled", "scheduled_disable_at"])));
    }

    #[test]
    fn neither_the_time_nor_the_id_of_a_state_is_a_change() {
        let before = FlagState::initial(NOW);
        let after = FlagState {
            updated_at: NOW + time::Duration::DAY,
            version: 7,
            ..FlagState::initial(NOW)
        };
        assert_eq!(changed_parts(Some(&before), &after), None);
    }
}
