//! An approval request, and what approving it would change.

use protocol::{
    objects::Objects,
    rule::{TargetingRule, Variant},
};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use serde_json::{Map, Value};
use sqlx::types::Json;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    flags::states::input::StatePatch,
    ids::{ApprovalId, EnvId, FlagId, ProjectId, UserId},
    input::Invalid,
};

/// What of a payload no flag state has is kept as it was given, up to so many bytes.
const MAX_FOREIGN: usize = 4 * 1024;

/// An approval request.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// The project of flag and environment.
    #[serde(skip)]
    pub project_id: ProjectId,
    /// The flag, which may be gone.
    pub flag_id: FlagId,
    /// The environment, which may be gone.
    pub env_id: EnvId,
    /// What the change is called. `enable` and `disable` mean something without a payload.
    pub change_type: String,
    /// Where it stands.
    pub status: Status,
    /// The flag state to apply; empty when none was given.
    #[schema(value_type = StatePatch)]
    pub payload: Payload,
    /// Who asked.
    pub requestor_id: UserId,
    /// Who decided; `null` before that.
    pub reviewer_id: Option<UserId>,
    /// What the reviewer noted, if anything.
    pub review_note: Option<String>,
    /// When it was decided.
    #[serde(with = "time::serde::rfc3339::option")]
    pub reviewed_at: Option<OffsetDateTime>,
    /// When it was asked for.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl Approval {
    /// The request after the decision of `reviewer`.
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

/// Where a request stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Status {
    /// Nobody decided yet.
    Pending,
    /// Approved and not yet applied. Both happen in one transaction, so a filter is the only place to meet it.
    Approved,
    /// Refused by the reviewer.
    Rejected,
    /// Approved, and the state changed.
    Applied,
}

impl Status {
    /// Parses the filter `status` of a query.
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

/// What a reviewer decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Approve,
    /// The change is not applied.
    Reject,
}

impl Verdict {
    /// Parses the field `action` of a body.
    pub fn parse(text: Option<&str>) -> Result<Self, Invalid> {
        match text {
            Some("approve") => Ok(Self::Approve),
            Some("reject") => Ok(Self::Reject),
            _ => Err(Invalid::new("action must be approve or reject")),
        }
    }
}

/// A partial flag state as given, including unknown fields. Reading one from a body checks that it has the form of a
/// state PUT; whether its values suit the flag is checked when the flag is known.
#[derive(Clone, Debug, Default, Serialize, sqlx::Type)]
#[serde(transparent)]
#[sqlx(transparent)]
pub struct Payload(Json<Map<String, Value>>);

impl Payload {
    /// What approving a request with this payload changes; `None` if nothing. An empty payload counts as none. An error
    /// if the stored payload no longer has the form of a state PUT.
    pub fn wish(&self, change_type: &str) -> Result<Option<StatePatch>, Invalid> {
        let Self(Json(fields)) = self;
        match change_type {
            _ if !fields.is_empty() => read(fields)
                .map(Some)
                .map_err(|_| Invalid::new("payload is no flag state")),
            "enable" => Ok(Some(StatePatch::toggle(true))),
            "disable" => Ok(Some(StatePatch::toggle(false))),
            _ => Ok(None),
        }
    }

    /// Refuses a payload that is mostly something else than a flag state.
    pub fn check_size(&self) -> Result<(), Invalid> {
        let Self(Json(fields)) = self;
        let foreign = |(name, value): (&String, &Value)| match name.as_str() {
            "rules" => beyond::<Objects<TargetingRule>>(value, |Objects(rules)| length(rules)),
            "variants" => beyond::<Objects<Variant>>(value, |Objects(variants)| length(variants)),
            known if StatePatch::FIELDS.contains(&known) => 0,
            _ => name.len() + length(value),
        };
        if fields.iter().map(foreign).sum::<usize>() > MAX_FOREIGN {
            return Err(Invalid::new(
                "payload must have at most 4 KiB of fields that no flag state has",
            ));
        }
        Ok(())
    }
}

/// How many bytes of a value are not in what is read of it.
fn beyond<'a, T: Deserialize<'a>>(value: &'a Value, known: fn(&T) -> usize) -> usize {
    T::deserialize(value).map_or(0, |read| length(value).saturating_sub(known(&read)))
}

fn length(part: &impl Serialize) -> usize {
    serde_json::to_string(part).map_or(0, |text| text.len())
}

impl<'de> Deserialize<'de> for Payload {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let fields = Map::deserialize(input)?;
        read(&fields).map_err(D::Error::custom)?;
        Ok(Self(Json(fields)))
    }
}

fn read(fields: &Map<String, Value>) -> serde_json::Result<StatePatch> {
    StatePatch::deserialize(fields)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::macros::datetime;

    use super::*;
    use crate::{
        flags::{model::FlagType, states::model::FlagState},
        unit::Wish,
    };

    const NOW: OffsetDateTime = datetime!(2026-01-02 03:04:05 UTC);

    /// The result of applying the change to a state that was on.
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
    fn what_no_flag_state_has_is_bounded_wherever_it_is() {
        let long = "x".repeat(MAX_FOREIGN);
        let checked = |payload: Value| {
            let payload: Payload = serde_json::from_value(payload).unwrap();
            payload.check_size().is_ok()
        };
        assert!(checked(
            json!({"default_value": long, "rules": [{"value": long}]})
        ));
        assert!(checked(json!({"more": "x".repeat(MAX_FOREIGN / 2)})));
        for foreign in [
            json!({"more": long}),
            json!({&long: 1}),
            json!({"rules": [{"more": [long, long], "value": long}]}),
            json!({"rules": [{"conditions": [{"attribute": "a", "operator": "exists", "more": [long, long]}]}]}),
            json!({"variants": [{"key": "a", "weight": 10000, "more": [long, long]}]}),
        ] {
            assert!(!checked(foreign.clone()), "{:.80}", foreign.to_string());
        }
    }

    #[test]
    fn a_payload_in_the_form_of_a_state_is_kept_as_given() {
        let given = json!({"rules": [{"id": "r", "unknown": 1.50}], "more": {"of": "it"}});
        let payload: Payload = serde_json::from_value(given.clone()).unwrap();
        assert_eq!(serde_json::to_value(payload).unwrap(), given);

        for wrong in [
            json!([]),
            json!("enabled"),
            json!({"enabled": "yes"}),
            json!({"rules": [["r"]]}),
        ] {
            assert!(serde_json::from_value::<Payload>(wrong).is_err());
        }
    }
}
