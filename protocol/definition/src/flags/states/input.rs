//! Flag states as sent by clients, and the rules for them.

use protocol::{
    bucketing::Bucketing,
    objects::Objects,
    rule::{Points, TargetingRule, Variant},
};
use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::{BasisPoints, FlagState};
use crate::input::{Invalid, Patch, date_time, is_longer_than};
use crate::{
    flags::states::touches::Touches,
    flags::{
        document,
        model::FlagType,
        rules::{CheckedRules, check_rules},
        variants::check_variants,
    },
    wish::Wish,
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
    #[schema(value_type = Vec<document::TargetingRuleInput>, required = false)]
    rules: Patch<Objects<TargetingRule>>,
    /// Basis points; `null` un-sets it.
    #[serde(default)]
    #[schema(value_type = Option<BasisPoints>)]
    percentage_rollout: Patch<Points>,
    #[serde(default)]
    #[schema(value_type = Vec<document::VariantInput>, required = false)]
    variants: Patch<Objects<Variant>>,
    /// How percentages and variants draw; `null` for Halyard's own way.
    #[serde(default)]
    #[schema(value_type = Option<document::Bucketing>)]
    bucketing: Patch<Bucketing>,
    /// RFC 3339; an empty text and `null` clear it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    scheduled_enable_at: Patch<String>,
    /// RFC 3339; an empty text and `null` clear it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    scheduled_disable_at: Patch<String>,
}

/// The requested changes to a state, checked for a flag type.
#[derive(Clone, Debug)]
pub struct StateWish {
    /// The type of the flag it was checked for.
    pub flag_type: FlagType,
    enabled: Option<bool>,
    default_value: Patch<Value>,
    rules: Option<CheckedRules>,
    percentage_rollout: Patch<BasisPoints>,
    variants: Option<Vec<Variant>>,
    bucketing: Patch<Bucketing>,
    scheduled_enable_at: Patch<OffsetDateTime>,
    scheduled_disable_at: Patch<OffsetDateTime>,
    /// The initial state, if none was ever stored.
    initial: FlagState,
}

impl StatePatch {
    pub const FIELDS: [&str; 8] = [
        "enabled",
        "default_value",
        "rules",
        "percentage_rollout",
        "variants",
        "bucketing",
        "scheduled_enable_at",
        "scheduled_disable_at",
    ];

    /// Switches the flag on or off, and changes nothing else.
    pub fn toggle(enabled: bool) -> Self {
        Self {
            enabled: Patch::Set(enabled),
            ..Self::default()
        }
    }

    /// Checks the given fields for a flag of this type. Compiles regular expressions to check them.
    pub fn check(self, flag_type: FlagType, now: OffsetDateTime) -> Result<StateWish, Invalid> {
        let enabled = self.enabled.not_null("enabled")?;
        if let Patch::Set(value) = &self.default_value {
            flag_type.check("default_value", value)?;
        }
        let rules = self.rules.not_null("rules")?;
        let rules = rules.map(|Objects(rules)| check_rules(rules, flag_type));
        let rules = rules.transpose()?;
        let percentage_rollout = self
            .percentage_rollout
            .try_map(|Points(number)| BasisPoints::new("percentage_rollout", number))?;
        let variants = self.variants.not_null("variants")?;
        let variants = variants.map(|Objects(variants)| variants);
        if let Some(variants) = &variants {
            check_variants(variants)?;
        }
        if let Patch::Set(bucketing) = &self.bucketing {
            check_bucketing(bucketing)?;
        }
        Ok(StateWish {
            flag_type,
            enabled,
            default_value: self.default_value,
            rules,
            percentage_rollout,
            variants,
            bucketing: self.bucketing,
            scheduled_enable_at: due_time("scheduled_enable_at", self.scheduled_enable_at)?,
            scheduled_disable_at: due_time("scheduled_disable_at", self.scheduled_disable_at)?,
            initial: FlagState::initial(now),
        })
    }
}

impl StateWish {
    pub fn rules(&self) -> &[TargetingRule] {
        self.rules.as_ref().map_or(&[], |checked| &checked.rules)
    }

    /// Gives rules that came without an id those of equal rules at their positions, which they keep.
    pub fn name_rules_as(&mut self, rules: &[TargetingRule]) {
        if let Some(checked) = &mut self.rules {
            checked.name_as(rules);
        }
    }

    pub fn percentage_rollout(&self) -> Option<i64> {
        match self.percentage_rollout {
            Patch::Set(points) => Some(points.into()),
            Patch::Keep | Patch::Clear => None,
        }
    }

    pub fn has_variants(&self) -> bool {
        self.variants.as_ref().is_some_and(|list| !list.is_empty())
    }

    /// The halves of the state that the given fields affect.
    pub const fn touches(&self) -> Touches {
        Touches {
            toggle: self.enabled.is_some()
                || !self.scheduled_enable_at.is_keep()
                || !self.scheduled_disable_at.is_keep(),
            rules: !self.default_value.is_keep()
                || self.rules.is_some()
                || !self.percentage_rollout.is_keep()
                || self.variants.is_some()
                || !self.bucketing.is_keep(),
        }
    }
}

impl Wish for StateWish {
    /// The stored state; `None` if there never was one.
    type Of = Option<FlagState>;
    type Made = FlagState;

    fn apply(&self, stored: &Option<FlagState>) -> FlagState {
        let mut state = stored.as_ref().unwrap_or(&self.initial).clone();
        if let Some(enabled) = self.enabled {
            state.enabled = enabled;
        }
        self.default_value.write_to(&mut state.default_value);
        if let Some(checked) = &self.rules {
            state.rules = checked.in_place_of(&state.rules);
            state.pattern_bytes = checked.pattern_bytes;
        }
        self.percentage_rollout
            .write_to(&mut state.percentage_rollout);
        if let Some(variants) = &self.variants {
            state.variants.clone_from(variants);
        }
        self.bucketing.write_to(&mut state.bucketing);
        self.scheduled_enable_at
            .write_to(&mut state.scheduled_enable_at);
        self.scheduled_disable_at
            .write_to(&mut state.scheduled_disable_at);
        state.compiled_bytes = state.measure();
        state
    }
}

pub fn check_bucketing(bucketing: &Bucketing) -> Result<(), Invalid> {
    let (name, text) = bucketing.text();
    let most = Bucketing::MAX_TEXT;
    if is_longer_than(text, most) {
        let words = format!("bucketing.{name} must have at most {most} characters");
        return Err(Invalid::new(words));
    }
    if text.contains('\0') {
        let words = format!("bucketing.{name} must not contain a NUL character");
        return Err(Invalid::new(words));
    }
    Ok(())
}

/// A time; an empty text clears it. It may be in the past.
fn due_time(field: &str, given: Patch<String>) -> Result<Patch<OffsetDateTime>, Invalid> {
    let text = match given {
        Patch::Keep => return Ok(Patch::Keep),
        Patch::Clear => return Ok(Patch::Clear),
        Patch::Set(text) if text.is_empty() => return Ok(Patch::Clear),
        Patch::Set(text) => text,
    };
    let invalid = || Invalid::new(format!("{field} must be an RFC 3339 date-time"));
    date_time(&text).map(Patch::Set).ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use time::macros::datetime;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-01-02 03:04:05 UTC);

    fn wish(patch: Value, flag_type: FlagType) -> Result<StateWish, String> {
        serde_json::from_value::<StatePatch>(patch)
            .unwrap()
            .check(flag_type, NOW)
            .map_err(|invalid| invalid.to_string())
    }

    fn applied(patch: Value, flag_type: FlagType) -> Result<FlagState, String> {
        wish(patch, flag_type).map(|wish| wish.apply(&None))
    }

    #[test]
    fn a_patch_touches_the_toggle_or_the_rules() {
        let touches = |patch: Value| {
            let touches = wish(patch, FlagType::Boolean).unwrap().touches();
            (touches.toggle, touches.rules)
        };
        assert_eq!(touches(json!({"name": "ignored"})), (false, false));
        for patch in [
            json!({"enabled": true}),
            json!({"scheduled_enable_at": null}),
            json!({"scheduled_disable_at": ""}),
        ] {
            assert_eq!(touches(patch.clone()), (true, false), "{patch}");
        }
        for patch in [
            json!({"default_value": null}),
            json!({"rules": []}),
            json!({"percentage_rollout": null}),
            json!({"variants": []}),
            json!({"bucketing": null}),
        ] {
            assert_eq!(touches(patch.clone()), (false, true), "{patch}");
        }
        assert_eq!(touches(json!({"enabled": true, "rules": []})), (true, true));
    }

    #[test]
    fn absent_fields_stay() {
        let mut state = FlagState::initial(NOW);
        state.enabled = true;
        state.default_value = Some(json!(true));
        state.scheduled_enable_at = Some(NOW);
        state.compiled_bytes = state.measure();
        let stored = Some(state);
        let unchanged = wish(json!({}), FlagType::Boolean).unwrap().apply(&stored);
        assert_eq!(Some(unchanged), stored);
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
        let id = state.id;
        let cleared = wish(patch, FlagType::Boolean).unwrap().apply(&Some(state));
        assert_eq!(
            cleared,
            FlagState {
                id,
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
