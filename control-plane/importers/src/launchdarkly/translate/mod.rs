//! What LaunchDarkly's data mean in Halyard's terms. Pure: nothing is read here.

mod clauses;
mod flags;
mod operands;
mod segments;
mod serves;
mod states;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, HashSet};

use protocol::snapshot::FlagType;
use time::OffsetDateTime;

use super::wire::{self, Flag, Project};
use crate::plan::{self, Choices, Kind, Plan};

pub fn translate(mut project: Project, choices: &Choices) -> Plan {
    let mut plan = Plan::default();
    project
        .environments
        .sort_by(|one, other| one.key.cmp(&other.key));
    project
        .environments
        .dedup_by(|one, other| one.key == other.key);
    for environment in &project.environments {
        plan.add_environment(environment_of(environment, choices));
    }
    let environments = plan.environments.clone();
    let slugs: BTreeMap<&str, &str> = environments
        .iter()
        .map(|environment| (environment.source.as_str(), environment.slug.as_str()))
        .collect();
    let segments = segments::translate(&project, &slugs, &mut plan);
    let live: Vec<&Flag> = project.flags.iter().filter(|flag| !flag.archived).collect();
    let by_key: HashMap<&str, &Flag> = live.iter().map(|flag| (flag.key.as_str(), *flag)).collect();
    let context = flags::Context {
        slugs: &slugs,
        segments: &segments,
        flags: &by_key,
        buckets: choices.buckets,
    };
    plan.source_flags = live.len();
    plan.counts = [
        "boolean_flags",
        "string_flags",
        "number_flags",
        "json_flags",
    ]
    .map(|name| (name, 0))
    .into();
    for flag in live {
        let Some(flag_type) = flags::type_of(flag) else {
            let reason = "its values are of several types, or there are none";
            plan.leave_out(Kind::Flag, &flag.key, reason);
            continue;
        };
        *plan.counts.entry(counted_as(flag_type)).or_default() += 1;
        plan.flags.push(context.translate(flag, flag_type));
    }
    let archived = project
        .flags
        .iter()
        .filter(|flag| flag.archived)
        .map(|flag| &flag.key);
    let mut seen = HashSet::new();
    for key in archived.chain(&project.archived) {
        if !by_key.contains_key(key.as_str()) && seen.insert(key.as_str()) {
            plan.leave_out(Kind::Flag, key, "it is archived");
        }
    }
    plan
}

fn environment_of(environment: &wire::Environment, choices: &Choices) -> plan::Environment {
    let color = environment.color.as_deref();
    let color = color.map(|color| color.trim_start_matches('#'));
    let is_color =
        |color: &&str| color.len() == 6 && color.bytes().all(|byte| byte.is_ascii_hexdigit());
    let name = if environment.name.is_empty() {
        &environment.key
    } else {
        &environment.name
    };
    plan::Environment {
        source: environment.key.clone(),
        slug: choices.slug_of(&environment.key),
        name: name.clone(),
        color: color.filter(is_color).map(|color| format!("#{color}")),
        ..plan::Environment::default()
    }
}

const fn counted_as(flag_type: FlagType) -> &'static str {
    match flag_type {
        FlagType::Boolean => "boolean_flags",
        FlagType::String => "string_flags",
        FlagType::Number => "number_flags",
        FlagType::Json | FlagType::Ab => "json_flags",
    }
}

/// A time in milliseconds since 1970.
fn moment(milliseconds: Option<i64>) -> Option<OffsetDateTime> {
    let nanos = i128::from(milliseconds?) * 1_000_000;
    OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()
}
