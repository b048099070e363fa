//! From what Unleash holds to a plan.

mod constraint;
mod operand;
mod segments;
mod state;
mod strategy;
#[cfg(test)]
mod tests;
mod variants;

use std::collections::{HashMap, HashSet};

use protocol::snapshot::FlagType;

use self::{segments::Segments, state::Shared};
use super::wire;
use crate::plan::{Buckets, Choices, Environment, Flag, Kind, Plan, Remarks, State, moment};

/// Everything that was read of a project. Flags have their states and strategies with them.
#[derive(Debug, Default)]
pub struct Source {
    pub environments: Vec<wire::Environment>,
    pub segments: Vec<wire::Segment>,
    pub features: Vec<wire::Feature>,
}

/// What `analyze` counts, with the types that are counted as it.
const COUNTS: [(&str, &[&str]); 5] = [
    ("release_toggles", &["release"]),
    ("experiment_toggles", &["experiment"]),
    ("ops_toggles", &["operational", "ops"]),
    ("permission_toggles", &["permission"]),
    ("killswitch_toggles", &["kill-switch", "killswitch"]),
];

/// Makes the plan. Work is in proportion to what was read.
pub fn translate(source: Source, choices: &Choices) -> Plan {
    let mut plan = Plan {
        counts: COUNTS.iter().map(|(name, _)| (*name, 0)).collect(),
        ..Plan::default()
    };
    environments(source.environments, choices, &mut plan);
    let kept = plan.environments.iter();
    let slugs: HashMap<String, String> = kept
        .map(|one| (one.source.clone(), one.slug.clone()))
        .collect();
    let segments = Segments::read(source.segments, &mut plan);
    let mut dependencies = Vec::new();
    for mut feature in source.features {
        let mut seen = HashSet::new();
        let of_feature = &mut feature.environments;
        of_feature
            .retain(|state| slugs.contains_key(&state.name) && seen.insert(state.name.clone()));
        if feature.archived {
            plan.leave_out(Kind::Flag, feature.name, "it is archived");
            continue;
        }
        plan.source_flags += 1;
        for (name, kinds) in COUNTS {
            if kinds.contains(&feature.kind.as_str()) {
                *plan.counts.entry(name).or_default() += 1;
            }
        }
        if let Some(reason) = &feature.not_given {
            plan.leave_out(Kind::Flag, &feature.name, reason);
            continue;
        }
        match flag_type(&feature) {
            Ok(flag_type) => {
                plan.flags.push(flag(
                    &feature,
                    flag_type,
                    &segments,
                    &slugs,
                    choices.buckets,
                ));
                dependencies.push(std::mem::take(&mut feature.dependencies));
            }
            Err(variants::Mixed) => plan.leave_out(
                Kind::Flag,
                &feature.name,
                "its variants have payloads of different types",
            ),
        }
    }
    let types = plan.flags.iter();
    let types: HashMap<String, FlagType> = types
        .map(|flag| (flag.key.clone(), flag.flag_type))
        .collect();
    for (flag, dependencies) in plan.flags.iter_mut().zip(&dependencies) {
        flag.prerequisites = prerequisites(dependencies, &types, &mut flag.remarks);
    }
    plan
}

/// Of environments that would have the same slug, the first by name is kept, and the first state in each of them.
fn environments(mut source: Vec<wire::Environment>, choices: &Choices, plan: &mut Plan) {
    source.sort_by(|a, b| a.name.cmp(&b.name));
    source.dedup_by(|a, b| a.name == b.name);
    for environment in source {
        plan.add_environment(Environment {
            slug: choices.slug_of(&environment.name),
            source: environment.name.clone(),
            name: environment.name,
            ..Environment::default()
        });
    }
}

/// The variants of a flag in an environment, apart from those of its strategies.
fn variants_in<'a>(
    feature: &'a wire::Feature,
    environment: &'a wire::FeatureEnvironment,
) -> &'a [wire::Variant] {
    match &environment.variants {
        Some(variants) if !variants.is_empty() => variants,
        _ => &feature.variants,
    }
}

fn all_variants(feature: &wire::Feature) -> impl Iterator<Item = &wire::Variant> {
    feature.environments.iter().flat_map(|environment| {
        let strategies = environment.strategies.iter().flatten();
        let enabled = strategies.filter(|strategy| !strategy.disabled);
        variants_in(feature, environment)
            .iter()
            .chain(enabled.flat_map(|strategy| &strategy.variants))
    })
}

fn flag_type(feature: &wire::Feature) -> Result<FlagType, variants::Mixed> {
    variants::flag_type(all_variants(feature))
}

fn flag(
    feature: &wire::Feature,
    flag_type: FlagType,
    segments: &Segments,
    slugs: &HashMap<String, String>,
    buckets: Buckets,
) -> Flag {
    let mut remarks = Remarks::default();
    let default_value = flag_type.default_value();
    let shared = Shared {
        name: &feature.name,
        flag_type,
        default: &default_value,
        segments,
        slugs,
        buckets,
    };
    let is_open = feature.dependencies.iter().any(is_reversed);
    let states: Vec<State> = feature
        .environments
        .iter()
        .map(|environment| {
            let variants = variants_in(feature, environment);
            let mut state = state::state(&shared, environment, variants, &mut remarks);
            state.is_incomplete |= is_open;
            state
        })
        .collect();
    let draws = states.iter().any(|state| !state.variants.is_empty());
    let created_at = moment(feature.created_at.as_deref());
    Flag {
        key: feature.name.clone(),
        name: feature.name.clone(),
        description: feature.description.clone(),
        flag_type: if draws { FlagType::Ab } else { flag_type },
        tags: feature.tags.iter().map(|tag| tag.value.0.clone()).collect(),
        prerequisites: Vec::new(),
        created_at,
        updated_at: None,
        states,
        default_value,
        remarks,
    }
}

/// What a flag depends on has to be on for the context, as with a prerequisite.
fn prerequisites(
    dependencies: &[wire::Dependency],
    types: &HashMap<String, FlagType>,
    remarks: &mut Remarks,
) -> Vec<String> {
    let (mut prerequisites, mut known) = (Vec::new(), HashSet::new());
    for dependency in dependencies {
        let on = &dependency.feature;
        if is_reversed(dependency) {
            remarks.drop(format!(
                "it is off there unless {on} is off, which is not kept"
            ));
            continue;
        }
        if !dependency.variants.is_empty() {
            remarks.approximate(format!(
                "it needs certain variants of {on} there ({}), and any here",
                dependency.variants.join(", ")
            ));
        }
        if types.get(on).is_some_and(|kind| *kind != FlagType::Boolean) {
            remarks.approximate(format!(
                "it needs a strategy of {on} to serve the context there; here it is enough that {on} is on, since its values are not boolean"
            ));
        }
        if known.insert(on) {
            prerequisites.push(on.clone());
        }
    }
    prerequisites
}

/// Whether the other flag has to be off, which no prerequisite says.
fn is_reversed(dependency: &wire::Dependency) -> bool {
    dependency.enabled == Some(false)
}
