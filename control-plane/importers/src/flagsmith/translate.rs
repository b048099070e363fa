//! From what was read to a plan. Nothing is asked here, and nothing fails: what cannot be said is left out with its reason.

use std::collections::HashMap;

use super::{
    flag::{self, Kind as FlagKind},
    segment, wire,
    wire::Id,
};
use crate::plan::{Choices, Environment, Kind, Plan, slug};

/// A project as the source holds it.
#[derive(Debug, Default)]
pub struct Project {
    pub environments: Vec<EnvironmentRead>,
    pub features: Vec<wire::Feature>,
    pub tags: Vec<wire::Tag>,
    pub segments: Vec<wire::Segment>,
}

/// An environment with everything in it.
#[derive(Debug)]
pub struct EnvironmentRead {
    pub environment: wire::Environment,
    /// Of the environment itself, of identities and of segments.
    pub states: Vec<wire::State>,
    pub overrides: Vec<Override>,
    /// Otherwise there may be overrides that the source did not tell.
    pub are_overrides_known: bool,
}

/// What an identity has for a flag.
#[derive(Clone, Debug)]
pub struct Override {
    pub identifier: String,
    pub state: wire::State,
}

impl From<wire::EdgeOverride> for Override {
    fn from(sent: wire::EdgeOverride) -> Self {
        Self {
            identifier: sent.identifier,
            state: sent.feature_state,
        }
    }
}

/// What an environment has for one flag.
#[derive(Debug, Default)]
pub(super) struct InEnvironment<'a> {
    pub(super) slug: &'a str,
    pub(super) state: Option<&'a wire::State>,
    pub(super) overrides: Vec<&'a Override>,
    pub(super) are_overrides_known: bool,
    /// For segments; they are not imported.
    pub(super) segment_overrides: usize,
}

pub fn translate(project: Project, choices: &Choices) -> Plan {
    let is_kept = |feature: &&wire::Feature| !feature.is_archived;
    let mut plan = Plan {
        source_flags: project.features.iter().filter(is_kept).count(),
        source_segments: project.segments.len(),
        ..Plan::default()
    };
    for sent in project.segments {
        segment::translate(sent, &mut plan);
    }
    let slugs = environments(&project.environments, choices, &mut plan);

    let tags: HashMap<&Id, &str> = project
        .tags
        .iter()
        .map(|tag| (&tag.id, tag.label.as_str()))
        .collect();
    let by_environment: Vec<_> = project.environments.iter().zip(&slugs).collect();
    let by_environment: Vec<_> = by_environment
        .into_iter()
        .filter_map(|(read, slug)| Some((slug.as_deref()?, read, by_feature(read))))
        .collect();
    for (name, count) in [("boolean_flags", 0), ("config_flags", 0)] {
        plan.counts.insert(name, count);
    }
    for feature in &project.features {
        if feature.name.is_empty() {
            plan.leave_out(Kind::Flag, &feature.id.0, "it has no name");
            continue;
        }
        if feature.is_archived {
            plan.leave_out(Kind::Flag, &feature.name, "it is archived");
            continue;
        }
        let in_environments = by_environment.iter().map(|(slug, read, by_feature)| {
            let found = by_feature.get(&feature.id);
            InEnvironment {
                slug,
                are_overrides_known: read.are_overrides_known,
                state: found.and_then(|found| found.state),
                overrides: found
                    .map(|found| found.overrides.clone())
                    .unwrap_or_default(),
                segment_overrides: found.map_or(0, |found| found.segment_overrides),
            }
        });
        let in_environments: Vec<_> = in_environments.collect();
        let Some(kind) = FlagKind::of(feature, &in_environments) else {
            plan.leave_out(Kind::Flag, &feature.name, "its type is not known here");
            continue;
        };
        *plan.counts.entry(kind.counted_as()).or_default() += 1;
        plan.flags
            .push(flag::translate(feature, kind, &in_environments, &tags));
    }
    plan
}

/// The slug of each environment that was read; `None` where another one has it already.
fn environments(
    read: &[EnvironmentRead],
    choices: &Choices,
    plan: &mut Plan,
) -> Vec<Option<String>> {
    let mut slugs = Vec::with_capacity(read.len());
    for EnvironmentRead { environment, .. } in read {
        let own = Some(choices.slug_of(&environment.name)).filter(|slug| !slug.is_empty());
        // A name without a letter of the alphabet.
        let own = own.unwrap_or_else(|| slug(&format!("environment-{}", environment.id.0)));
        let is_added = plan.add_environment(Environment {
            source: environment.name.clone(),
            slug: own.clone(),
            name: environment.name.clone(),
            ..Environment::default()
        });
        slugs.push(is_added.then_some(own));
    }
    plan.environments.sort_by(|a, b| a.source.cmp(&b.source));
    slugs
}

fn by_feature(read: &EnvironmentRead) -> HashMap<&Id, InEnvironment<'_>> {
    let mut found: HashMap<&Id, InEnvironment<'_>> = HashMap::new();
    for state in &read.states {
        let entry = found.entry(state.feature.id()).or_default();
        if state.feature_segment.is_some() {
            entry.segment_overrides += 1;
        } else if state.identity.is_none() && entry.state.is_none() {
            entry.state = Some(state);
        }
    }
    for one in &read.overrides {
        let entry = found.entry(one.state.feature.id()).or_default();
        entry.overrides.push(one);
    }
    found
}
