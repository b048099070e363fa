//! A flag state as the API shows it, and its size in the compiled environment.

use protocol::{
    bucketing::Bucketing,
    rule::{POINTS, TargetingRule, Variant, compile_rules},
    snapshot,
};
use serde::Serialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{flags::document, size::compiled_size};
use crate::{ids::FlagStateId, input::Invalid};

/// A stored flag state. Every field is always shown.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct FlagState {
    /// Its id.
    pub id: FlagStateId,
    /// Master toggle.
    pub enabled: bool,
    /// Environment default; `null` when not set.
    #[schema(required)]
    pub default_value: Option<Value>,
    /// Targeting rules, in the order they were written.
    #[schema(value_type = Vec<document::TargetingRule>)]
    pub rules: Vec<TargetingRule>,
    /// Basis points; `null` when not set, which evaluates differently from 10000.
    #[schema(required)]
    pub percentage_rollout: Option<BasisPoints>,
    /// Variants, in the order they were written.
    #[schema(value_type = Vec<document::Variant>)]
    pub variants: Vec<Variant>,
    /// How percentages and variants draw; left out for Halyard's own way.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<document::Bucketing>, required = false)]
    pub bucketing: Option<Bucketing>,
    /// When the flag is to be enabled.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub scheduled_enable_at: Option<OffsetDateTime>,
    /// When the flag is to be disabled.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub scheduled_disable_at: Option<OffsetDateTime>,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// The stored share in the environment's compiled size.
    #[serde(skip)]
    pub compiled_bytes: i32,
    /// Compiled bytes of its rules' patterns.
    #[serde(skip)]
    pub pattern_bytes: i32,
    /// Value of the `ETag`: the project's version in which it was stored; 0 before.
    #[serde(skip)]
    pub version: i64,
}

impl FlagState {
    /// The state of a flag for which none was stored: off, nothing set.
    pub fn initial(now: OffsetDateTime) -> Self {
        let mut state = Self {
            id: FlagStateId::new(now),
            enabled: false,
            default_value: None,
            rules: Vec::new(),
            percentage_rollout: None,
            variants: Vec::new(),
            bucketing: None,
            scheduled_enable_at: None,
            scheduled_disable_at: None,
            updated_at: now,
            compiled_bytes: 0,
            pattern_bytes: 0,
            version: 0,
        };
        state.compiled_bytes = state.measure();
        state
    }

    /// The state after the earliest due time up to `now`: toggled, with that time cleared. Of equal times enabling comes first,
    /// so that the flag ends up off. `None` if nothing is due.
    pub fn toggled(&self, now: OffsetDateTime) -> Option<Self> {
        let come = |due: Option<OffsetDateTime>| due.filter(|due| *due <= now);
        let enabling = come(self.scheduled_enable_at);
        let disabling = come(self.scheduled_disable_at);
        let enables = match (enabling, disabling) {
            (None, None) => return None,
            (Some(enabling), Some(disabling)) => enabling <= disabling,
            (enabling, _) => enabling.is_some(),
        };
        let mut state = self.clone();
        state.enabled = enables;
        if enables {
            state.scheduled_enable_at = None;
        } else {
            state.scheduled_disable_at = None;
        }
        Some(state)
    }

    pub fn measure(&self) -> i32 {
        compiled_size(&self.compile())
    }

    /// The form sent to edges.
    pub fn compile(&self) -> snapshot::FlagState {
        snapshot::FlagState {
            enabled: self.enabled,
            default_value: self.default_value.as_ref().map(Value::to_string),
            rules: compile_rules(&self.rules),
            percentage_rollout: self.percentage_rollout.map(Into::into),
            variants: self.variants.iter().map(Into::into).collect(),
            bucketing: self.bucketing.clone(),
        }
    }
}

/// A part of the whole in hundredths of a percent: 0 to 10000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(transparent)]
#[cfg_attr(feature = "server", derive(sqlx::Type), sqlx(transparent))]
#[schema(minimum = 0, maximum = 10000)]
pub struct BasisPoints(i32);

impl BasisPoints {
    pub const WHOLE: Self = Self(10_000);

    /// Checks a number from 0 to 10000, called `field` in errors.
    pub fn new(field: &str, number: i64) -> Result<Self, Invalid> {
        i32::try_from(number)
            .ok()
            .filter(|number| (0..=Self::WHOLE.0).contains(number))
            .map(Self)
            .ok_or_else(|| Invalid::new(format!("{field} must be {POINTS}")))
    }
}

impl From<BasisPoints> for i64 {
    fn from(points: BasisPoints) -> Self {
        points.0.into()
    }
}

#[cfg(test)]
mod tests {
    use time::{Duration, macros::datetime};

    use super::*;

    #[test]
    fn due_times_take_effect_in_their_order() {
        let now = datetime!(2026-01-02 10:00 UTC);
        let [past, earlier] = [now - Duration::MINUTE, now - Duration::HOUR];
        let toggles = |enable, disable| {
            let mut state = FlagState::initial(now);
            state.scheduled_enable_at = enable;
            state.scheduled_disable_at = disable;
            let mut toggles = Vec::new();
            while let Some(toggled) = state.toggled(now) {
                toggles.push(toggled.enabled);
                state = toggled;
            }
            toggles
        };
        let future = now + Duration::MICROSECOND;
        assert!(toggles(None, None).is_empty());
        assert!(toggles(Some(future), Some(future)).is_empty());
        assert_eq!(toggles(Some(now), None), [true]);
        assert_eq!(toggles(None, Some(now)), [false]);
        assert_eq!(toggles(Some(future), Some(now)), [false]);
        assert_eq!(toggles(Some(earlier), Some(past)), [true, false]);
        assert_eq!(toggles(Some(past), Some(earlier)), [false, true]);
        assert_eq!(toggles(Some(now), Some(now)), [true, false]);
    }

    #[test]
    fn basis_points_end_at_the_whole() {
        assert_eq!(i64::from(BasisPoints::new("percentage", 0).unwrap()), 0);
        assert_eq!(
            i64::from(BasisPoints::new("percentage", 10_000).unwrap()),
            10_000
        );
        for number in [-1, 10_001, i64::MAX, i64::MIN] {
            assert_eq!(
                BasisPoints::new("percentage", number),
                Err(Invalid::new(
                    "percentage must be an integer in basis points, 0 to 10000"
                ))
            );
        }
    }
}
