//! A peer's server in the same run: Unleash's proxy, asked over HTTP what an edge is asked, about the same flags.

use std::path::PathBuf;
use std::rc::Rc;
use std::{env, fs};

use bytes::Bytes;
use harness::node::NodeServer;
use harness::places;
use serde_json::{Value, json};

use crate::{
    cores::Cores,
    load::{self, Connection, Round, Subject},
    paths::{FLAGS, REQUESTS, Servers, flag_of},
    report::{Figures, Report, median},
    requests,
    tenant::{context, key_of},
};

pub const NAME: &str = "peer-http";

const ROUNDS: usize = 3;
const KEY: &str = "bench";
const SEGMENTS: usize = 10;

/// What is asked of both, given the number of a user.
struct Question {
    quantity: &'static str,
    /// How many flags an answer has.
    values: usize,
    theirs: fn(usize) -> Bytes,
    /// The name of the benchmark that asks an edge the same.
    ours: &'static str,
}

const QUESTIONS: [Question; 2] = [
    Question {
        quantity: "one of 1,000 flags by Unleash's proxy",
        values: 1,
        theirs: |user| {
            let body = json!({"context": their_context(user), "toggles": [flag_of(user)]});
            with_key("/proxy", &body)
        },
        ours: "evaluate",
    },
    Question {
        quantity: "1,000 flags by Unleash's proxy",
        values: FLAGS,
        theirs: |user| with_key("/proxy/all", &json!({"context": their_context(user)})),
        ours: "bulk-1000-client",
    },
];

/// Where its packages are installed, if they are.
fn installed() -> Option<PathBuf> {
    env::var_os("HALYARD_BENCH_PEERS").map(|folder| PathBuf::from(folder).join("proxy"))
}

/// The reference, the proxy and an edge take turns.
pub async fn run(cores: &Cores, report: &mut Report) {
    let Some(installed) = installed() else {
        eprintln!("HALYARD_BENCH_PEERS names no folder: NOT compared with Unleash's proxy");
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let features = folder.path().join("features.json");
    fs::write(&features, features_of_unleash().to_string()).expect("a file");
    let script = places::repository().join("tests/bench/proxy/start.mjs");
    let settings = [("CLIENT_KEY", KEY), ("NODE_ENV", "production")];
    let arguments = [&installed, &features];
    let proxy = cores
        .start_server(NodeServer::start(&script, &arguments, &settings))
        .await;
    let servers = Servers::start(cores, folder.path()).await;
    let reference = servers.reference_asked();
    for question in QUESTIONS {
        let requests: Rc<[_]> = (0..REQUESTS).map(question.theirs).collect();
        let theirs = Subject {
            process: proxy.id(),
            body: check(&proxy, &requests[1], question.values).await / 2,
            address: address(&proxy),
            requests,
            status: 200,
        };
        let ours = servers.edge_asked(question.ours);
        let mut rounds = Vec::new();
        for _ in 0..=ROUNDS {
            rounds.push([
                load::round(&reference).await,
                load::round(&theirs).await,
                load::round(&ours).await,
            ]);
        }
        tell(&question, &rounds[1..], report);
    }
}

fn tell(question: &Question, rounds: &[[Round; 3]], report: &mut Report) {
    let of = |value: fn(&[Round; 3]) -> f64| median(rounds.iter().map(value));
    report.tell_of_others(
        NAME,
        question.quantity,
        "C",
        of(|[reference, theirs, _]| reference.cpu / theirs.cpu),
        Figures::from([
            ("cpu µs", of(|[_, theirs, _]| theirs.cpu)),
            ("cpu of ours µs", of(|[_, _, ours]| ours.cpu)),
            ("times ours", of(|[_, theirs, ours]| theirs.cpu / ours.cpu)),
            ("rate /s", of(|[_, theirs, _]| theirs.rate)),
        ]),
    );
}

fn with_key(path: &str, body: &Value) -> Bytes {
    requests::with_body("POST", path, &format!("authorization: {KEY}"), body)
}

fn their_context(user: usize) -> Value {
    let mut ours = context(user);
    json!({"userId": ours["key"].take(), "properties": ours["attributes"].take()})
}

fn address(proxy: &NodeServer) -> String {
    format!("127.0.0.1:{}", proxy.port)
}

/// Looks at one answer; the length of its body.
async fn check(proxy: &NodeServer, request: &[u8], values: usize) -> usize {
    let mut connection = Connection::open(&address(proxy)).await.expect("it listens");
    let (status, body) = connection.fetch(request).await.expect("an answer");
    assert_eq!(status, 200);
    let parsed: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(parsed["toggles"].as_array().map(Vec::len), Some(values));
    body.len()
}

/// The mix of flags and the segments of `tenant.rs`, as Unleash tells them to its SDKs. Only that a segment demands both of its
/// conditions there.
fn features_of_unleash() -> Value {
    let features: Vec<_> = (0..FLAGS).map(feature).collect();
    let segments = (0..SEGMENTS).map(|number| {
        let email = json!({
            "contextName": "email",
            "operator": "STR_ENDS_WITH",
            "values": [format!("@team{number}.test")],
        });
        let country = is_in("country", &["DE", "FR", "PL"]);
        json!({"id": number, "name": format!("segment-{number}"), "constraints": [email, country]})
    });
    json!({"features": features, "segments": segments.collect::<Vec<_>>()})
}

fn feature(number: usize) -> Value {
    let name = key_of(number);
    let rollout = json!({"rollout": "50", "stickiness": "userId", "groupId": name});
    let mut strategy = json!({"name": "flexibleRollout", "parameters": rollout});
    let mut variants = json!([]);
    let kind = number % 10;
    match kind {
        0..4 => {}
        4..7 => {
            strategy["constraints"] = json!([
                is_in("plan", &["pro", "enterprise"]),
                is_in("country", &["DE"])
            ]);
        }
        7..9 => strategy["segments"] = json!([kind, kind - 7]),
        _ => {
            strategy["parameters"]["rollout"] = json!("100");
            variants = ["control", "wide", "narrow"].map(variant).into();
        }
    }
    json!({
        "name": name,
        "type": "release",
        "enabled": number / 10 % 10 != 9,
        "strategies": [strategy],
        "variants": variants,
    })
}

fn is_in(name: &str, values: &[&str]) -> Value {
    json!({"contextName": name, "operator": "IN", "values": values})
}

fn variant(name: &str) -> Value {
    let payload = json!({"type": "json", "value": json!({"layout": name}).to_string()});
    json!({"name": name, "weight": 333, "weightType": "variable", "payload": payload})
}
