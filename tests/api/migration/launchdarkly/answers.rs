//! Answers of Halyard after an import, and those of LaunchDarkly's own server SDK before it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;

use harness::migration::{Comparison, Evaluator, Imported, import, platform};
use harness::source::{CREDENTIAL, PROJECT};
use harness::{App, Source, User, places};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::migration::compare::expect_agreement;

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

/// What the SDK answers in `production` of a project with these flags, by flag and context.
async fn evaluate(python: &Path, project: &Value, contexts: &[Value]) -> Value {
    let mut run = Command::new(python.join("bin/python"))
        .arg(places::repository().join("tests/platforms/launchdarkly.py"))
        .arg("evaluate")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let asked = json!({"project": project, "contexts": contexts}).to_string();
    let mut input = run.stdin.take().unwrap();
    input.write_all(asked.as_bytes()).await.unwrap();
    drop(input);
    let run = run.wait_with_output().await.unwrap();
    assert!(run.status.success());
    let answers: Value = serde_json::from_slice(&run.stdout).unwrap();
    answers["production"].clone()
}

/// Flags with percentages of every kind that are drawn by the user's key.
fn with_percentages() -> Value {
    let rollout = |weights: &[(u32, u32)]| {
        let variations = weights
            .iter()
            .map(|(variation, weight)| json!({"variation": variation, "weight": weight}));
        json!({"rollout": {"variations": variations.collect::<Vec<_>>()}})
    };
    let seeded = |weights: &[(u32, u32)]| {
        let mut served = rollout(weights);
        served["rollout"]["kind"] = json!("experiment");
        served["rollout"]["seed"] = json!(61);
        served
    };
    let boolean = json!([{"value": true}, {"value": false}]);
    let named = json!([{"name": "blue", "value": "B"}, {"name": "green", "value": "G"}, {"name": "red", "value": "R"}]);
    let thirds = [(0, 20_000), (1, 33_330), (2, 46_670)];
    let keys = json!([{"attribute": "key", "op": "endsWith", "values": ["1", "2", "3"]}]);
    let mut in_rule = rollout(&[(0, 12_340), (1, 87_660)]);
    in_rule["clauses"] = keys.clone();
    let mut split_rule = rollout(&thirds);
    split_rule["clauses"] = keys;
    let flag = |key: &str, variations: &Value, rules: Value, fallthrough: Value| {
        json!({
            "key": key, "name": key, "kind": if variations[0]["value"] == true { "boolean" } else { "multivariate" },
            "variations": variations, "tags": [], "archived": false,
            "environments": {"production": {
                "on": true, "salt": format!("salt of {key}"), "offVariation": 1, "fallthrough": fallthrough,
                "rules": rules, "targets": [], "contextTargets": [], "prerequisites": [],
            }},
        })
    };
    json!([
        flag(
            "one",
            &boolean,
            json!([]),
            rollout(&[(0, 1_000), (1, 99_000)])
        ),
        flag(
            "third",
            &boolean,
            json!([]),
            rollout(&[(0, 33_330), (1, 66_670)])
        ),
        flag(
            "false-first",
            &boolean,
            json!([]),
            rollout(&[(1, 70_000), (0, 30_000)])
        ),
        flag(
            "rule",
            &boolean,
            json!([in_rule]),
            rollout(&[(0, 50_000), (1, 50_000)])
        ),
        flag("names", &named, json!([]), rollout(&thirds)),
        flag("seed", &named, json!([]), seeded(&thirds)),
        flag(
            "rule-of-values",
            &named,
            json!([split_rule]),
            rollout(&[(2, 60_000), (0, 40_000)])
        ),
    ])
}

/// The flags as SDKs get them for `production`.
fn for_sdks(project: &Value) -> Value {
    let flags = project["flags"].as_array().unwrap().iter().map(|flag| {
        let mut here = flag["environments"]["production"].clone();
        let variations = flag["variations"].as_array().unwrap().iter();
        here["variations"] = variations.map(|one| one["value"].clone()).collect();
        here["key"] = flag["key"].clone();
        here["version"] = json!(1);
        (flag["key"].as_str().unwrap().to_owned(), here)
    });
    json!({"flags": flags.collect::<serde_json::Map<_, _>>(), "segments": {}})
}

#[tokio::test]
async fn halyard_answers_as_launchdarkly_did_where_buckets_are_kept() {
    const USERS: usize = 2_000;
    let Some(python) = platform("python") else {
        return;
    };
    let project = json!({
        "environments": [{"key": "production", "name": "Production"}], "flags": with_percentages(), "segments": {},
    });
    let contexts: Vec<_> = (0..USERS)
        .map(|user| json!({"key": format!("user-{user}"), "attributes": {}}))
        .collect();
    let judged = evaluate(&python, &project, &contexts).await;
    let app = App::start_with(&[("RATE_MIGRATION", "0")]).await;
    let (owner, target) = target(&app).await;
    let source = Source::holding(&project);
    let mut body = source.body(&target);
    body["buckets"] = json!("keep");
    let imported = import(&owner, &body).await;
    assert_eq!(imported.status["status"], "completed");

    let flags = judged.as_object().unwrap();
    let keys: Vec<&str> = flags.keys().map(String::as_str).collect();
    let evaluator = Evaluator::new(&app, &owner, &target, "production").await;
    let mut differing = Vec::new();
    for (place, context) in contexts.iter().enumerate() {
        let ours = evaluator.answers(context["key"].as_str().unwrap()).await;
        for key in &keys {
            let (theirs, ours) = (&flags[*key][place][0], &ours[*key]);
            let name = match theirs.as_str() {
                Some("B") => "blue",
                Some("G") => "green",
                _ => "red",
            };
            let is_drawn = matches!(*key, "names" | "seed");
            if *theirs != ours["value"] || (is_drawn && ours["variant"] != name) {
                differing.push(format!("{key}, {context}: {theirs} there, {ours} here"));
            }
        }
    }
    println!(
        "buckets of LaunchDarkly: {} of {} answers differ",
        differing.len(),
        USERS * keys.len()
    );
    assert!(
        differing.is_empty(),
        "{:#?}",
        &differing[..10.min(differing.len())]
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("flags.json");
    std::fs::write(&file, for_sdks(&project).to_string()).unwrap();
    let settings = [("LAUNCHDARKLY_FILE", file.to_str().unwrap())];
    let key = &evaluator.key;
    let platform = "launchdarkly";
    expect_agreement(
        &app,
        key,
        &python,
        platform,
        &settings,
        &keys,
        &contexts[..20],
    )
    .await;

    let said: Vec<_> = keys.iter().flat_map(|key| imported.said_of(key)).collect();
    assert_eq!(
        said,
        [
            "production, rule 1: the names of its variations are not kept: rules serve values, and no variant",
            "warning: production, default rule: an experiment becomes a split of which nothing is measured",
        ]
    );
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
