//! The answers that a flag can give, by number, so that they can be counted in a table.
//!
//! A flag answers with its default, with `true`, with the environment's default, with the value of a rule, or with a variant. The
//! reasons that each of these can have are known, so an evaluation knows its number without looking anything up.

use super::{
    Environment, Evaluation, FlagIndex,
    flag::{EVERYBODY, Flag, Rule, Serves},
};
use crate::reason::Reason;

/// The reasons of a plain `true`, and of the environment's default. Those of the flag's default are all but the first.
const WITH_OTHERS: [Reason; 3] = [Reason::Targeted, Reason::Rollout, Reason::Fallthrough];

const TRUE: u32 = 8;
const ENVIRONMENT_DEFAULT: u32 = 11;
/// Where the rules begin, in the order in which they are tried; the variants follow them. Two numbers before it are of nothing.
const RULES: u32 = 16;

/// What a flag served, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answer<'e> {
    /// Why.
    pub reason: Reason,
    /// The value as JSON.
    pub value_json: &'e str,
    /// The variant; empty unless the reason is [`Reason::Variant`].
    pub variant_key: &'e str,
}

/// The number of the flag's default.
pub(super) const fn of_default(reason: Reason) -> u32 {
    (reason as u32).saturating_sub(1)
}

/// The number of a plain `true`.
pub(super) const fn of_true(reason: Reason) -> u32 {
    TRUE + of_other(reason)
}

/// The number of the environment's default.
pub(super) const fn of_environment_default(reason: Reason) -> u32 {
    ENVIRONMENT_DEFAULT + of_other(reason)
}

const fn of_other(reason: Reason) -> u32 {
    match reason {
        Reason::Targeted => 0,
        Reason::Rollout => 1,
        _ => 2,
    }
}

/// The number of the value of a rule, by its place among those that are tried.
pub(super) const fn of_rule(place: usize) -> u32 {
    RULES.saturating_add(small(place))
}

/// The number of a variant, by its place.
pub(super) const fn of_variant(rules: usize, place: usize) -> u32 {
    RULES
        .saturating_add(small(rules))
        .saturating_add(small(place))
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a message holds fewer than 2^32 items"
)]
const fn small(place: usize) -> u32 {
    place as u32
}

impl Environment {
    /// How many numbers the answers of a flag have. One that is disabled has few.
    #[must_use]
    pub fn answers(&self, flag: FlagIndex) -> u32 {
        let state = self.entry(flag.0).map(|entry| &entry.flag.state);
        match state {
            Some(Some(state)) => of_variant(state.rules.len(), state.variants.len()),
            Some(None) | None => TRUE,
        }
    }

    /// The answer of a flag with this number, which is that of [`Evaluation::answer`].
    #[must_use]
    pub fn answer(&self, flag: FlagIndex, number: u32) -> Option<Answer<'_>> {
        self.entry(flag.0)?.flag.answer(number)
    }
}

impl Flag {
    fn answer(&self, number: u32) -> Option<Answer<'_>> {
        let plain = |value_json, reason: Option<&Reason>| {
            Some(Answer {
                reason: *reason?,
                value_json,
                variant_key: "",
            })
        };
        let place = |base: u32| (number - base) as usize;
        if number < TRUE {
            return plain(&self.default_value, Reason::ALL.get(number as usize + 1));
        }
        let state = self.state.as_ref()?;
        if number < ENVIRONMENT_DEFAULT {
            return plain("true", WITH_OTHERS.get(place(TRUE)));
        }
        if number < RULES {
            let served = state.default_value.as_ref()?;
            return plain(&served.json, WITH_OTHERS.get(place(ENVIRONMENT_DEFAULT)));
        }
        if let Some(rule) = state.rules.get(place(RULES)) {
            return rule.answer();
        }
        let variant = state.variants.get(place(RULES) - state.rules.len())?;
        Some(Answer {
            reason: Reason::Variant,
            value_json: &variant.value,
            variant_key: variant.key.as_str(),
        })
    }
}

impl Rule {
    /// Why somebody whom the rule admits is served.
    pub(super) const fn reason(&self) -> Reason {
        if self.percentage == EVERYBODY {
            Reason::Targeted
        } else {
            Reason::Rollout
        }
    }

    fn answer(&self) -> Option<Answer<'_>> {
        match &self.serves {
            Serves::Own(served) => Some(Answer {
                reason: self.reason(),
                value_json: &served.json,
                variant_key: "",
            }),
            Serves::True | Serves::Default => None,
        }
    }
}

impl<'e> Evaluation<'e> {
    /// What was served, and why.
    #[must_use]
    pub fn served(&self) -> Answer<'e> {
        Answer {
            reason: self.reason,
            value_json: self.value_json,
            variant_key: self.variant_key(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_a_default_is_the_place_of_its_reason() {
        for (place, reason) in Reason::ALL.into_iter().skip(1).enumerate() {
            assert_eq!(of_default(reason), small(place), "{reason}");
        }
        for (place, reason) in WITH_OTHERS.into_iter().enumerate() {
            assert_eq!(of_true(reason), TRUE + small(place), "{reason}");
            let number = of_environment_default(reason);
            assert_eq!(number, ENVIRONMENT_DEFAULT + small(place), "{reason}");
        }
    }
}
