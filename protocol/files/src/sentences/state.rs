//! A state of a flag.

use crate::content::{State, same};
use protocol::rule::Variant;
use serde_json::Value;

use super::{
    Sentence, added, changed, removed,
    rules::{moved, of_rules},
    values::{NOT_SET, percent, rollout, time, value, values},
};

/// What differs in a state.
pub fn of_state(before: &State, after: &State) -> Vec<Sentence> {
    let mut found = Vec::new();
    if before.enabled != after.enabled {
        found.push(changed(if after.enabled {
            "Switched on"
        } else {
            "Switched off"
        }));
    }
    let (was, is) = (before.default_value.as_ref(), after.default_value.as_ref());
    if !same(was.unwrap_or(&Value::Null), is.unwrap_or(&Value::Null)) {
        let told = values(was, is, NOT_SET);
        found.push(changed(format!(
            "Default value in this environment: {told}"
        )));
    }
    if before.percentage_rollout != after.percentage_rollout {
        let [was, is] = [before, after].map(|state| rollout(state.percentage_rollout));
        found.push(changed(format!("Rollout: {was} → {is}")));
    }
    found.extend(of_rules(&before.rules, &after.rules));
    found.extend(of_variants(&before.variants, &after.variants));
    if before.bucketing != after.bucketing {
        let [was, is] = [before, after].map(|state| {
            let bucketing = state.bucketing.as_ref();
            bucketing.and_then(|one| serde_json::to_value(one).ok())
        });
        let told = values(was.as_ref(), is.as_ref(), "Halyard's own");
        found.push(changed(format!(
            "Buckets: {told}; some users change what they get"
        )));
    }
    for (words, was, is) in [
        ("on", before.scheduled_enable_at, after.scheduled_enable_at),
        (
            "off",
            before.scheduled_disable_at,
            after.scheduled_disable_at,
        ),
    ] {
        if was != is {
            let (was, is) = (time(was), time(is));
            found.push(changed(format!("Switches {words} at: {was} → {is}")));
        }
    }
    found
}

fn of_variants(before: &[Variant], after: &[Variant]) -> Vec<Sentence> {
    let mut found = Vec::new();
    for Variant { key, weight, .. } in before {
        if !after.iter().any(|variant| variant.key == *key) {
            let had = percent(*weight);
            found.push(removed(format!("Variant {key} removed, it had {had}")));
        }
    }
    for variant in after {
        let key = &variant.key;
        let Some(earlier) = before.iter().find(|earlier| earlier.key == *key) else {
            let (weight, value) = (percent(variant.weight), value(&variant.value));
            found.push(added(format!(
                "Variant {key} added: {weight}, value {value}"
            )));
            continue;
        };
        if earlier.weight != variant.weight {
            let (was, is) = (percent(earlier.weight), percent(variant.weight));
            found.push(changed(format!("Variant {key} {was} → {is}")));
        }
        if !same(&earlier.value, &variant.value) {
            let told = values(Some(&earlier.value), Some(&variant.value), NOT_SET);
            found.push(changed(format!("Variant {key}: value {told}")));
        }
    }
    let keys = |variants: &[Variant]| -> Vec<String> {
        variants.iter().map(|variant| variant.key.clone()).collect()
    };
    let (was, is) = (keys(before), keys(after));
    if !moved(&was, &is).is_empty() {
        let (was, is) = (was.join(", "), is.join(", "));
        let told = format!("Order of variants: {was} → {is}; some users change variant");
        found.push(changed(told));
    }
    found
}
