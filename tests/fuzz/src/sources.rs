//! What the sources of imports answer, and what becomes of it.

use std::collections::{BTreeMap, HashSet};

use importers::{
    flagsmith, launchdarkly,
    plan::{Choices, Plan},
    unleash,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The first byte is the platform; the rest an object with the lists that it answers.
pub(crate) fn run(bytes: &[u8]) {
    let (platform, rest) = crate::choice(bytes);
    let Ok(mut answers) = serde_json::from_slice::<Map<String, Value>>(rest) else {
        return;
    };
    let choices = Choices::default();
    let plan = match platform % 3 {
        0 => unleash::translate(
            unleash::Source {
                environments: list(&mut answers, "environments"),
                segments: list(&mut answers, "segments"),
                features: list(&mut answers, "features"),
            },
            &choices,
        ),
        1 => flagsmith::translate(flagsmith_project(&mut answers), &choices),
        _ => launchdarkly::translate(launchdarkly_project(&mut answers), &choices),
    };
    is_consistent(&plan);
}

/// What can be read of a list.
fn list<T: DeserializeOwned>(answers: &mut Map<String, Value>, name: &str) -> Vec<T> {
    let Some(Value::Array(items)) = answers.remove(name) else {
        return Vec::new();
    };
    let read = items.into_iter().map(serde_json::from_value);
    read.filter_map(Result::ok).collect()
}

fn flagsmith_project(answers: &mut Map<String, Value>) -> flagsmith::Project {
    let states: Vec<flagsmith::wire::State> = list(answers, "states");
    let of_identities: Vec<flagsmith::wire::EdgeOverride> = list(answers, "overrides");
    let environments: Vec<flagsmith::wire::Environment> = list(answers, "environments");
    flagsmith::Project {
        environments: environments
            .into_iter()
            .map(|environment| flagsmith::EnvironmentRead {
                environment,
                states: states.clone(),
                overrides: of_identities.iter().cloned().map(Into::into).collect(),
                are_overrides_known: true,
            })
            .collect(),
        features: list(answers, "features"),
        tags: list(answers, "tags"),
        segments: list(answers, "segments"),
    }
}

fn launchdarkly_project(answers: &mut Map<String, Value>) -> launchdarkly::wire::Project {
    let environments: Vec<launchdarkly::wire::Environment> = list(answers, "environments");
    let segments: Vec<launchdarkly::wire::Segment> = list(answers, "segments");
    let keys = environments.iter().map(|one| one.key.clone());
    let segments: BTreeMap<_, _> = keys.map(|key| (key, segments.clone())).collect();
    launchdarkly::wire::Project {
        environments,
        flags: list(answers, "flags"),
        archived: list(answers, "archived"),
        segments,
    }
}

/// States are in environments of the plan, one in each.
fn is_consistent(plan: &Plan) {
    let slugs: HashSet<_> = plan.environments.iter().map(|one| &one.slug).collect();
    assert_eq!(slugs.len(), plan.environments.len());
    for flag in &plan.flags {
        let mut states = HashSet::new();
        for state in &flag.states {
            assert!(slugs.contains(&state.environment), "{}", state.environment);
            assert!(states.insert(&state.environment), "{}", state.environment);
            let shares = state.rules.iter().map(|rule| rule.percentage);
            assert!(
                shares
                    .chain(state.percentage_rollout)
                    .all(|share| (0..=10_000).contains(&share))
            );
        }
    }
}
