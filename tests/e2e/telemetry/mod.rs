//! What is exported by OTLP, as a collector reads it: traces, change events, nothing secret.

mod collector;
mod scene;

use std::cell::RefCell;

use harness::{Answer, Receiver, Stack, eventually};
use reqwest::Method;
use serde_json::{Value, json};

use self::{
    collector::{Collector, Span},
    scene::{Scene, TOKEN},
};
use crate::scene::{FLAG, question};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00f067aa0ba902b7";

fn parent(flags: &str) -> String {
    format!("00-{TRACE}-{CALLER}-{flags}")
}

#[tokio::test]
async fn a_write_is_followed_to_the_event_stream() {
    let scene = Scene::start().await;
    let mut stream = scene.sdk().stream("/v1/stream/dev").await;
    stream.next_named("connected").await;
    let version = scene.serve("v1", Some(&parent("01"))).await;
    stream.next_named("flag-update").await;

    let write = scene
        .collector
        .span("the write", |span| {
            span.trace == TRACE && span.name.starts_with("PUT ")
        })
        .await;
    assert_eq!((&*write.service, &*write.parent), ("halyard", CALLER));
    let template = "/v1/projects/{project_id}/flags/{flag_key}/environments/{env_id}";
    for (key, value) in [
        ("http.request.method", "PUT"),
        ("http.response.status_code", "200"),
        ("url.scheme", "http"),
    ] {
        assert_eq!(write.attribute(key).as_deref(), Some(value), "{key}");
    }
    let route = write.attribute("http.route").unwrap();
    assert_eq!(write.name, format!("PUT {route}"));
    assert_eq!(
        route.matches('{').count(),
        template.matches('{').count(),
        "{route}"
    );
    let waited = |span: &Span| span.name == "connection" && span.parent == write.id;
    scene
        .collector
        .span("the wait for a connection", waited)
        .await;

    let commit = scene.step(&version, "commit", |_| true).await;
    assert_eq!(
        (&*commit.parent, &commit.links),
        ("", &vec![write.id.clone()])
    );
    assert!(write.links.contains(&commit.id), "{write:?}");
    let below = |parent: &Span| {
        let (trace, id) = (commit.trace.clone(), parent.id.clone());
        move |span: &Span| span.trace == trace && span.parent == id
    };
    scene.step(&version, "compile", below(&commit)).await;
    let to_relay = scene.step(&version, "push", below(&commit)).await;
    let at_relay = scene.step(&version, "apply", below(&to_relay)).await;
    let to_leaf = scene.step(&version, "push", below(&to_relay)).await;
    let at_leaf = scene.step(&version, "apply", below(&to_leaf)).await;
    let told = scene.step(&version, "stream", below(&to_leaf)).await;
    let services = [&to_relay, &at_relay, &to_leaf, &at_leaf, &told].map(|span| &*span.service);
    let [control, edge] = ["halyard", "halyard-edge"];
    assert_eq!(services, [control, edge, edge, edge, edge]);
}

#[tokio::test]
async fn requests_keep_the_decision_of_their_caller() {
    let scene = Scene::start().await;
    let ask = async |traceparent: &str| {
        let request = scene
            .sdk()
            .request(Method::POST, "/v1/evaluate")
            .json(&question());
        scene
            .sdk()
            .send(request.header("traceparent", traceparent))
            .await
            .expect_status(200);
    };
    ask(&parent("00")).await;
    let other = "0af7651916cd43dd8448eb211c80319c";
    for malformed in [
        "",
        "nonsense",
        "00-0-0-01",
        &format!("00-{}-{CALLER}-01", "0".repeat(32)),
    ] {
        ask(malformed).await;
    }
    ask(&format!("00-{other}-{CALLER}-01")).await;
    let asked = scene
        .collector
        .span("the last", |span| span.trace == other)
        .await;
    assert_eq!(
        (&*asked.name, &*asked.parent),
        ("POST /v1/evaluate", CALLER)
    );
    let unsampled = |span: &Span| span.trace == TRACE;
    assert!(!scene.collector.spans().iter().any(unsampled));
    // Its lines have the caller's ids all the same.
    let log = scene.leaf.process.log();
    let lines = log
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let lines: Vec<_> = lines.filter(|line| line["message"] == "answered").collect();
    let of = |trace: &str| {
        lines
            .iter()
            .find(|line| line["trace_id"] == *trace)
            .unwrap()
    };
    assert_eq!(of(TRACE)["span_id"], *CALLER);
    assert_eq!(of(other)["span_id"], *asked.id);
    for line in &lines {
        assert_eq!(line["service.name"], "halyard-edge");
        assert!(line["service.instance.id"].is_string() && line["service.version"].is_string());
        assert!(
            line["span"].is_object() && line.get("spans").is_none(),
            "{line}"
        );
    }
}

#[tokio::test]
async fn a_latency_has_the_trace_of_a_request_for_those_who_read_open_metrics() {
    let scene = Scene::start().await;
    for flags in ["01", "00"] {
        let sdk = scene.sdk();
        let request = sdk.request(Method::POST, "/v1/evaluate").json(&question());
        let request = request.header("traceparent", format!("00-{TRACE}-{CALLER}-{flags}"));
        sdk.send(request).await.expect_status(200);
    }
    scene.serve("v1", Some(&parent("01"))).await;
    for (admin, route) in [
        (scene.leaf.admin(), "/v1/evaluate"),
        (scene.stack.admin(), "/v1/projects/"),
    ] {
        let read = admin.request(Method::GET, "/metrics");
        let accept = "application/openmetrics-text;version=1.0.0,text/plain;q=0.5";
        let answer = admin.send(read.header("accept", accept)).await;
        let kind = "application/openmetrics-text; version=1.0.0; charset=utf-8";
        assert_eq!(answer.header("content-type"), kind);
        let text = answer.body.as_str().unwrap();
        let exemplar = format!(" # {{trace_id=\"{TRACE}\"}} ");
        let with: Vec<&str> = text
            .lines()
            .filter(|line| line.contains(&exemplar))
            .collect();
        assert_eq!(with.len(), 1, "{with:?}");
        let start = format!("halyard_http_request_duration_seconds_bucket{{route=\"{route}");
        assert!(with[0].starts_with(&start), "{with:?}");
        assert!(text.ends_with("\n# EOF\n"));

        let plain = admin.get("/metrics").await;
        let kind = "text/plain; version=0.0.4; charset=utf-8";
        assert_eq!(plain.header("content-type"), kind);
        let plain = plain.body.as_str().unwrap();
        assert!(
            !plain.contains(TRACE) && !plain.contains("# EOF"),
            "{plain}"
        );
    }
}

#[tokio::test]
async fn webhooks_carry_the_trace_of_their_delivery() {
    let scene = Scene::start().await;
    let receiver = Receiver::start();
    let body =
        json!({"name": "Chat", "url": receiver.url("/hook"), "secret": "s3cret-of-a-webhook"});
    scene.owner.create("/v1/webhooks", body).await;
    scene.serve("v1", None).await;
    let received = receiver.until(1).await;
    let call = |span: &Span| {
        received[0].header("traceparent") == format!("00-{}-{}-01", span.trace, span.id)
    };
    let call = scene.collector.span("the call", call).await;
    assert_eq!(
        call.attribute("http.response.status_code").as_deref(),
        Some("200")
    );
    let delivery = scene
        .collector
        .span("the delivery", |span| span.id == call.parent)
        .await;
    assert_eq!(delivery.name, "deliver_webhook");
    assert!(received[0].headers.get("baggage").is_none());
    scene
        .collector
        .span("a run of a job", |span| span.name == "queue_webhook_events")
        .await;
}

#[tokio::test]
async fn each_change_is_one_event_whoever_leads() {
    let scene = Scene::start().await;
    let other = scene.stack.another_control("other").await;
    let flags = format!("/v1/projects/{}/flags", scene.project);
    let before = scene.collector.records().len();
    for (number, base) in [&scene.stack.url, &other.url]
        .into_iter()
        .cycle()
        .take(6)
        .enumerate()
    {
        let flag = json!({"key": format!("flag-{number}"), "name": "A flag"});
        scene.owner.at(base).create(&flags, flag).await;
    }
    let version = scene.serve("v1", Some(&parent("01"))).await;
    let records = eventually("the events", async || {
        let records = scene.collector.records().split_off(before);
        (records.len() >= 7).then_some(records)
    })
    .await;
    let mut keys: Vec<_> = records
        .iter()
        .map(|one| one.attribute("feature_flag.key").unwrap())
        .collect();
    keys.sort_unstable();
    let mut expected: Vec<_> = (0..6).map(|number| format!("flag-{number}")).collect();
    expected.push(FLAG.to_owned());
    assert_eq!(keys, expected);
    let change = records.iter().find(|one| one.trace == TRACE).unwrap();
    assert_eq!(change.name, "halyard.change");
    for (key, value) in [
        ("feature_flag.key", FLAG),
        ("feature_flag.set.id", &scene.env),
        ("feature_flag.version", &version),
        ("halyard.change.type", "flag.updated"),
        ("halyard.project.id", &scene.project),
        ("halyard.environment.id", &scene.env),
        ("halyard.actor.type", "user"),
    ] {
        assert_eq!(change.attribute(key).as_deref(), Some(value), "{key}");
    }
}

#[tokio::test]
async fn nothing_secret_is_exported() {
    let scene = Scene::start().await;
    let bulk = json!({"flag_keys": [FLAG], "context": {"key": "user-of-a-tenant", "mail": "ada@tenant.example"}});
    scene.sdk().act("/v1/evaluate/bulk", bulk).await;
    let query = format!("/v1/stream/dev?api_key={}", scene.key);
    let mut stream = scene.sdk().without_credentials().stream(&query).await;
    stream.next_named("connected").await;
    scene.owner.sign_in_again().await;
    scene.serve("v1", None).await;
    scene
        .collector
        .span("a sign-in", |span| span.name == "POST /v1/auth/login")
        .await;
    scene
        .collector
        .span("the stream", |span| {
            span.name.starts_with("GET /v1/stream/")
        })
        .await;
    for received in scene.collector.0.received() {
        assert_eq!(received.header("authorization"), format!("Bearer {TOKEN}"));
    }
    let sent = scene.collector.bytes();
    let sent = String::from_utf8_lossy(&sent);
    let mut logs = scene.stack.control.log();
    logs += &scene.leaf.process.log();
    logs += &scene.relay.process.log();
    assert!(!logs.contains(TOKEN));
    let token = &scene.owner.access_token;
    for secret in [
        TOKEN,
        &scene.key,
        token,
        harness::user::PASSWORD,
        "user-of-a-tenant",
        "ada@tenant.example",
        &scene.owner.email,
    ] {
        assert!(!sent.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn a_collector_that_is_away_costs_spans_and_nothing_else() {
    let collector = Collector::start();
    collector.0.answers([Answer::Hang, Answer::Hang]);
    let mut settings = collector.settings();
    settings.extend([
        ("OTEL_BSP_MAX_QUEUE_SIZE", "8".to_owned()),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "1000".to_owned()),
    ]);
    let settings: Vec<_> = settings
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    let stack = Stack::start_with(&settings).await;
    let dropped = async |reason: &str| {
        let metrics = stack.admin().get("/metrics").await.body;
        let metrics = metrics.as_str().unwrap();
        let line =
            format!(r#"halyard_telemetry_dropped_total{{signal="traces",reason="{reason}"}} "#);
        let count = metrics.lines().find_map(|shown| shown.strip_prefix(&*line));
        count
            .unwrap_or_else(|| panic!("no {line}"))
            .parse::<u64>()
            .unwrap()
    };
    for _ in 0..50 {
        stack
            .anonymous()
            .get("/v1/pricing")
            .await
            .expect_status(200);
    }
    assert!(dropped("queue_full").await > 0);
    collector.0.go_down().await;
    for reason in ["queue_full", "not_taken"] {
        eventually(&format!("more is dropped: {reason}"), async || {
            stack
                .anonymous()
                .get("/v1/pricing")
                .await
                .expect_status(200);
            (dropped(reason).await > 0).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn what_waits_is_sent_before_a_process_ends() {
    let collector = Collector::start();
    let mut settings = collector.settings();
    settings.extend([("OTEL_BSP_SCHEDULE_DELAY", "600000".to_owned())]);
    let settings: Vec<_> = settings
        .iter()
        .map(|(name, value)| (*name, &**value))
        .collect();
    let mut stack = Stack::start_with(&settings).await;
    stack
        .anonymous()
        .get("/v1/pricing")
        .await
        .expect_status(200);
    stack.control.ask_to_stop();
    let control = RefCell::new(&mut stack.control);
    eventually("the process ends", async || {
        (!control.borrow_mut().runs()).then_some(())
    })
    .await;
    let spans = collector.spans();
    assert!(
        spans.iter().any(|span| span.name == "GET /v1/pricing"),
        "{spans:?}"
    );
}
