//! Answers of Halyard after an import, and those of Flagsmith's own engine before it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use harness::migration::{Comparison, Evaluator, Imported, import, platform};
use harness::places;
use serde_json::{Value, json};
use tokio::process::Command;

use super::Target;
use super::source::{Dialect, Flagsmith, plain};

const SEED: &str = "2026";
const FLAGS: &str = "40";
const SEGMENTS: &str = "80";
const CONTEXTS: &str = "60";

/// A project, contexts, and the engine's answers.
struct Judged(Value);

impl Judged {
    async fn by(python: &Path) -> Self {
        let run = Command::new(python.join("bin/python"))
            .arg(places::repository().join("tests/platforms/flagsmith.py"))
            .args([SEED, FLAGS, SEGMENTS, CONTEXTS])
            .output()
            .await
            .unwrap();
        assert!(
            run.status.success(),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        Self(serde_json::from_slice(&run.stdout).unwrap())
    }

    fn list(&self, name: &str) -> &[Value] {
        self.0[name].as_array().unwrap()
    }

    /// The contexts, each with the answers in the environment at that place.
    fn cases(&self, place: usize) -> impl Iterator<Item = (&Value, &Value)> {
        let answers = self.0["answers"][place].as_array().unwrap();
        self.list("contexts").iter().zip(answers)
    }
}

#[tokio::test]
async fn halyard_answers_as_flagsmith_did() {
    let Some(python) = platform("python") else {
        return;
    };
    let judged = Judged::by(&python).await;
    let target = Target::new().await;
    let source = Flagsmith::start(Dialect::Current, judged.0["project"].clone()).await;
    let imported = import(&target.owner, &source.body(&target.project)).await;
    assert_eq!(imported.status["status"], "completed");

    flags_agree(&target, &judged, &imported).await;
    segments_agree(&target, &judged, &imported).await;
    shares_agree(&target, &judged).await;
}

async fn flags_agree(target: &Target, judged: &Judged, imported: &Imported) {
    let made = target.list("flags").await;
    let keys: Vec<&str> = made
        .iter()
        .map(|flag| flag["key"].as_str().unwrap())
        .collect();
    let features = judged.0["project"]["features"].as_array().unwrap().iter();
    let kept: BTreeSet<&str> = features
        .filter(|feature| feature["is_archived"] == false)
        .map(|feature| feature["name"].as_str().unwrap())
        .collect();
    assert_eq!(keys.iter().copied().collect::<BTreeSet<_>>(), kept);

    let mut comparison = Comparison::default();
    for (place, slug) in ["production", "qa-europe", "development"]
        .into_iter()
        .enumerate()
    {
        let evaluator = Evaluator::new(&target.app, &target.owner, &target.project, slug).await;
        for (context, theirs) in judged.cases(place) {
            let ours = evaluator.values(&keys, context).await;
            for key in &keys {
                let ours = ours.get(*key);
                // A toggle answers whether it is on, every other flag with its value.
                let field = if ours.is_some_and(Value::is_boolean) {
                    "enabled"
                } else {
                    "value"
                };
                let theirs = &theirs["flags"][key][field];
                comparison.add(imported, key, context, theirs, ours);
            }
        }
    }
    comparison.expect("flagsmith", 6_500, 5_800);
    let exact = imported.exact_flags().len();
    println!("flagsmith: {exact} of {} flags are exact", keys.len());
    assert!(exact >= 20, "{exact} flags are exact");
}

/// Who is in a segment: there as the engine says, here as a flag answers that is for the segment alone.
async fn segments_agree(target: &Target, judged: &Judged, imported: &Imported) {
    let environments = target.list("environments").await;
    let production = environments.iter().find(|one| one["slug"] == "production");
    let production = production.unwrap()["id"].as_str().unwrap();
    let mut probes = BTreeMap::new();
    for segment in target.list("segments").await {
        let key = segment["key"].as_str().unwrap();
        let probe = format!("probe-{key}");
        let flags = format!("/v1/projects/{}/flags", target.project);
        let body = json!({"key": probe, "name": probe, "flag_type": "boolean"});
        target.owner.create(&flags, body).await;
        let rule = json!({"segment_keys": [key], "value": true, "percentage": 10000});
        let body = json!({"enabled": true, "default_value": false, "rules": [rule]});
        let path = format!("{flags}/{probe}/environments/{production}");
        target.owner.change(&path, body).await;
        let id = key.rsplit('-').next().unwrap().to_owned();
        probes.insert(
            probe,
            (id, said(imported, segment["name"].as_str().unwrap())),
        );
    }
    let keys: Vec<&str> = probes.keys().map(String::as_str).collect();
    let evaluator = Evaluator::new(&target.app, &target.owner, &target.project, "production").await;
    let (mut agreed, mut warned, mut silent) = (0, 0, Vec::new());
    for (context, theirs) in judged.cases(0) {
        let ours = evaluator.values(&keys, context).await;
        for (probe, (id, said)) in &probes {
            // Some patterns are none for Python either.
            let Some(theirs) = theirs["segments"].get(id) else {
                continue;
            };
            match ours.get(probe) {
                Some(ours) if ours == theirs => agreed += 1,
                _ if !said.is_empty() => warned += 1,
                ours => silent.push(format!(
                    "{id}: {theirs} there, {ours:?} here, for {context}"
                )),
            }
        }
    }
    let exact = probes.values().filter(|(_, said)| said.is_empty()).count();
    println!(
        "flagsmith segments: {agreed} agreed, {warned} differ with a warning, {} differ silently; {exact} of {} are exact",
        silent.len(),
        probes.len()
    );
    assert!(silent.is_empty(), "{silent:#?}");
    assert!(agreed >= 3_000 && exact >= 18, "too few agree");
}

fn said(imported: &Imported, segment: &str) -> Vec<Value> {
    let items = imported.items.iter();
    let own = items.filter(|item| item["kind"] == "segment" && item["source"] == segment);
    own.filter_map(|item| item["reasons"].as_array())
        .flatten()
        .cloned()
        .collect()
}

/// Which users get a value may differ; how many do may not.
async fn shares_agree(target: &Target, judged: &Judged) {
    const USERS: u32 = 600;
    let project = &judged.0["project"];
    let states = project["environments"][0]["states"].as_array().unwrap();
    let splits: Vec<_> = project["features"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|feature| feature["is_archived"] == false)
        .filter_map(|feature| {
            let own = |state: &&Value| {
                state["feature"] == feature["id"]
                    && state["feature_segment"].is_null()
                    && state["enabled"] == true
            };
            let shares =
                states.iter().find(own)?["multivariate_feature_state_values"].as_array()?;
            (!shares.is_empty()).then_some((feature, shares))
        })
        .collect();
    assert!(splits.len() >= 3, "too few flags have shares");
    let keys: Vec<&str> = splits
        .iter()
        .map(|(feature, _)| feature["name"].as_str().unwrap())
        .collect();
    let evaluator = Evaluator::new(&target.app, &target.owner, &target.project, "production").await;
    let mut counts: BTreeMap<(String, String), f64> = BTreeMap::new();
    for user in 0..USERS {
        let context = json!({"key": format!("somebody-{user}"), "attributes": {}});
        for (key, value) in evaluator.values(&keys, &context).await {
            *counts.entry((key, as_text(&value))).or_default() += 1.0;
        }
    }
    for (feature, shares) in splits {
        let key = feature["name"].as_str().unwrap();
        for (value, share) in expected_shares(feature, shares, states) {
            let found = counts.get(&(key.to_owned(), value.clone()));
            let found = found.copied().unwrap_or(0.0) / f64::from(USERS);
            // Five standard deviations.
            let tolerance =
                5.0 * (share * (1.0 - share) / f64::from(USERS)).max(0.0).sqrt() + 0.001;
            assert!(
                (found - share).abs() <= tolerance,
                "{key} {value}: {found}, not {share}"
            );
        }
    }
}

/// The values of a feature, each with its part of all users.
fn expected_shares(feature: &Value, shares: &[Value], states: &[Value]) -> BTreeMap<String, f64> {
    let mut expected: BTreeMap<String, f64> = BTreeMap::new();
    let options = feature["multivariate_options"].as_array().unwrap();
    for (option, share) in options.iter().zip(shares) {
        let percentage = share["percentage_allocation"].as_f64().unwrap();
        *expected.entry(as_text(&plain(option))).or_default() += percentage / 100.0;
    }
    let is_own =
        |state: &&Value| state["feature"] == feature["id"] && state["feature_segment"].is_null();
    let own = &states.iter().find(is_own).unwrap()["feature_state_value"];
    let rest = 1.0 - expected.values().sum::<f64>();
    *expected.entry(as_text(&plain(own))).or_default() += rest;
    expected
}

/// Texts and numbers alike: a flag of mixed values has texts.
fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(
        || {
            if value.is_null() {
                String::new()
            } else {
                value.to_string()
            }
        },
        str::to_owned,
    )
}
