//! Every vector that the API accepts, written through the management API and asked at a separate edge: so the meaning
//! of a flag survives storing, compiling, travelling and preparing.

use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;

use futures_util::{StreamExt, TryStreamExt, stream};
use harness::{Caller, Stack, User};
use reqwest::Method;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Environments written, and cases asked, at a time.
const AT_ONCE: usize = 4;

#[derive(Deserialize)]
pub(crate) struct Vectors {
    pub(crate) environments: HashMap<String, Environment>,
    pub(crate) cases: Vec<Case>,
}

#[derive(Deserialize)]
pub(crate) struct Environment {
    #[serde(default = "accepted")]
    pub(crate) api: bool,
    pub(crate) flags: Vec<Value>,
    pub(crate) states: Map<String, Value>,
    #[serde(default)]
    pub(crate) segments: Vec<Value>,
    #[serde(default)]
    deleted_segments: Vec<Value>,
}

#[derive(Deserialize)]
pub(crate) struct Case {
    #[serde(default = "accepted")]
    pub(crate) api: bool,
    pub(crate) environment: String,
    flag_key: String,
    /// As it would be sent, so that numbers keep their spelling.
    context: Box<RawValue>,
    expected: Value,
}

const fn accepted() -> bool {
    true
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_vector_holds_at_a_separate_edge() {
    let mut stack = Stack::start_with(&[("RATE_MANAGEMENT", "0")]).await;
    let edge = stack.edge().await;
    let owner = stack.signup("vectors").await;

    let mut asked = 0;
    for (file, vectors) in &read_all() {
        let written = vectors.environments.iter().enumerate();
        let written = written.filter(|(_, (_, environment))| environment.api);
        let keys: HashMap<&str, String> = stream::iter(written)
            .map(|(number, (name, environment))| {
                let slug = format!("{file}-{number}");
                let owner = &owner;
                async move { (name.as_str(), write(owner, &slug, environment).await) }
            })
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;

        let cases = vectors
            .cases
            .iter()
            .enumerate()
            .filter(|(_, case)| case.api);
        let cases = cases.filter_map(|(number, case)| {
            let key = keys.get(case.environment.as_str())?;
            Some((number, case, edge.with_key(key)))
        });
        let answered: Vec<()> = stream::iter(cases)
            .map(|(number, case, sdk)| async move {
                ask(&sdk, case)
                    .await
                    .map_err(|wrong| format!("{file} case {number}: {wrong}"))
            })
            .buffer_unordered(AT_ONCE)
            .try_collect()
            .await
            .unwrap_or_else(|wrong: String| panic!("{wrong}"));
        asked += answered.len();
    }
    assert_eq!(asked, 2_416, "cases of environments that the API accepts");
}

pub(crate) fn read_all() -> Vec<(String, Vectors)> {
    let folder = PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../protocol/conformance"
    ));
    let files = fs::read_dir(folder)
        .expect("the vectors")
        .map(|entry| entry.expect("an entry").path());
    let files = files.filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "json")
    });
    files
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a file of vectors");
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, serde_json::from_str(&text).expect("vectors"))
        })
        .collect()
}

/// Writes one environment as a project of its own; returns a key for it.
async fn write(owner: &User, slug: &str, environment: &Environment) -> String {
    let project = owner
        .post("/v1/projects", json!({"name": slug, "slug": slug}))
        .await;
    let base = format!("/v1/projects/{}", project.expect_status(201).text("/id"));
    let env = owner
        .post(&format!("{base}/environments"), json!({"name": "vectors"}))
        .await;
    let env_id = env.expect_status(201).text("/id");

    for segment in environment
        .segments
        .iter()
        .chain(&environment.deleted_segments)
    {
        let mut segment = segment.clone();
        segment["name"] = segment["key"].clone();
        owner.create(&format!("{base}/segments"), segment).await;
    }
    for flag in &environment.flags {
        owner.create(&format!("{base}/flags"), flag.clone()).await;
    }
    for (flag_key, state) in &environment.states {
        let path = format!("{base}/flags/{flag_key}/environments/{env_id}");
        owner.change(&path, state.clone()).await;
    }
    for segment in &environment.deleted_segments {
        let key = segment["key"].as_str().expect("a key");
        owner.remove(&format!("{base}/segments/{key}")).await;
    }
    owner.api_key(&env_id).await
}

pub(crate) async fn ask(sdk: &Caller, case: &Case) -> Result<(), String> {
    let body = format!(
        r#"{{"flag_key":{},"context":{}}}"#,
        json!(case.flag_key),
        case.context
    );
    let request = sdk.request(Method::POST, "/v1/evaluate");
    let answer = sdk
        .send(
            request
                .header("content-type", "application/json")
                .body(body),
        )
        .await;
    let mut expected = case.expected.clone();
    expected["flag_key"] = json!(case.flag_key);
    if answer.status == 200 && is_same(&expected, &answer.body) {
        Ok(())
    } else {
        Err(format!(
            "{} {}, expected {expected}",
            answer.status, answer.body
        ))
    }
}

/// Compares as the vectors' README says: numbers by value, everything else strictly.
fn is_same(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Number(expected), Value::Number(actual)) => {
            expected == actual || expected.as_f64() == actual.as_f64()
        }
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len()
                && expected
                    .iter()
                    .zip(actual)
                    .all(|(expected, actual)| is_same(expected, actual))
        }
        (Value::Object(expected), Value::Object(actual)) => {
            expected.len() == actual.len()
                && expected.iter().all(|(key, expected)| {
                    actual
                        .get(key)
                        .is_some_and(|actual| is_same(expected, actual))
                })
        }
        (expected, actual) => expected == actual,
    }
}
