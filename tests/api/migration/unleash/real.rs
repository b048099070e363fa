//! The real Unleash beside what was imported from it.

use std::collections::BTreeMap;

use harness::migration::{Comparison, Evaluator, import, platform};
use harness::unleash::{ADMIN, CLIENT};
use harness::{App, Unleash, User};
use serde_json::{Value, json};

use crate::migration::compare::expect_agreement;

/// Contexts that all flags are asked for.
const CONTEXTS: usize = 60;
/// How far a share among a thousand users may be from another.
const TOLERANCE: f64 = 0.06;

#[tokio::test]
async fn halyard_answers_as_unleash_did() {
    let (Some(installed), Some(python)) = (platform("unleash"), platform("python")) else {
        return;
    };
    let (app, unleash) = tokio::join!(
        App::start_with(&[("RATE_MIGRATION", "0")]),
        Unleash::start(&installed)
    );
    let owner = app.signup("acme").await;
    let project = owner.post("/v1/projects", json!({"name": "Shop"})).await;
    let target = project.text("/id");
    let body = json!({
        "provider": "provider_b", "api_key": ADMIN, "base_url": format!("{}/api/", unleash.url()),
        "project_key": "default", "target_project_id": target,
    });
    let judged = unleash.fill_and_judge(&python, CONTEXTS).await;
    connects_only_with_the_right_credential_and_project(&owner, &body).await;
    let analyzed = owner.act("/v1/migration/analyze", body.clone()).await;
    let imported = import(&owner, &body).await;
    assert_eq!(imported.status["status"], "completed");
    assert_eq!(
        analyzed.body["summary"]["total_flags"],
        imported.status["flags_total"]
    );

    let mut comparison = Comparison::default();
    for (environment, answers) in judged["answers"].as_object().unwrap() {
        let evaluator = Evaluator::new(&app, &owner, &target, environment).await;
        let flags: Vec<&str> = answers
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        for (place, context) in judged["contexts"].as_array().unwrap().iter().enumerate() {
            let ours = evaluator.values(&flags, context).await;
            for flag in &flags {
                let theirs = &answers[flag][place];
                comparison.add(&imported, flag, context, theirs, ours.get(*flag));
            }
        }
    }
    comparison.expect("Unleash", 20_000, 19_500);

    let exact = imported.exact_flags();
    let inexact: Vec<_> = judged["exact"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .filter(|flag| !exact.contains(flag))
        .map(|flag| (flag, imported.said_of(flag)))
        .collect();
    assert!(inexact.is_empty(), "{inexact:#?}");
    println!(
        "{} flags are exact of {}",
        exact.len(),
        imported.status["flags_total"]
    );

    let evaluator = Evaluator::new(&app, &owner, &target, "production").await;
    shares_are_the_same(&evaluator, &judged).await;
    let evaluator = kept_buckets_reach_the_same_users(&app, &owner, &body, &judged).await;
    let token = unleash.frontend_token("production").await;
    let settings = [("UNLEASH_URL", unleash.url()), ("UNLEASH_KEY", token)];
    let settings = settings
        .each_ref()
        .map(|(name, value)| (*name, value.as_str()));
    let flags = [
        "plain",
        "off",
        "share",
        "share-33",
        "share-of-values",
        "share-of-names",
    ];
    let users: Vec<_> = (0..40)
        .map(|user| json!({"key": format!("user-{user}"), "attributes": {"country": "DE"}}))
        .collect();
    let key = &evaluator.key;
    expect_agreement(&app, key, &python, "unleash", &settings, &flags, &users).await;
    a_second_analysis_finds_nothing_to_import(&owner, &body).await;
    tells_what_flags_are_besides_their_rules(&owner, &target).await;
}

async fn connects_only_with_the_right_credential_and_project(owner: &User, body: &Value) {
    let connect = async |field: &str, value: &str| {
        let mut body = body.clone();
        body[field] = json!(value);
        owner.post("/v1/migration/connect", body).await
    };
    let address = body["base_url"].as_str().unwrap();
    let root = address.trim_end_matches("/api/");
    for below in ["", "/", "/api", "/api/", "/api/admin"] {
        let address = format!("{root}{below}");
        connect("base_url", &address).await.expect_status(200);
    }
    connect("api_key", "*:*.wrong").await.expect_status(400);
    connect("api_key", CLIENT).await.expect_status(400);
    connect("project_key", "another").await.expect_status(400);
}

async fn shares_are_the_same(evaluator: &Evaluator, judged: &Value) {
    let shares = judged["shares"].as_object().unwrap();
    let flags: Vec<&str> = shares.keys().map(String::as_str).collect();
    let keys = judged["share_keys"].as_array().unwrap();
    let mut ours: BTreeMap<&str, BTreeMap<String, f64>> = BTreeMap::new();
    for key in keys {
        let context = json!({"key": key, "attributes": {"sessionId": key}});
        let values = evaluator.values(&flags, &context).await;
        for flag in &flags {
            let of_flag = ours.entry(flag).or_default();
            *of_flag.entry(values[*flag].to_string()).or_default() += 1.0;
        }
    }
    let users = u32::try_from(keys.len()).unwrap();
    for (flag, theirs) in shares {
        for (value, count) in theirs.as_object().unwrap() {
            let found = ours[flag.as_str()].get(value).copied().unwrap_or_default();
            let difference = (found - count.as_f64().unwrap()) / f64::from(users);
            assert!(
                difference.abs() < TOLERANCE,
                "{flag}: {theirs} there, {:?} here",
                ours[flag.as_str()]
            );
        }
    }
}

/// Whoever gets something there gets the same here, under the same name.
async fn kept_buckets_reach_the_same_users(
    app: &App,
    owner: &User,
    body: &Value,
    judged: &Value,
) -> Evaluator {
    let project = owner.post("/v1/projects", json!({"name": "Kept"})).await;
    let target = project.text("/id");
    let mut body = body.clone();
    body["target_project_id"] = json!(target);
    body["buckets"] = json!("keep");
    body["environments"] = json!({"production": "live"});
    let imported = import(owner, &body).await;
    assert_eq!(imported.status["status"], "completed");
    let evaluator = Evaluator::new(app, owner, &target, "live").await;
    let each_share = judged["each_share"].as_object().unwrap();
    // By the session, which contexts here have as an attribute.
    let flags: Vec<&str> = each_share
        .keys()
        .map(String::as_str)
        .filter(|flag| *flag != "share-by-session")
        .collect();
    let keys = judged["share_keys"].as_array().unwrap();
    let mut differing = Vec::new();
    for (place, key) in keys.iter().enumerate() {
        let ours = evaluator.answers(key.as_str().unwrap()).await;
        for flag in &flags {
            let (theirs, ours) = (&each_share[*flag][place], &ours[*flag]);
            let is_named = theirs[1] != "";
            if theirs[0] != ours["value"] || (is_named && theirs[1] != ours["variant"]) {
                differing.push(format!("{flag}, {key}: {theirs} there, {ours} here"));
            }
        }
    }
    println!(
        "buckets of Unleash: {} of {} answers differ",
        differing.len(),
        flags.len() * keys.len()
    );
    assert!(
        differing.is_empty(),
        "{:#?}",
        &differing[..10.min(differing.len())]
    );
    let inexact: Vec<_> = flags
        .iter()
        .map(|flag| (flag, imported.said_of(flag)))
        .filter(|(_, said)| !said.is_empty())
        .collect();
    assert!(inexact.is_empty(), "{inexact:#?}");
    evaluator
}

async fn a_second_analysis_finds_nothing_to_import(owner: &User, body: &Value) {
    let analyzed = owner.act("/v1/migration/analyze", body.clone()).await;
    let items = analyzed.body["details"]["items"].as_array().unwrap();
    let different: Vec<_> = items
        .iter()
        .filter(|item| item["reasons"].to_string().contains("with another meaning"))
        .collect();
    assert!(different.is_empty(), "{different:#?}");
}

async fn tells_what_flags_are_besides_their_rules(owner: &User, target: &str) {
    let flag = owner
        .get(&format!("/v1/projects/{target}/flags/plain"))
        .await;
    assert_eq!(flag.body["tags"], json!(["one tag"]));
    let gone = owner
        .get(&format!("/v1/projects/{target}/flags/gone"))
        .await;
    gone.expect_status(404);
    let child = owner
        .get(&format!("/v1/projects/{target}/flags/child"))
        .await;
    assert_eq!(child.body["prerequisites"], json!(["parent"]));
}
