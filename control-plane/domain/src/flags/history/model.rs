//! Versions as the API shows them, and what they say besides what was stored.

use serde::Serialize;
use serde_json::{Map, json};
use sqlx::types::Json;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use utoipa::ToSchema;

use crate::{
    flags::{model::Flag, states::model::FlagState},
    members::permissions::model::Touches,
    unit::Difference,
};
use base::ids::{ApprovalId, EnvId, UserId};

/// A version in the history of a flag.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FlagVersionItem)]
pub struct VersionItem {
    /// Counts the changes of the flag.
    pub version: i64,
    /// When it was made.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// Who made it.
    pub actor: VersionActor,
    /// What happened, as the audit trail names it.
    pub action: String,
    /// The environment whose state it is of; `null` for the flag's own fields.
    #[schema(required)]
    pub env_id: Option<EnvId>,
    /// The fields that differ from the version before.
    #[schema(value_type = Vec<String>)]
    pub changed: Json<Vec<String>>,
    /// The request for approval that was approved.
    #[schema(required)]
    pub approval_id: Option<ApprovalId>,
    /// Why it was made; absent if nobody said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub comment: Option<String>,
}

/// Who made a version.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FlagVersionActor)]
pub struct VersionActor {
    /// The id of the user; `null` for the system.
    #[schema(required)]
    pub id: Option<UserId>,
    /// `user` or `system`.
    #[serde(rename = "type")]
    pub actor_type: String,
    /// What the user is called now; `null` for the system, and for somebody who is gone.
    #[schema(required)]
    pub name: Option<String>,
}

/// What a flag and its state in an environment were at a version.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = FlagVersion)]
pub struct ShownVersion {
    /// The version.
    pub version: i64,
    /// `null` where it says that the flag was deleted.
    #[schema(required)]
    pub flag: Option<Flag>,
    /// `null` where none was stored.
    #[schema(required)]
    pub state: Option<FlagState>,
}

/// What is kept with the rules of a state, and not shown: what their patterns take.
pub(super) const PATTERN_BYTES: &str = "pattern_bytes";

/// What an update of a flag has changed; `None` if nothing.
pub fn changed_fields(before: &Flag, after: &Flag) -> Option<Difference> {
    let fields = [
        ("name", before.name != after.name),
        ("description", before.description != after.description),
        ("default_value", before.default_value != after.default_value),
        ("tags", before.tags != after.tags),
        ("prerequisites", before.prerequisites != after.prerequisites),
        (
            "mutual_exclusion_group",
            before.mutual_exclusion_group != after.mutual_exclusion_group,
        ),
        ("permanent", before.permanent != after.permanent),
        ("owner_id", before.owner_id != after.owner_id),
    ];
    let changed = named(&fields)?;
    let member = |name| match name {
        "name" => json!(before.name),
        "description" => json!(before.description),
        "default_value" => before.default_value.clone(),
        "tags" => json!(before.tags),
        "prerequisites" => json!(before.prerequisites),
        "permanent" => json!(before.permanent),
        "owner_id" => json!(before.owner_id),
        _ => json!(before.mutual_exclusion_group),
    };
    let members: Map<_, _> = changed
        .iter()
        .map(|&name| (name.to_owned(), member(name)))
        .collect();
    let before = Some(members.into());
    Some(Difference { changed, before })
}

/// What a state has otherwise than what was there before: another one, or nothing. `None` if nothing.
pub fn changed_parts(before: Option<&FlagState>, after: &FlagState) -> Option<Difference> {
    let Some(before) = before else {
        let changed = named(&differences(&FlagState::initial(after.updated_at), after))?;
        return Some(Difference {
            changed,
            before: None,
        });
    };
    let changed = named(&differences(before, after))?;
    let due = |due: Option<OffsetDateTime>| json!(due.and_then(|due| due.format(&Rfc3339).ok()));
    let member = |name| match name {
        "enabled" => json!(before.enabled),
        "default_value" => json!(before.default_value),
        "rules" => json!(before.rules),
        "percentage_rollout" => json!(before.percentage_rollout),
        "variants" => json!(before.variants),
        "bucketing" => json!(before.bucketing),
        "scheduled_enable_at" => due(before.scheduled_enable_at),
        _ => due(before.scheduled_disable_at),
    };
    let mut members: Map<_, _> = changed
        .iter()
        .map(|&name| (name.to_owned(), member(name)))
        .collect();
    if changed.contains(&"rules") {
        members.insert(PATTERN_BYTES.to_owned(), json!(before.pattern_bytes));
    }
    let before = Some(members.into());
    Some(Difference { changed, before })
}

/// Which halves of a state differ.
pub fn touched(before: &FlagState, after: &FlagState) -> Touches {
    let differ = |names: &[&str]| {
        let mut all = differences(before, after).into_iter();
        all.any(|(name, differs)| differs && names.contains(&name))
    };
    Touches {
        toggle: differ(&["enabled", "scheduled_enable_at", "scheduled_disable_at"]),
        rules: differ(&[
            "default_value",
            "rules",
            "percentage_rollout",
            "variants",
            "bucketing",
        ]),
    }
}

fn differences(before: &FlagState, after: &FlagState) -> [(&'static str, bool); 8] {
    [
        ("enabled", before.enabled != after.enabled),
        ("default_value", before.default_value != after.default_value),
        ("rules", before.rules != after.rules),
        (
            "percentage_rollout",
            before.percentage_rollout != after.percentage_rollout,
        ),
        ("variants", before.variants != after.variants),
        ("bucketing", before.bucketing != after.bucketing),
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

fn named(fields: &[(&'static str, bool)]) -> Option<Vec<&'static str>> {
    let names = fields.iter().filter(|(_, differs)| *differs);
    let names: Vec<_> = names.map(|(name, _)| *name).collect();
    (!names.is_empty()).then_some(names)
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
        let difference = Difference {
            changed: vec!["enabled", "scheduled_disable_at"],
            before: None,
        };
        assert_eq!(changed_parts(None, &state), Some(difference));
    }

    #[test]
    fn of_what_was_there_only_what_differs_is_kept() {
        let before = FlagState {
            default_value: Some(json!("large")),
            scheduled_enable_at: Some(NOW),
            pattern_bytes: 7,
            ..FlagState::initial(NOW)
        };
        let after = FlagState {
            enabled: true,
            scheduled_enable_at: None,
            ..before.clone()
        };
        let kept = changed_parts(Some(&before), &after).unwrap().before;
        let was = json!({"enabled": false, "scheduled_enable_at": "1970-01-01T00:00:00Z"});
        assert_eq!(kept, Some(was));
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
