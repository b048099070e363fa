//! Every evaluation vector that the API accepts, loaded through the management API and asked at the separate edge.

use std::collections::BTreeMap;
use std::fs;

use harness::{Edge, Stack, User, eventually, places};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
struct Vectors {
    environments: BTreeMap<String, Environment>,
    cases: Vec<Case>,
}

/// `conformance/README.md` says what the fields mean.
#[derive(Deserialize)]
struct Environment {
    #[serde(default = "accepted")]
    api: bool,
    flags: Vec<Value>,
    states: BTreeMap<String, Value>,
    #[serde(default)]
    segments: Vec<Value>,
    #[serde(default)]
    deleted_segments: Vec<Value>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(default = "accepted")]
    api: bool,
    name: Option<String>,
    environment: String,
    flag_key: String,
    /// Sent as it is written, so that numbers keep their spelling.
    context: Box<RawValue>,
    expected: Map<String, Value>,
}

const fn accepted() -> bool {
    true
}

#[tokio::test]
async fn hand_written_vectors_hold_at_the_edge() {
    let names: Vec<_> = files()
        .into_iter()
        .filter(|name| name != "random.json")
        .collect();
    assert!(names.len() >= 14, "{names:?}");
    let (mut stack, edge) = start().await;
    let owner = stack.signup("vectors").await;
    let mut asked = 0;
    for name in names {
        asked += run(&owner, &edge, &name).await;
    }
    assert!(asked > 300, "{asked} cases");
    assert!(stack.control.runs());
}

#[tokio::test]
async fn random_vectors_hold_at_the_edge() {
    let (stack, edge) = start().await;
    let owner = stack.signup("vectors").await;
    assert_eq!(run(&owner, &edge, "random.json").await, 2_000);
}

async fn start() -> (Stack, Edge) {
    let mut stack = Stack::start_with(&[("RATE_MANAGEMENT", "0")]).await;
    let edge = stack.edge().await;
    (stack, edge)
}

fn files() -> Vec<String> {
    let folder = places::repository().join("protocol/conformance");
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".json"))
        .collect();
    names.sort();
    names
}

/// Loads a file, asks all its cases at the edge, and returns how many those were.
async fn run(owner: &User, edge: &Edge, name: &str) -> usize {
    let text =
        fs::read_to_string(places::repository().join("protocol/conformance").join(name)).unwrap();
    let vectors: Vectors = serde_json::from_str(&text).unwrap();
    let mut keys = BTreeMap::new();
    for (title, environment) in vectors.environments.iter().filter(|(_, it)| it.api) {
        keys.insert(
            title.clone(),
            load(owner, &format!("{name} {title}"), environment).await,
        );
    }
    for key in keys.values() {
        known(edge, key).await;
    }

    let mut asked = 0;
    let mut wrong = Vec::new();
    for case in vectors.cases.iter().filter(|case| case.api) {
        let Some(key) = keys.get(&case.environment) else {
            continue;
        };
        asked += 1;
        if let Some(difference) = ask(edge, key, case).await {
            wrong.push(format!(
                "{name}: {}: {difference}",
                case.name.as_deref().unwrap_or("?")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {asked}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    asked
}

/// Makes a project with one environment as described; returns a key of it.
async fn load(owner: &User, title: &str, environment: &Environment) -> String {
    let project = owner.post("/v1/projects", json!({"name": title})).await;
    project.expect_status(201);
    let project = project.text("/id");
    let environments = format!("/v1/projects/{project}/environments");
    let env = owner.post(&environments, json!({"name": "Vectors"})).await;
    env.expect_status(201);
    let env = env.text("/id");

    let segments = format!("/v1/projects/{project}/segments");
    for segment in environment
        .segments
        .iter()
        .chain(&environment.deleted_segments)
    {
        owner
            .post(&segments, named(segment))
            .await
            .expect_status(201);
    }
    let flags = format!("/v1/projects/{project}/flags");
    for flag in &environment.flags {
        owner.post(&flags, flag.clone()).await.expect_status(201);
    }
    for (key, state) in &environment.states {
        let path = format!("{flags}/{key}/environments/{env}");
        owner.put(&path, state.clone()).await.expect_status(200);
    }
    for segment in &environment.deleted_segments {
        let path = format!("{segments}/{}", segment["key"].as_str().unwrap());
        owner.delete(&path).await.expect_status(204);
    }
    owner.api_key(&env).await
}

/// A segment of the vectors may leave out what the API requires.
fn named(segment: &Value) -> Value {
    let mut segment = segment.clone();
    let fields = segment.as_object_mut().expect("a segment is an object");
    let name = fields["key"].clone();
    fields.entry("name").or_insert(name);
    fields.entry("rules").or_insert(json!([]));
    segment
}

/// The last write of an environment was answered, so the edge only has to know the key.
async fn known(edge: &Edge, key: &str) {
    let sdk = edge.with_key(key);
    eventually("the edge knows the key", || async {
        let answer = sdk
            .post(
                "/v1/evaluate/bulk",
                json!({"flag_keys": [], "context": {"key": "x"}}),
            )
            .await;
        (answer.status == 200).then_some(())
    })
    .await;
}

async fn ask(edge: &Edge, key: &str, case: &Case) -> Option<String> {
    let sdk = edge.with_key(key);
    let flag_key = serde_json::to_string(&case.flag_key).unwrap();
    let body = format!(
        "{{\"flag_key\": {flag_key}, \"context\": {}}}",
        case.context.get()
    );
    let request = sdk.request(reqwest::Method::POST, "/v1/evaluate");
    let answer = sdk
        .send(
            request
                .header("content-type", "application/json")
                .body(body),
        )
        .await;
    let mut expected = case.expected.clone();
    expected.insert("flag_key".to_owned(), case.flag_key.clone().into());
    let same = answer.status == 200 && same_json(&Value::Object(expected), &answer.body);
    (!same).then(|| {
        format!(
            "{} {}, expected {:?}",
            answer.status, answer.body, case.expected
        )
    })
}

/// JSON equality where numbers are equal by value.
fn same_json(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| same_json(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, left)| right.get(key).is_some_and(|right| same_json(left, right)))
        }
        (left, right) => left == right,
    }
}
