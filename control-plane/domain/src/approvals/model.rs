//! An approval request, and the change that its approval applies.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use serving::place::{Place, Step};
use sqlx::types::Json;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::basis::fields_among;
use crate::flags::states::input::StatePatch;
use base::{
    ids::{ApprovalId, EnvId, FlagId, ProjectId, UserId},
    input::Invalid,
};

/// Bytes of payload fields that are not part of a flag state; they are kept as given.
const MAX_FOREIGN: usize = 4 * 1024;

/// An approval request.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// The project of both, which may be gone.
    pub project_id: ProjectId,
    /// Its slug; `null` once it is gone.
    #[schema(required)]
    pub project_slug: Option<String>,
    /// The flag, which may be gone.
    pub flag_id: FlagId,
    /// Its key; `null` once it is gone.
    #[schema(required)]
    pub flag_key: Option<String>,
    /// The environment, which may be gone.
    pub env_id: EnvId,
    /// Its slug; `null` once it is gone.
    #[schema(required)]
    pub env_slug: Option<String>,
    /// What the change is called. `enable` and `disable` mean something without a payload.
    pub change_type: String,
    /// Where it stands.
    pub status: Status,
    /// The fields of the flag state to change, as they were given; empty when none were.
    #[schema(value_type = Object)]
    pub payload: Payload,
    /// What the requestor noted; empty for nothing.
    pub note: String,
    /// Who asked.
    pub requestor_id: UserId,
    /// Their name; `null` once the account is gone.
    #[schema(required)]
    pub requestor_name: Option<String>,
    /// Who decided; `null` before that. The requestor, where they withdrew it.
    #[schema(required)]
    pub reviewer_id: Option<UserId>,
    /// Their name; `null` before that, and once the account is gone.
    #[schema(required)]
    pub reviewer_name: Option<String>,
    /// What the reviewer noted, if anything.
    #[schema(required)]
    pub review_note: Option<String>,
    /// When it was decided.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub reviewed_at: Option<OffsetDateTime>,
    /// How many people must approve it: the environment's number now, or the one at the decision.
    pub required_approvals: i32,
    /// Who approved it so far, in order. Those who lost the right to review do not count, and the next approval takes them out.
    #[schema(value_type = Vec<GivenApproval>)]
    pub approvals: Json<Vec<GivenApproval>>,
    /// When it was asked for.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// One person's approval.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct GivenApproval {
    /// Who gave it.
    pub reviewer_id: UserId,
    /// What they noted, if anything.
    #[schema(required)]
    pub note: Option<String>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub reviewed_at: OffsetDateTime,
}

impl Approval {
    /// The request with these approvals, of which more are required.
    pub fn approved_by(&self, approvals: Vec<GivenApproval>, now: OffsetDateTime) -> Self {
        Self {
            approvals: Json(approvals),
            updated_at: now,
            ..self.clone()
        }
    }

    pub fn reviewed(
        &self,
        verdict: Verdict,
        note: Option<String>,
        reviewer: UserId,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            status: match verdict {
                Verdict::Approve => Status::Applied,
                Verdict::Reject => Status::Rejected,
            },
            reviewer_id: Some(reviewer),
            review_note: note,
            reviewed_at: Some(now),
            updated_at: now,
            ..self.clone()
        }
    }
}

/// Lists requests that match every filter given.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter {
    pub status: Option<Status>,
    pub project_id: Option<ProjectId>,
    pub flag_id: Option<FlagId>,
    pub requestor_id: Option<UserId>,
}

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[schema(as = ApprovalStatus)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Status {
    /// Not decided yet.
    Pending,
    /// Approved and not yet applied. Both happen in one transaction, so a filter is the only place to meet it.
    Approved,
    Rejected,
    /// Approved and applied.
    Applied,
}

impl Status {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        Ok(match text {
            "pending" => Self::Pending,
            "approved" => Self::Approved,
            "rejected" => Self::Rejected,
            "applied" => Self::Applied,
            _ => {
                return Err(Invalid::new(
                    "status must be one of pending, approved, rejected, applied",
                ));
            }
        })
    }
}

/// What a reviewer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ChangeSetVerdict)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    Approve,
    Reject,
}

impl Verdict {
    pub fn parse(text: Option<&str>) -> Result<Self, Invalid> {
        match text {
            Some("approve") => Ok(Self::Approve),
            Some("reject") => Ok(Self::Reject),
            _ => Err(Invalid::new("action must be approve or reject")),
        }
    }
}

/// A partial flag state as given, including unknown fields. Whether its values suit the flag is checked when the flag is known.
#[derive(Clone, Debug, Default, Serialize, Deserialize, sqlx::Type)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Payload(Json<Map<String, Value>>);

impl Payload {
    /// The change to apply on approval; `None` if there is none. An empty payload counts as none. An error if the payload is
    /// not the body of a state PUT: a stored one may predate stricter checks.
    pub fn wish(&self, change_type: &str) -> Result<Option<StatePatch>, Invalid> {
        let Self(Json(fields)) = self;
        match change_type {
            _ if !fields.is_empty() => read(fields).map(Some),
            "enable" => Ok(Some(StatePatch::toggle(true))),
            "disable" => Ok(Some(StatePatch::toggle(false))),
            _ => Ok(None),
        }
    }

    /// The fields of the flag state that it changes.
    pub fn fields(&self, change_type: &str) -> Vec<&'static str> {
        let Self(Json(fields)) = self;
        match change_type {
            _ if !fields.is_empty() => fields_among(fields),
            "enable" | "disable" => vec!["enabled"],
            _ => Vec::new(),
        }
    }

    /// These fields as they were given; where none were, what the change type says.
    pub(super) fn named(&self, fields: &[&str], change_type: &str) -> Map<String, Value> {
        let Self(Json(given)) = self;
        let value = |name: &str| match given.get(name) {
            Some(value) => value.clone(),
            None => json!(change_type == "enable"),
        };
        let fields = fields.iter();
        fields.map(|&name| (name.to_owned(), value(name))).collect()
    }

    /// Size as compact JSON.
    pub fn bytes(&self) -> usize {
        let Self(Json(fields)) = self;
        length(fields)
    }

    /// Refuses a payload with too many fields foreign to a flag state. Its rules allow none.
    pub fn check_size(&self) -> Result<(), Invalid> {
        let Self(Json(fields)) = self;
        let foreign = fields
            .iter()
            .filter(|(name, _)| !StatePatch::FIELDS.contains(&name.as_str()))
            .map(|(name, value)| length(name) + length(value));
        if foreign.sum::<usize>() > MAX_FOREIGN {
            return Err(Invalid::new(
                "payload must have at most 4 KiB of fields that no flag state has",
            ));
        }
        Ok(())
    }
}

fn length(part: &impl Serialize) -> usize {
    serde_json::to_string(part).map_or(0, |text| text.len())
}

/// Parses them as a state PUT does: a rule with an unknown field is invalid.
fn read(fields: &Map<String, Value>) -> Result<StatePatch, Invalid> {
    let mut unknown = None;
    let patch = serde_ignored::deserialize(fields, |path| {
        let place = Place::from(&path);
        let is_in_list = place
            .steps()
            .iter()
            .any(|step| matches!(step, Step::Item(_)));
        if is_in_list && unknown.is_none() {
            unknown = Some(place);
        }
    });
    match unknown {
        Some(place) => Err(Invalid::new(format!("payload.{place} is no field"))),
        None => patch.map_err(|_| Invalid::new("payload is no flag state")),
    }
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use crate::{
        flags::{model::FlagType, states::model::FlagState},
        unit::Wish,
    };

    const NOW: OffsetDateTime = datetime!(2026-01-02 03:04:05 UTC);

    /// The result of applying the change to an enabled state.
    fn applied(change_type: &str, payload: Value) -> Option<FlagState> {
        let state = FlagState {
            enabled: true,
            ..FlagState::initial(NOW)
        };
        let payload: Payload = serde_json::from_value(payload).unwrap();
        let patch = payload.wish(change_type).unwrap()?;
        let wish = patch.check(FlagType::Boolean, NOW).unwrap();
        Some(wish.apply(&Some(state)))
    }

    #[test]
    fn without_a_payload_the_change_type_may_say_it_all() {
        assert!(applied("enable", json!({})).unwrap().enabled);
        assert!(!applied("disable", json!({})).unwrap().enabled);
        for other in ["update_state", "Enable", "enable "] {
            assert_eq!(applied(other, json!({})), None, "{other:?}");
        }
    }

    #[test]
    fn a_payload_says_it_alone() {
        let changed = applied("disable", json!({"percentage_rollout": 5})).unwrap();
        assert!(changed.enabled);
        assert_eq!(changed.percentage_rollout.map(i64::from), Some(5));
        assert!(
            !applied("enable", json!({"enabled": false}))
                .unwrap()
                .enabled
        );
    }

    #[test]
    fn what_no_flag_state_has_is_bounded() {
        let long = "x".repeat(MAX_FOREIGN);
        let checked = |payload: Value| {
            let payload: Payload = serde_json::from_value(payload).unwrap();
            payload.check_size().is_ok()
        };
        assert!(checked(
            json!({"default_value": long, "rules": [{"value": long}]})
        ));
        assert!(checked(json!({"more": "x".repeat(MAX_FOREIGN / 2)})));
        for foreign in [json!({"more": long}), json!({&long: 1})] {
            assert!(!checked(foreign.clone()), "{:.80}", foreign.to_string());
        }
    }

    #[test]
    fn a_payload_in_the_form_of_a_state_is_kept_as_given() {
        let given =
            json!({"rules": [{"id": "r"}], "default_value": 1.50, "more": {"of": [{"it": 1}]}});
        let payload: Payload = serde_json::from_value(given.clone()).unwrap();
        assert!(payload.wish("update_state").unwrap().is_some());
        assert_eq!(serde_json::to_value(payload).unwrap(), given);
    }

    #[test]
    fn a_stored_payload_is_read_as_strictly_as_a_new_one() {
        for (wrong, message) in [
            (json!({"enabled": "yes"}), "payload is no flag state"),
            (json!({"rules": [["r"]]}), "payload is no flag state"),
            (
                json!({"rules": [{"segmentKeys": ["beta"], "value": true}]}),
                "payload.rules[0].segmentKeys is no field",
            ),
            (
                json!({"rules": [{}, {"conditions": [{"attribute": "a", "op": "in"}]}]}),
                "payload.rules[1].conditions[0].op is no field",
            ),
        ] {
            let payload: Payload = serde_json::from_value(wrong).unwrap();
            let refused = payload.wish("update_state").unwrap_err();
            assert_eq!(refused.to_string(), message);
        }
    }
}
