//! Values of a flag, which all have one type here.

use protocol::snapshot::FlagType;
use serde_json::{Number, Value};

use crate::{
    flagsmith::{
        translate::InEnvironment,
        value::Held,
        wire::{Choice, Feature},
    },
    plan::Remarks,
};

/// How the values of a flag are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    Toggle,
    Texts,
    Numbers,
}

impl Values {
    /// Numbers if all are; else texts, with a remark if some are not.
    pub(super) fn of(
        feature: &Feature,
        environments: &[InEnvironment<'_>],
        remarks: &mut Remarks,
    ) -> Self {
        let mut held: Vec<Held> = feature
            .multivariate_options
            .iter()
            .map(Choice::value)
            .collect();
        for found in environments {
            let of_identities = found.overrides.iter().map(|one| &one.state);
            for state in found.state.into_iter().chain(of_identities) {
                held.extend(state.feature_state_value.clone());
                let allocations = state.multivariate_feature_state_values.iter().flatten();
                let choices = allocations.filter_map(|one| one.multivariate_feature_option.whole());
                held.extend(
                    choices
                        .map(Choice::value)
                        .filter(|value| *value != Held::Nothing),
                );
            }
        }
        held.retain(|value| *value != Held::Nothing);
        // The initial value is a text even where it spells a number.
        let initial = feature.initial_value.as_ref().unwrap_or(&Held::Nothing);
        let fits = *initial == Held::Nothing || initial.number().is_some();
        let is_of_numbers = held.iter().all(Held::is_number);
        if is_of_numbers && fits && (!held.is_empty() || initial.is_number()) {
            return Self::Numbers;
        }
        held.push(initial.clone());
        if !held
            .iter()
            .all(|value| value.is_text() || *value == Held::Nothing)
        {
            remarks.approximate(
                "its values are not all texts: numbers and booleans are written as texts here",
            );
        }
        Self::Texts
    }

    pub(super) const fn flag_type(self) -> FlagType {
        match self {
            Self::Toggle => FlagType::Boolean,
            Self::Texts => FlagType::String,
            Self::Numbers => FlagType::Number,
        }
    }

    /// The flag's default, which is served where the flag is off.
    pub(super) fn initial(self, held: &Held) -> Value {
        match self {
            Self::Toggle => Value::Bool(false),
            Self::Texts => Value::String(held.text()),
            Self::Numbers => Value::Number(held.number().unwrap_or_else(|| Number::from(0))),
        }
    }

    /// `None` for no value.
    pub(super) fn served(self, held: &Held) -> Option<Value> {
        match (self, held) {
            (_, Held::Nothing) | (Self::Toggle, _) => None,
            (Self::Texts, held) => Some(Value::String(held.text())),
            (Self::Numbers, held) => held.number().map(Value::Number),
        }
    }
}
