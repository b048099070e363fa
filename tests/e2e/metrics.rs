//! What `/metrics` of real processes says.

use harness::Caller;
use serde_json::json;

use crate::scene::{Scene, question};

const DOCUMENT: &str = include_str!("../../docs/metrics.md");
const ANSWERED: &str = "halyard_http_requests_total";
const DURATIONS: &str = "halyard_http_request_duration_seconds";

async fn metrics(admin: &Caller) -> String {
    let answer = admin.get("/metrics").await;
    answer.expect_status(200);
    answer.body.as_str().unwrap().to_owned()
}

/// The value of the line with this name and these labels; 0 if there is none.
fn value(metrics: &str, name: &str, labels: &str) -> u64 {
    let start = format!("{name}{{{labels}}} ");
    let value = metrics.lines().find_map(|line| line.strip_prefix(&start));
    value.map_or(0, |value| value.parse().unwrap())
}

/// What is wrong with what stands around the values.
fn complaints(metrics: &str) -> Vec<String> {
    let heads: Vec<(&str, &str)> = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '))
        .collect();
    let mut complaints = Vec::new();
    for (name, kind) in &heads {
        if !metrics.contains(&format!("# HELP {name} ")) {
            complaints.push(format!("{name} has no HELP"));
        }
        if heads.iter().filter(|(other, _)| other == name).count() > 1 {
            complaints.push(format!("{name} is there twice"));
        }
        let rows = DOCUMENT.lines().filter(|line| {
            let rest = line.strip_prefix(&format!("| `{name}"));
            rest.is_some_and(|rest| rest.starts_with(['`', '{']))
        });
        if !rows
            .into_iter()
            .any(|row| row.contains(&format!("` | {kind} | ")))
        {
            complaints.push(format!("{name}, a {kind}, is not in docs/metrics.md"));
        }
    }
    for line in metrics.lines().filter(|line| line.starts_with("halyard_")) {
        let name = line.split(['{', ' ']).next().unwrap();
        let is_of = |head: &str| {
            let suffix = name.strip_prefix(head);
            matches!(suffix, Some("" | "_sum" | "_count" | "_bucket"))
        };
        if !heads.iter().any(|(head, _)| is_of(head)) {
            complaints.push(format!("{name} has no TYPE"));
        }
    }
    complaints
}

#[tokio::test]
async fn every_metric_of_both_servers_says_what_it_means() {
    let mut scene = Scene::start().await;
    let quic = scene.stack.quic().to_owned();
    let mut relay = scene.stack.enrolled_relay_below(&[&quic], None);
    relay.start().await;
    scene.value().await;
    let admins = [
        ("control plane", scene.stack.admin()),
        ("edge", scene.edge.admin()),
        ("relay", relay.admin()),
    ];
    for (server, admin) in admins {
        let metrics = metrics(&admin).await;
        assert!(metrics.lines().count() > 50, "{server}: {metrics}");
        let complaints = complaints(&metrics);
        assert!(complaints.is_empty(), "{server}: {complaints:#?}");
    }
}

#[tokio::test]
async fn requests_are_counted_by_route_method_and_status_at_both_servers() {
    let scene = Scene::start().await;
    for (url, admin) in [
        (scene.edge.url(), scene.edge.admin()),
        (scene.owner.base().to_owned(), scene.stack.admin()),
    ] {
        let sdk = scene.sdk().at(&url);
        let before = metrics(&admin).await;
        for _ in 0..3 {
            sdk.act("/v1/evaluate", question()).await;
        }
        sdk.post("/v1/evaluate", json!({})).await.expect_status(400);
        sdk.get("/v1/evaluate").await.expect_status(405);
        for made_up in ["/v1/made-up", "/v1/made-up/too"] {
            sdk.get(made_up).await.expect_status(404);
        }
        let after = metrics(&admin).await;
        let grew =
            |name: &str, labels: &str| value(&after, name, labels) - value(&before, name, labels);
        let evaluate = r#"route="/v1/evaluate",method="POST""#;
        for (labels, count) in [
            (format!(r#"{evaluate},status="200""#), 3),
            (format!(r#"{evaluate},status="400""#), 1),
            (
                r#"route="/v1/evaluate",method="GET",status="405""#.to_owned(),
                1,
            ),
            (r#"route="unknown",method="GET",status="404""#.to_owned(), 2),
        ] {
            assert_eq!(grew(ANSWERED, &labels), count, "{labels} at {url}: {after}");
        }
        assert_eq!(grew(&format!("{DURATIONS}_count"), evaluate), 4);
        let all = format!(r#"{evaluate},le="+Inf""#);
        assert_eq!(grew(&format!("{DURATIONS}_bucket"), &all), 4);
        assert!(!after.contains("made-up"), "{after}");
    }

    // Those of members, by the template and never by what it stands for.
    let state = scene.state_path();
    scene.owner.get(&state).await.expect_status(200);
    let after = metrics(&scene.stack.admin()).await;
    let template = "/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}";
    let labels = format!(r#"route="{template}",method="GET",status="200""#);
    assert_eq!(value(&after, ANSWERED, &labels), 1, "{after}");
    for named in [&scene.project, &scene.env, &scene.key] {
        assert!(!after.contains(named), "{named} in {after}");
    }
}
