//! Flags: toggles, and flags with values.

mod state;
mod values;

#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use self::{state::Translator, values::Values};
use super::{
    translate::InEnvironment,
    value::Held,
    wire::{Feature, Id, TagRef},
};
use crate::plan::{Flag, Remarks, State, moment};

/// What a flag answers with there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whether it is on.
    Toggle,
    /// A value.
    Config,
}

impl Kind {
    /// `None` for a type that nobody knows. What current servers call `STANDARD` is a toggle as long as it has no value.
    pub(super) fn of(feature: &Feature, environments: &[InEnvironment<'_>]) -> Option<Self> {
        match feature.kind.as_deref() {
            Some("FLAG") => Some(Self::Toggle),
            Some("CONFIG" | "MULTIVARIATE") => Some(Self::Config),
            None | Some("STANDARD") => {
                let of_states = environments.iter().filter_map(|found| found.state);
                let mut values = of_states
                    .filter_map(|state| state.feature_state_value.as_ref())
                    .chain(&feature.initial_value);
                let has_value = values.any(|value| !value.is_empty());
                let is_config = has_value || !feature.multivariate_options.is_empty();
                Some(if is_config {
                    Self::Config
                } else {
                    Self::Toggle
                })
            }
            Some(_) => None,
        }
    }

    pub(super) const fn counted_as(self) -> &'static str {
        match self {
            Self::Toggle => "boolean_flags",
            Self::Config => "config_flags",
        }
    }
}

pub(super) fn translate(
    feature: &Feature,
    kind: Kind,
    environments: &[InEnvironment<'_>],
    tags: &HashMap<&Id, &str>,
) -> Flag {
    let mut remarks = Remarks::default();
    let values = match kind {
        Kind::Toggle => Values::Toggle,
        Kind::Config => Values::of(feature, environments, &mut remarks),
    };
    let choices = feature.multivariate_options.iter();
    let choices = choices.map(|choice| (&choice.id, choice)).collect();
    let mut states: Vec<State> = Vec::with_capacity(environments.len());
    for found in environments {
        if found.segment_overrides > 0 {
            remarks.drop(format!(
                "{}: what segments override is not imported",
                found.slug
            ));
        }
        if !found.are_overrides_known {
            remarks.drop(format!(
                "{}: what identities override could not be read",
                found.slug
            ));
        }
        match found.state {
            Some(state) => {
                let translator = Translator {
                    feature,
                    choices: &choices,
                    values,
                    remarks: &mut remarks,
                    found,
                };
                states.push(State {
                    is_incomplete: found.segment_overrides > 0,
                    ..translator.state(state)
                });
            }
            None => remarks.drop(format!("{}: the source has no state there", found.slug)),
        }
    }
    let of_segments = environments.iter().map(|found| found.segment_overrides);
    if feature.num_segment_overrides.unwrap_or(0) > 0 && of_segments.sum::<usize>() == 0 {
        remarks.drop("what segments override is not imported");
        states
            .iter_mut()
            .for_each(|state| state.is_incomplete = true);
    }
    let of_identities: usize = environments.iter().map(|found| found.overrides.len()).sum();
    let expected = feature.num_identity_overrides.unwrap_or(0);
    if u64::try_from(of_identities).is_ok_and(|found| found < expected) {
        remarks.drop(format!(
            "{expected} identities override it there, and only {of_identities} of them were found"
        ));
        states
            .iter_mut()
            .for_each(|state| state.is_incomplete = true);
    }
    let initial = feature.initial_value.as_ref().unwrap_or(&Held::Nothing);
    Flag {
        key: feature.name.clone(),
        name: feature.name.clone(),
        description: feature.description.clone().unwrap_or_default(),
        flag_type: values.flag_type(),
        default_value: values.initial(initial),
        tags: labels(&feature.tags, tags, &mut remarks),
        prerequisites: Vec::new(),
        created_at: moment(feature.created_date.as_deref()),
        updated_at: None,
        states,
        remarks,
    }
}

fn labels(sent: &[TagRef], tags: &HashMap<&Id, &str>, remarks: &mut Remarks) -> Vec<String> {
    let mut labels = BTreeSet::new();
    for tag in sent {
        match tag {
            TagRef::Label(label) | TagRef::Whole { label } => {
                labels.insert(label.clone());
            }
            TagRef::Id(id) => match tags.get(&Id(id.to_string())) {
                Some(label) => {
                    labels.insert((*label).to_owned());
                }
                None => remarks.drop(format!("the tag {id} has no label")),
            },
        }
    }
    labels.into_iter().collect()
}
