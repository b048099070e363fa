//! What exports say of flags, and what they do not say: the order of strategies.

use std::collections::HashMap;

use super::wire::{Export, Feature, FeatureEnvironment, Strategy, Tag};

fn strategies(feature: &Feature) -> impl Iterator<Item = &[Strategy]> {
    let states = feature.environments.iter();
    states.map(|state| state.strategies.as_deref().unwrap_or_default())
}

/// Whether some environment has several strategies in an order that is not known.
pub fn is_unordered(feature: &Feature) -> bool {
    let unknown = |strategy: &Strategy| strategy.sort_order.is_none();
    strategies(feature).any(|strategies| strategies.len() > 1 && strategies.iter().any(unknown))
}

pub fn has_payloads(feature: &Feature) -> bool {
    let of_states = feature
        .environments
        .iter()
        .filter_map(|state| state.variants.as_ref())
        .flatten();
    let of_strategies = strategies(feature)
        .flatten()
        .flat_map(|strategy| &strategy.variants);
    of_states
        .chain(of_strategies)
        .any(|variant| variant.payload.is_some())
}

/// Adds an environment to the flags that its export names; in others they are off. Tags and dependencies are the same in all of them.
pub fn merge(
    export: Export,
    environment: &str,
    places: &HashMap<String, usize>,
    features: &mut [Feature],
) {
    let mut states: HashMap<usize, FeatureEnvironment> = HashMap::new();
    let begun = || FeatureEnvironment {
        name: environment.to_owned(),
        enabled: false,
        strategies: Some(Vec::new()),
        variants: None,
    };
    for exported in export.feature_environments {
        if let Some(&place) = places.get(&exported.feature_name) {
            let state = states.entry(place).or_insert_with(begun);
            state.enabled = exported.enabled;
            state.variants = exported.variants;
        }
    }
    for strategy in export.feature_strategies {
        if let Some(&place) = places.get(&strategy.feature_name) {
            let state = states.entry(place).or_insert_with(begun);
            state.strategies.get_or_insert_default().push(strategy);
        }
    }
    for (place, state) in states {
        features[place].environments.push(state);
    }
    let mut tags: HashMap<usize, Vec<Tag>> = HashMap::new();
    for tag in export.feature_tags.unwrap_or_default() {
        if let Some(&place) = places.get(&tag.feature_name) {
            let value = tag.tag_value;
            tags.entry(place).or_default().push(Tag { value });
        }
    }
    for (place, tags) in tags {
        features[place].tags = tags;
    }
    for child in export.dependencies {
        if let Some(&place) = places.get(&child.feature) {
            features[place].dependencies = child.dependencies;
        }
    }
}
