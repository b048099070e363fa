//! Flags: their type, what they serve while they are off, and their prerequisites.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use protocol::snapshot::FlagType;
use serde_json::{Value, json};

use super::{
    super::wire::{Config, Flag},
    moment,
    segments::Imported,
    states::Translation,
};
use crate::plan::{self, Buckets, Remarks, copies::copy};

/// What flags are translated with.
pub(super) struct Context<'a> {
    /// Slugs of the environments by their key, in the order of the keys.
    pub(super) slugs: &'a BTreeMap<&'a str, &'a str>,
    pub(super) segments: &'a Imported,
    pub(super) flags: &'a HashMap<&'a str, &'a Flag>,
    pub(super) buckets: Buckets,
}

/// The type that all values of a flag have. `None` when they have several, or there is none.
pub(super) fn type_of(flag: &Flag) -> Option<FlagType> {
    let mut types = flag
        .variations
        .iter()
        .map(|variation| match variation.value {
            Value::Bool(_) => Some(FlagType::Boolean),
            Value::String(_) => Some(FlagType::String),
            Value::Number(_) => Some(FlagType::Number),
            Value::Array(_) | Value::Object(_) => Some(FlagType::Json),
            Value::Null => None,
        });
    let first = types.next()??;
    let is_boolean = flag.kind.as_deref() == Some("boolean");
    let fits = !is_boolean || first == FlagType::Boolean;
    (fits && types.all(|other| other == Some(first))).then_some(first)
}

/// The names of the variations, if each has one of its own; else their numbers, which is what SDKs report.
fn names(flag: &Flag) -> (Vec<String>, bool) {
    let names = flag.variations.iter().map(|variation| &variation.name);
    let distinct: BTreeSet<&String> = names.clone().filter(|name| !name.is_empty()).collect();
    if distinct.len() == flag.variations.len() {
        return (names.cloned().collect(), true);
    }
    let numbers = (0..flag.variations.len()).map(|number| number.to_string());
    (numbers.collect(), false)
}

impl Context<'_> {
    pub(super) fn translate(&self, flag: &Flag, flag_type: FlagType) -> plan::Flag {
        let mut remarks = Remarks::default();
        let values: Vec<Value> = flag
            .variations
            .iter()
            .map(|variation| copy(&variation.value).unwrap_or_default())
            .collect();
        let default_value = self.default_value(flag, flag_type, &values, &mut remarks);
        let (names, has_names) = names(flag);
        let mut states: Vec<plan::State> = Vec::new();
        for (&environment, &slug) in self.slugs {
            let Some(config) = flag.environments.get(environment) else {
                remarks.drop_at(slug, "the source does not return it, so it is off here");
                continue;
            };
            let translation = Translation {
                values: &values,
                names: &names,
                has_names: has_names && flag_type != FlagType::Boolean,
                flag_type,
                default_value: &default_value,
                environment,
                slug,
                segments: self.segments,
                remarks: &mut remarks,
                is_incomplete: false,
                buckets: self.buckets,
                salt: None,
                bucketing: None,
            };
            states.push(translation.state(config));
        }
        let prerequisites = self.prerequisites(flag, &mut remarks);
        let name = if flag.name.is_empty() {
            &flag.key
        } else {
            &flag.name
        };
        let changed = self
            .configs(flag)
            .filter_map(|(_, config)| config.last_modified)
            .max();
        let draws = states.iter().any(|state| !state.variants.is_empty());
        plan::Flag {
            key: flag.key.clone(),
            name: name.clone(),
            description: flag.description.clone(),
            flag_type: if draws { FlagType::Ab } else { flag_type },
            default_value,
            tags: flag.tags.clone(),
            prerequisites,
            created_at: moment(flag.creation_date),
            updated_at: moment(changed.or(flag.creation_date)),
            states,
            remarks,
        }
    }

    /// The flag's configurations with the slugs of their environments.
    fn configs<'f>(&'f self, flag: &'f Flag) -> impl Iterator<Item = (&'f str, &'f Config)> {
        self.slugs
            .iter()
            .filter_map(|(environment, slug)| Some((*slug, flag.environments.get(*environment)?)))
    }

    /// The off variation of the first environment that has one; others differ.
    fn default_value(
        &self,
        flag: &Flag,
        flag_type: FlagType,
        values: &[Value],
        remarks: &mut Remarks,
    ) -> Value {
        let value = |variation: Option<i64>| values.get(usize::try_from(variation?).ok()?);
        let off: Vec<(&str, Option<&Value>)> = self
            .configs(flag)
            .map(|(slug, config)| (slug, value(config.off_variation)))
            .collect();
        let first = off.iter().find_map(|(_, value)| *value);
        let default = first
            .or_else(|| value(flag.defaults.off_variation))
            .cloned();
        let default = default.unwrap_or_else(|| flag_type.default_value());
        for (slug, off) in off {
            if off == Some(&default) {
                continue;
            }
            let there = off.map_or_else(
                || "there is no value".to_owned(),
                |off| format!("the value is {}", shown(off)),
            );
            let here = shown(&default);
            remarks.approximate_at(
                slug,
                format!("while it is off, {there} there, and {here} here"),
            );
        }
        default
    }

    /// The keys that any environment asks for.
    fn prerequisites(&self, flag: &Flag, remarks: &mut Remarks) -> Vec<String> {
        let mut keys: Vec<String> = Vec::new();
        let mut asked: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut environments = 0;
        for (slug, config) in self.configs(flag) {
            environments += 1;
            let mut here = BTreeSet::new();
            for prerequisite in &config.prerequisites {
                let key = prerequisite.key.as_str();
                if here.insert(key) {
                    let slugs = asked.entry(key).or_default();
                    if slugs.is_empty() {
                        keys.push(key.to_owned());
                    }
                    slugs.push(slug);
                }
                if let Some(difference) = self.asks_otherwise(key, prerequisite.variation, slug) {
                    remarks.approximate_at(slug, difference);
                }
            }
        }
        for key in &keys {
            let slugs = &asked[key.as_str()];
            if slugs.len() < environments {
                remarks.approximate(format!(
                    "the prerequisite `{key}` is one of {} only there, and of every environment here",
                    slugs.join(", ")
                ));
            }
        }
        keys
    }

    /// How a prerequisite differs from one that is met when the required flag is on and, if it is boolean, serves `true`.
    fn asks_otherwise(&self, key: &str, variation: i64, slug: &str) -> Option<String> {
        // What becomes of a prerequisite that is not imported is said where all keys are known.
        let required = self.flags.get(key)?;
        let flag_type = type_of(required)?;
        let of_variation =
            |index: i64| Some(&required.variations.get(usize::try_from(index).ok()?)?.value);
        let asked = of_variation(variation);
        if flag_type != FlagType::Boolean {
            return Some(format!(
                "the prerequisite `{key}` is met by one variation there, and by any here"
            ));
        }
        if asked != Some(&json!(true)) {
            let value = asked.map_or_else(|| "no variation".to_owned(), shown);
            return Some(format!(
                "the prerequisite `{key}` has to serve {value} there, and true here"
            ));
        }
        let of_true = required
            .variations
            .iter()
            .filter(|variation| variation.value == json!(true));
        if of_true.count() > 1 {
            return Some(format!(
                "the prerequisite `{key}` is met by one variation there, and by any that is true here"
            ));
        }
        let (_, config) = self.configs(required).find(|(other, _)| *other == slug)?;
        let is_met_while_blocked = !config.prerequisites.is_empty()
            && config.off_variation.and_then(of_variation) == Some(&json!(true));
        is_met_while_blocked.then(|| {
            format!(
                "the prerequisite `{key}` is met there also while its own prerequisites are not"
            )
        })
    }
}

/// A value in a remark.
fn shown(value: &Value) -> String {
    let mut text = value.to_string();
    if let Some((end, _)) = text.char_indices().nth(60) {
        text.truncate(end);
        text.push('…');
    }
    text
}
