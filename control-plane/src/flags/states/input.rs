//! What a client may say about a flag state, and the rules for it (decisions 2.5).

use protocol::{
    objects::Objects,
    rule::{TargetingRule, Variant},
};
use serde::Deserialize;
use serde_json::Value;
use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc3339};
use utoipa::ToSchema;

use super::model::{BasisPoints, FlagState};
use crate::{
    flags::{document, model::FlagType, rules::check_rules, variants::check_variants},
    input::{Invalid, Patch},
    members::permissions::model::Touches,
};

/// A partial update of a flag state: the body of the state PUT, and the payload of an approval request.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
pub struct StatePatch {
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    enabled: Patch<bool>,
    /// `null` clears it.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    default_value: Patch<Value>,
    #[serde(default)]
    #[schema(value_type = Vec<document::TargetingRule>, required = false)]
    rules: Patch<Objects<TargetingRule>>,
    /// Basis points; `null` un-sets it.
    #[serde(default)]
    #[schema(value_type = Option<i64>)]
    percentage_rollout: Patch<i64>,
    #[serde(default)]
    #[schema(value_type = Vec<document::Variant>, required = false)]
    variants: Patch<Objects<Variant>>,
    /// RFC 3339; an empty text and `null` clear it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    scheduled_enable_at: Patch<String>,
    /// RFC 3339; an empty text and `null` clear it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    scheduled_disable_at: Patch<String>,
}

impl StatePatch {
    /// Switches the flag on or off, and nothing else.
    #[must_use]
    pub fn toggle(enabled: bool) -> Self {
        Self {
            enabled: Patch::Set(enabled),
            ..Self::default()
        }
    }

    /// Checks all that is given for a flag of this type, and changes nothing.
    ///
    /// # Errors
    /// When a field breaks a rule.
    pub fn check(self, flag_type: FlagType, now: OffsetDateTime) -> Result<(), Invalid> {
        self.apply(&mut FlagState::initial(now), flag_type)
    }

    /// What the given fields are about; nothing when none is given.
    #[must_use]
    pub const fn touches(&self) -> Touches {
        Touches {
            toggle: !(self.enabled.is_keep()
                && self.scheduled_enable_at.is_keep()
                && self.scheduled_disable_at.is_keep()),
            rules: !(self.default_value.is_keep()
                && self.rules.is_keep()
                && self.percentage_rollout.is_keep()
                && self.variants.is_keep()),
        }
    }

    /// The state of a flag of this type as it is asked to be. All that is given is checked; what is not given stays.
    ///
    /// # Errors
    /// When a field breaks a rule.
    pub fn apply(self, state: &mut FlagState, flag_type: FlagType) -> Result<(), Invalid> {
        if let Some(enabled) = self.enabled.not_null("enabled")? {
            state.enabled = enabled;
        }
        match self.default_value {
            Patch::Keep => {}
            Patch::Clear => state.default_value = None,
            Patch::Set(value) => {
                flag_type.check("default_value", &value)?;
                state.default_value = Some(value);
            }
        }
        if let Some(Objects(rules)) = self.rules.not_null("rules")? {
            state.rules = check_rules(rules, flag_type)?;
        }
        match self.percentage_rollout {
            Patch::Keep => {}
            Patch::Clear => state.percentage_rollout = None,
            Patch::Set(number) => {
                state.percentage_rollout = Some(BasisPoints::new("percentage_rollout", number)?);
            }
        }
        if let Some(Objects(variants)) = self.variants.not_null("variants")? {
            check_variants(&variants)?;
            state.variants = variants;
        }
        if let Some(text) = self.scheduled_enable_at.or_empty() {
            state.scheduled_enable_at = due_time("scheduled_enable_at", &text)?;
        }
        if let Some(text) = self.scheduled_disable_at.or_empty() {
            state.scheduled_disable_at = due_time("scheduled_disable_at", &text)?;
        }
        Ok(())
    }
}

/// A time in UTC, cut to the microseconds that the database keeps; none when the text is empty. A time in the past is fine.
fn due_time(field: &str, text: &str) -> Result<Option<OffsetDateTime>, Invalid> {
    if text.is_empty() {
        return Ok(None);
    }
    let invalid = || Invalid::new(format!("{field} must be an RFC 3339 date-time"));
    let time = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| invalid())?;
    // At the ends of the calendar the change of offset leaves the years that can be written.
    let time = time
        .checked_to_offset(UtcOffset::UTC)
        .filter(|time| (0..=9999).contains(&time.year()));
    let micros = time.ok_or_else(invalid)?.truncate_to_microsecond();
    Ok(Some(micros))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-01-02 03:04:05 UTC);

    fn applied(patch: Value, flag_type: FlagType) -> Result<FlagState, String> {
        let mut state = FlagState::initial(NOW);
        serde_json::from_value::<StatePatch>(patch)
            .unwrap()
            .apply(&mut state, flag_type)
            .map_err(|invalid| invalid.to_string())?;
        Ok(state)
    }

    #[test]
    fn a_patch_touches_the_toggle_or_the_rules() {
        let touches = |patch: Value| {
            let touches = serde_json::from_value::<StatePatch>(patch)
                .unwrap()
                .touches();
            (touches.toggle, touches.rules)
        };
        assert_eq!(touches(json!({"name": "ignored"})), (false, false));
        for field in ["enabled", "scheduled_enable_at", "scheduled_disable_at"] {
            assert_eq!(touches(json!({field: null})), (true, false), "{field}");
        }
        for field in ["default_value", "rules", "percentage_rollout", "variants"] {
            assert_eq!(touches(json!({field: null})), (false, true), "{field}");
        }
        assert_eq!(touches(json!({"enabled": true, "rules": []})), (true, true));
    }

    #[test]
    fn absent_fields_stay() {
        let mut state = FlagState::initial(NOW);
        state.enabled = true;
        state.default_value = Some(json!(true));
        state.scheduled_enable_at = Some(NOW);
        let before = state.clone();
        StatePatch::default()
            .apply(&mut state, FlagType::Boolean)
            .unwrap();
        assert_eq!(state, before);
    }

    #[test]
    fn null_clears_what_can_be_unset_and_nothing_else() {
        let mut state = FlagState::initial(NOW);
        state.default_value = Some(json!(true));
        state.percentage_rollout = BasisPoints::new("percentage_rollout", 5).ok();
        state.scheduled_enable_at = Some(NOW);
        state.scheduled_disable_at = Some(NOW);
        let patch = json!({"default_value": null, "percentage_rollout": null, "scheduled_enable_at": null,
                           "scheduled_disable_at": ""});
        serde_json::from_value::<StatePatch>(patch)
            .unwrap()
            .apply(&mut state, FlagType::Boolean)
            .unwrap();
        assert_eq!(
            state,
            FlagState {
                id: state.id,
                ..FlagState::initial(NOW)
            }
        );

        for field in ["enabled", "rules", "variants"] {
            let refused = applied(json!({field: null}), FlagType::Boolean).unwrap_err();
            assert_eq!(refused, format!("{field} must not be null"));
        }
    }

    #[test]
    fn due_times_take_any_offset_and_become_utc() {
        let due = |text: &str| {
            applied(json!({"scheduled_enable_at": text}), FlagType::Boolean)
                .map(|state| state.scheduled_enable_at)
        };
        assert_eq!(
            due("2020-02-29T23:30:00.1234567-01:00"),
            Ok(Some(datetime!(2020-03-01 00:30:00.123456 UTC)))
        );
        assert_eq!(
            due("9999-12-31T23:59:59Z"),
            Ok(Some(datetime!(9999-12-31 23:59:59 UTC)))
        );
        for text in [
            "tomorrow",
            "2026-01-01",
            " ",
            "9999-12-31T23:59:59-01:00",
            "0000-01-01T00:00:00+01:00",
        ] {
            let refused = due(text).unwrap_err();
            assert_eq!(
                refused, "scheduled_enable_at must be an RFC 3339 date-time",
                "{text}"
            );
        }
    }

    #[test]
    fn the_environment_default_has_the_flags_type() {
        assert!(applied(json!({"default_value": "a"}), FlagType::String).is_ok());
        assert!(applied(json!({"default_value": "a"}), FlagType::Ab).is_ok());
        let refused = applied(json!({"default_value": "a"}), FlagType::Number).unwrap_err();
        assert_eq!(refused, "default_value must be a number");
    }
}
