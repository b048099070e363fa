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
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use self::{segments::Segments, state::Shared};
use super::wire;
use crate::plan::{Environment, Flag, Kind, LeftOut, Plan, Remarks, slug};

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
pub fn translate(mut source: Source) -> Plan {
    keep_one_state_each(&mut source);
    let mut plan = Plan {
        environments: environments(source.environments),
        counts: COUNTS.iter().map(|(name, _)| (*name, 0)).collect(),
        ..Plan::default()
    };
    let segments = Segments::read(source.segments, &mut plan);
    let types: HashMap<String, FlagType> = source
        .features
        .iter()
        .filter(|feature| !feature.archived)
        .filter_map(|feature| Some((feature.name.clone(), flag_type(feature).ok()?)))
        .collect();
    for feature in source.features {
        if feature.archived {
            plan.left_out.push(left_out(&feature, "it is archived"));
            continue;
        }
        plan.source_flags += 1;
        for (name, kinds) in COUNTS {
            if kinds.contains(&feature.kind.as_str()) {
                *plan.counts.entry(name).or_default() += 1;
            }
        }
        if let Some(reason) = &feature.not_given {
            plan.left_out.push(left_out(&feature, reason));
            continue;
        }
        match flag_type(&feature) {
            Ok(flag_type) => {
                let flag = flag(&feature, flag_type, &types, &segments);
                plan.flags.push(flag);
            }
            Err(variants::Mixed) => plan.left_out.push(left_out(
                &feature,
                "its variants have payloads of different types",
            )),
        }
    }
    plan
}

/// Of environments that would have the same slug, the first is kept; states of others are none of ours.
fn keep_one_state_each(source: &mut Source) {
    let mut environments: Vec<&str> = source
        .environments
        .iter()
        .map(|environment| environment.name.as_str())
        .collect();
    environments.sort_unstable();
    let mut slugs = HashSet::new();
    environments.retain(|name| slugs.insert(slug(name)));
    let known: HashSet<&str> = environments.into_iter().collect();
    for feature in &mut source.features {
        let mut seen = HashSet::new();
        feature
            .environments
            .retain(|state| known.contains(state.name.as_str()) && seen.insert(state.name.clone()));
    }
}

fn environments(mut environments: Vec<wire::Environment>) -> Vec<Environment> {
    environments.sort_by(|a, b| a.name.cmp(&b.name));
    environments.dedup_by(|a, b| a.name == b.name);
    environments
        .into_iter()
        .map(|environment| Environment {
            slug: slug(&environment.name),
            source: environment.name.clone(),
            name: environment.name,
            color: None,
            remarks: Remarks::default(),
        })
        .collect()
}

fn left_out(feature: &wire::Feature, reason: &str) -> LeftOut {
    LeftOut {
        kind: Kind::Flag,
        source: feature.name.clone(),
        reason: reason.to_owned(),
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
    types: &HashMap<String, FlagType>,
    segments: &Segments,
) -> Flag {
    let mut remarks = Remarks::default();
    if flag_type == FlagType::Boolean && all_variants(feature).next().is_some() {
        remarks.drop("its variants have no payloads, and their names are not kept");
    }
    let default_value = flag_type.default_value();
    let shared = Shared {
        name: &feature.name,
        flag_type,
        default: &default_value,
        segments,
    };
    let is_open = feature.dependencies.iter().any(is_reversed);
    let states = feature
        .environments
        .iter()
        .map(|environment| {
            let variants = variants_in(feature, environment);
            let mut state = state::state(&shared, environment, variants, &mut remarks);
            state.is_incomplete |= is_open;
            state
        })
        .collect();
    let created_at = timestamp(feature.created_at.as_deref());
    Flag {
        key: feature.name.clone(),
        name: feature.name.clone(),
        description: feature.description.clone(),
        flag_type,
        tags: feature.tags.iter().map(|tag| tag.value.0.clone()).collect(),
        prerequisites: prerequisites(feature, types, &mut remarks),
        created_at,
        updated_at: None,
        states,
        default_value,
        remarks,
    }
}

/// What a flag depends on has to be on for the context, as with a prerequisite.
fn prerequisites(
    feature: &wire::Feature,
    types: &HashMap<String, FlagType>,
    remarks: &mut Remarks,
) -> Vec<String> {
    let (mut prerequisites, mut known) = (Vec::new(), HashSet::new());
    for dependency in &feature.dependencies {
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

fn timestamp(text: Option<&str>) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text?, &Rfc3339).ok()
}
