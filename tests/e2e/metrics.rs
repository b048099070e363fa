//! What `/metrics` of real processes says.

use std::time::Duration;

use harness::{Caller, eventually};
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

/// The kind that a row of the document says a metric is.
fn kind_of(name: &str, row: &str) -> &'static str {
    let is_counter = name.ends_with("_total");
    ["summary", "histogram"]
        .into_iter()
        .find(|kind| row.contains(&format!("` | {kind}: ")))
        .unwrap_or(if is_counter { "counter" } else { "gauge" })
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
        let mut rows = DOCUMENT.lines().filter(|line| {
            let rest = line.strip_prefix(&format!("| `{name}"));
            rest.is_some_and(|rest| rest.starts_with(['`', '{']))
        });
        if !rows.any(|row| kind_of(name, row) == *kind) {
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

/// Names and labels of the counters that docs/metrics.md lists below these headings.
fn counters<'a>(headings: &'a [&str]) -> impl Iterator<Item = (&'a str, bool)> {
    let sections = DOCUMENT.split("\n### ").filter(|section| {
        let heading = section.lines().next().unwrap();
        headings.contains(&heading)
    });
    let rows = sections
        .flat_map(str::lines)
        .filter(|row| row.starts_with("| `"));
    rows.map(|row| {
        let named = row.split('`').nth(1).unwrap();
        (named.split('{').next().unwrap(), named.contains('{'))
    })
    .filter(|(name, _)| name.ends_with("_total"))
}

#[tokio::test]
async fn counters_are_there_before_they_count() {
    let scene = Scene::start().await;
    let servers = [
        (
            scene.stack.admin(),
            &[
                "The control plane",
                "The link, at control planes and relays",
            ][..],
        ),
        (scene.edge.admin(), &["An edge"][..]),
    ];
    for (admin, headings) in servers {
        let metrics = metrics(&admin).await;
        let mut found = 0;
        for (name, has_labels) in counters(headings) {
            // Services without settings are not called, only relays refill, and the flags of files are not known beforehand.
            if [
                "halyard_edge_flag_evaluations_total",
                "halyard_outbound_calls_total",
                "halyard_relay_refills_total",
            ]
            .contains(&name)
            {
                continue;
            }
            let start = format!("{name}{}", if has_labels { "{" } else { " " });
            let is_there = metrics.lines().any(|line| line.starts_with(&start));
            assert!(is_there, "{name} is missing in {metrics}");
            found += 1;
        }
        assert!(found > 10, "{headings:?}");
    }
}

#[tokio::test]
async fn a_process_says_which_build_it_is_and_what_it_uses() {
    let scene = Scene::start().await;
    let follower = scene.stack.another_control("follower").await;
    for admin in [scene.stack.admin(), scene.edge.admin()] {
        eventually("the process measures itself", async || {
            let metrics = metrics(&admin).await;
            let value = |name: &str| -> Option<f64> {
                let line = metrics.lines().find_map(|line| line.strip_prefix(name))?;
                line.trim().parse().ok()
            };
            let version = env!("CARGO_PKG_VERSION");
            assert!(metrics.contains(&format!(
                "halyard_build_info{{version=\"{version}\",commit=\""
            )));
            let is_measured = value("process_resident_memory_bytes ")? > 1_000_000.0
                && value("process_open_fds ")? > 5.0
                && value("process_max_fds ")? > 5.0
                && value("process_threads ")? > 1.0
                && value("process_start_time_seconds ")? > 1_700_000_000.0;
            is_measured.then_some(())
        })
        .await;
    }
    let load = metrics(&scene.edge.admin()).await;
    let load = load
        .lines()
        .find_map(|line| line.strip_prefix("halyard_edge_load_ratio "));
    let load: f64 = load.expect("an edge tells its load").parse().unwrap();
    assert!((0.0..1.0).contains(&load), "{load}");

    let metrics = metrics(&follower.admin()).await;
    for expected in [
        "halyard_leads 0",
        "halyard_database_connections_max{pool=\"requests\"} 20",
        "halyard_database_connections_max{pool=\"publishing\"} 11",
        "halyard_database_connections_max{pool=\"key_lookups\"} 4",
        "halyard_database_requests_waiting 0",
    ] {
        assert!(
            metrics.contains(&format!("{expected}\n")),
            "{expected} in {metrics}"
        );
    }
    for pool in ["jobs", "publishing"] {
        let idle = format!("halyard_database_connections{{pool=\"{pool}\",state=\"idle\"}} ");
        assert!(metrics.contains(&idle), "{idle} in {metrics}");
    }
}

/// Version and commit, as a program prints them.
fn build_of(program: &str) -> String {
    let printed = std::process::Command::new(harness::places::binary(program))
        .arg("--version")
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let build = printed.strip_prefix(&format!("{program} ")).unwrap();
    build.trim_end().to_owned()
}

#[tokio::test]
async fn a_build_is_known_by_its_commit_everywhere() {
    let scene = Scene::start().await;
    let build = build_of("halyard");
    assert_eq!(build_of("halyard-edge"), build);
    let (version, commit) = build.split_once(" (").unwrap();
    let commit = commit.strip_suffix(')').unwrap();
    let is_hash = commit.len() >= 7 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    assert!(is_hash || commit == "unknown", "{build}");

    let info = format!("halyard_build_info{{version=\"{version}\",commit=\"{commit}\"}} 1\n");
    for admin in [scene.stack.admin(), scene.edge.admin()] {
        let metrics = metrics(&admin).await;
        assert!(metrics.contains(&info), "{info} in {metrics}");
    }
    let edges = scene.stack.admin().get("/edges").await.body;
    let edges = edges.as_array().unwrap();
    assert_eq!(edges.len(), 2, "{edges:?}");
    for edge in edges {
        assert_eq!(edge["build"], *build, "{edge}");
    }
}

#[tokio::test]
async fn readiness_says_how_a_control_plane_stands_to_operators_alone() {
    let scene = Scene::start().await;
    let open = scene.owner.get("/ready").await;
    open.expect(200, json!({"status": "ready"}));

    let ready = scene.stack.admin().get("/ready").await;
    ready.expect_status(200);
    let latency = ready.body["database_ms"].as_f64().unwrap();
    assert!((0.0..2_000.0).contains(&latency), "{latency}");
    let late = ready.body["mail_late_seconds"].as_f64().unwrap();
    assert!((0.0..60.0).contains(&late), "{late}");
    let newest = newest_migration();
    let mut body = ready.body.clone();
    let body = body.as_object_mut().unwrap();
    for varying in ["database_ms", "mail_late_seconds"] {
        body.remove(varying);
    }
    let expected = json!({
        "status": "ready", "build": build_of("halyard"), "leads": true, "schema": newest, "mails_waiting": 0,
    });
    assert_eq!(json!(body), expected);
}

/// The number of the newest migration.
fn newest_migration() -> i64 {
    let folder = harness::places::repository().join("migrations");
    let names = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name());
    let numbers = names.filter_map(|name| name.to_str()?.split('_').next()?.parse().ok());
    numbers.max().unwrap()
}

/// How many propagations are counted, and how many of them took up to ten seconds.
async fn propagations(scene: &Scene) -> (u64, u64) {
    // Shows those that are over, and so counts them.
    let waves = format!("/v1/edges/waves?env_id={}", scene.env);
    scene.owner.get(&waves).await.expect_status(200);
    let metrics = metrics(&scene.stack.admin()).await;
    let name = "halyard_propagation_seconds";
    let count = metrics
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{name}_count ")));
    let count = count.expect("it is there from the start").parse().unwrap();
    let in_time = value(&metrics, &format!("{name}_bucket"), "le=\"10\"");
    (count, in_time)
}

#[tokio::test]
async fn propagation_is_counted_once_for_each_edge_that_was_connected() {
    let mut scene = Scene::start().await;
    let grown = async |scene: &Scene, from: (u64, u64), by: (u64, u64)| {
        eventually("the changes are counted", async || {
            let now = propagations(scene).await;
            let grown = (now.0 - from.0, now.1 - from.1);
            assert!(grown.0 <= by.0, "{grown:?} of {by:?}");
            (grown == by).then_some(())
        })
        .await;
    };
    // What the scene itself has changed is counted first.
    let mut before = propagations(&scene).await;
    loop {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let now = propagations(&scene).await;
        if now == std::mem::replace(&mut before, now) {
            break;
        }
    }

    // At the built-in edge and at the other one.
    scene.serve("v1").await;
    scene.edge_serves("v1").await;
    grown(&scene, before, (2, 2)).await;

    // One that is away has no part in what changes, nor when it comes back.
    scene.edge.process.kill();
    eventually("the edge has left", async || {
        let metrics = metrics(&scene.stack.admin()).await;
        metrics
            .contains("halyard_edges_connected 0\n")
            .then_some(())
    })
    .await;
    scene.serve("v2").await;
    scene.edge.start().await;
    scene.edge_serves("v2").await;
    grown(&scene, before, (3, 3)).await;

    // One that is connected and does not answer misses it.
    scene.edge.process.suspend();
    scene.serve("v3").await;
    grown(&scene, before, (5, 4)).await;
    scene.edge.process.resume();
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
