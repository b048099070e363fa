//! Answers of Halyard after an import, and those of LaunchDarkly's own server SDK before it.

use std::collections::BTreeMap;
use std::path::Path;

use harness::migration::{Comparison, Evaluator, Imported, import, platform};
use harness::source::{CREDENTIAL, PROJECT};
use harness::{App, Source, User, places};
use serde_json::{Value, json};
use tokio::process::Command;

const SEED: &str = "2026";
const FLAGS: &str = "80";
const CONTEXTS: &str = "40";

async fn judge(python: &Path, arguments: &[&str]) -> Value {
    let run = Command::new(python.join("bin/python"))
        .arg(places::repository().join("tests/platforms/launchdarkly.py"))
        .args(arguments)
        .output()
        .await
        .unwrap();
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{errors}");
    serde_json::from_slice(&run.stdout).unwrap()
}

/// An organization with an empty project: its owner and the project.
async fn target(app: &App) -> (User, String) {
    let owner = app.signup("acme").await;
    let project = owner.post("/v1/projects", json!({"name": "Shop"})).await;
    let id = project.text("/id");
    (owner, id)
}

#[tokio::test]
async fn halyard_answers_as_launchdarkly_did() {
    let Some(python) = platform("python") else {
        return;
    };
    let judged = judge(&python, &["generate", SEED, FLAGS, CONTEXTS]).await;
    let app = App::start_with(&[("RATE_MIGRATION", "0")]).await;
    let (owner, project) = target(&app).await;
    let source = Source::holding(&judged["project"]);
    let imported = import(&owner, &source.body(&project)).await;
    assert_eq!(imported.status["status"], "completed");

    let contexts = judged["contexts"].as_array().unwrap();
    let made: Vec<&str> = imported
        .items
        .iter()
        .filter(|item| item["kind"] == "flag" && item["verdict"] != "skipped")
        .map(|item| item["key"].as_str().unwrap())
        .collect();
    let mut comparison = Comparison::default();
    for (environment, slug) in [
        ("production", "production"),
        ("qa_europe", "qa-europe"),
        ("test", "test"),
    ] {
        let evaluator = Evaluator::new(&app, &owner, &project, slug).await;
        let theirs = &judged["answers"][environment];
        for (place, context) in contexts.iter().enumerate() {
            let ours = evaluator.values(&made, context).await;
            for flag in &made {
                // Where the SDK has no value at all, nothing can agree.
                let theirs = theirs[flag][place].get(0).unwrap_or(&Value::Null);
                comparison.add(&imported, flag, context, theirs, ours.get(*flag));
            }
        }
    }
    comparison.expect("launchdarkly", 8_000, 7_000);
    let exact = imported.exact_flags().len();
    println!("launchdarkly: {exact} of {} flags are exact", made.len());
    assert!(exact >= 15, "{exact} flags are exact");
    shares_agree(&app, &owner, &project, &judged, &imported).await;
}

/// Which users get a value may differ; how many do may not.
async fn shares_agree(app: &App, owner: &User, project: &str, judged: &Value, imported: &Imported) {
    const USERS: u32 = 1_000;
    let evaluator = Evaluator::new(app, owner, project, "test").await;
    let mut compared = 0;
    for flag in judged["project"]["flags"].as_array().unwrap() {
        let (key, state) = (flag["key"].as_str().unwrap(), &flag["environments"]["test"]);
        let is_plain = ["rules", "targets", "prerequisites"]
            .iter()
            .all(|part| state[part].as_array().is_some_and(Vec::is_empty));
        let Some(weights) = state["fallthrough"]["rollout"]["variations"].as_array() else {
            continue;
        };
        if !is_plain
            || state["on"] == false
            || !imported.items.iter().any(|item| item["key"] == key)
        {
            continue;
        }
        let value = |weighted: &Value| {
            let variation = weighted["variation"]
                .as_u64()
                .and_then(|at| usize::try_from(at).ok());
            flag["variations"][variation.unwrap()]["value"].to_string()
        };
        let mut left = 100_000;
        let mut expected: BTreeMap<String, f64> = BTreeMap::new();
        for (place, weighted) in weights.iter().enumerate() {
            let weight = weighted["weight"].as_i64().unwrap().min(left);
            // What is left belongs to the last one.
            let weight = if place + 1 == weights.len() {
                left
            } else {
                weight
            };
            left -= weight;
            *expected.entry(value(weighted)).or_default() +=
                f64::from(i32::try_from(weight).unwrap()) / 100_000.0;
        }
        let mut found: BTreeMap<String, f64> = BTreeMap::new();
        for user in 0..USERS {
            let context = json!({"key": format!("somebody-{user}"), "attributes": {}});
            let values = evaluator.values(&[key], &context).await;
            *found.entry(values[key].to_string()).or_default() += 1.0 / f64::from(USERS);
        }
        for (value, expected) in expected {
            let found = found.remove(&value).unwrap_or_default();
            assert!(
                (expected - found).abs() < 0.06,
                "{key}: {found} instead of {expected}"
            );
        }
        assert!(found.is_empty(), "{key}: {found:?}");
        compared += 1;
    }
    assert!(compared >= 2, "{compared} flags have shares alone");
}

#[tokio::test]
async fn the_stand_in_is_what_the_official_client_expects() {
    let Some(python) = platform("python") else {
        return;
    };
    let judged = judge(&python, &["generate", SEED, "120", "1"]).await;
    let source = Source::holding(&judged["project"]);
    let found = judge(&python, &["client", &source.url(), PROJECT, CREDENTIAL]).await;
    let flags = judged["project"]["flags"].as_array().unwrap();
    let environments = ["production", "qa_europe", "test"];
    let segments =
        environments.map(|key| judged["project"]["segments"][key].as_array().unwrap().len());
    let rules = flags.iter().map(|flag| {
        flag["environments"]["production"]["rules"]
            .as_array()
            .unwrap()
            .len()
    });
    assert_eq!(
        found,
        json!({
            "project": PROJECT, "environments": environments, "flags": flags.len(), "rules": rules.sum::<usize>(),
            "segments": segments.iter().sum::<usize>(),
        })
    );
}
