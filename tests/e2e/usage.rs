//! What is counted stays counted: a control plane is killed, an edge is killed, a disk is of no use.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use harness::{Caller, eventually};
use reqwest::Method;
use serde_json::json;

use crate::{large::fill, scene::Scene};

const EVALUATIONS: &str = "/v1/metrics/evaluations";
/// Flags of one question.
const KEYS: u64 = 100;
/// Questions that are asked of an edge at the same time.
const ASKERS: u64 = 4;
/// What an edge may lose that is killed while there is no control plane: what it counted since it last wrote. That happens
/// every 200 ms in these tests; the rest is for a machine that is busy.
const UNWRITTEN: Duration = Duration::from_millis(2_500);
const FAST: (&str, &str) = ("USAGE_FLUSH_INTERVAL", "200ms");

/// How many evaluations each edge answers; `HALYARD_TEST_EVALUATIONS` for all together, a million say.
fn evaluations_of_an_edge() -> u64 {
    let all = std::env::var("HALYARD_TEST_EVALUATIONS").ok();
    all.and_then(|text| text.parse().ok())
        .unwrap_or(100_000_u64)
        / 2
}

/// Asks an edge, and remembers when how many evaluations were answered.
#[derive(Clone)]
struct Load {
    sdk: Caller,
    answered: Arc<AtomicU64>,
    history: Arc<Mutex<Vec<(Instant, u64)>>>,
}

impl Load {
    fn new(sdk: Caller) -> Self {
        Self {
            sdk,
            answered: Arc::default(),
            history: Arc::default(),
        }
    }

    fn answered(&self) -> u64 {
        self.answered.load(Ordering::SeqCst)
    }

    fn answered_at(&self, moment: Instant) -> u64 {
        let history = self.history.lock().unwrap();
        let before = history.iter().filter(|(at, _)| *at <= moment);
        before.map(|(_, answered)| *answered).max().unwrap_or(0)
    }

    /// Asks until so many evaluations were answered; with `u64::MAX`, until the edge is gone.
    async fn run(&self, until: u64) {
        let askers: Vec<_> = (0..ASKERS)
            .map(|_| tokio::spawn(self.clone().ask(until)))
            .collect();
        for asker in askers {
            asker.await.unwrap();
        }
    }

    async fn ask(self, until: u64) {
        let keys: Vec<_> = (1..=KEYS).map(|number| format!("bulk-{number}")).collect();
        let body = json!({"flag_keys": keys, "context": {"key": "user-1"}});
        while self.answered() + (ASKERS - 1) * KEYS < until {
            let request = self.sdk.request(Method::POST, "/v1/evaluate/bulk");
            let answer = match self.sdk.try_send(request.json(&body)).await {
                Ok(answer) => answer,
                Err(_) if until == u64::MAX => return,
                // What it counted is unknown then.
                Err(error) => panic!("an edge that goes on did not answer: {error}"),
            };
            answer.expect_status(200);
            let answered = self.answered.fetch_add(KEYS, Ordering::SeqCst) + KEYS;
            self.history
                .lock()
                .unwrap()
                .push((Instant::now(), answered));
        }
    }

    async fn reaches(&self, answered: u64) {
        eventually(&format!("{answered} evaluations are answered"), || async {
            (self.answered() >= answered).then_some(())
        })
        .await;
    }
}

/// The sum of an environment's counters.
async fn counted(scene: &Scene, env_id: &str) -> u64 {
    let answer = scene.owner.get(EVALUATIONS).await;
    answer.expect_status(200);
    let counters = answer.body["counters"].as_array().unwrap().iter();
    counters
        .filter(|counter| counter["env_id"] == env_id && counter["flag_key"] != crate::scene::FLAG)
        .map(|counter| counter["count"].as_u64().unwrap())
        .sum()
}

#[tokio::test]
async fn counters_are_exact_but_for_what_a_killed_edge_had_not_written() {
    let settings = [FAST, ("RATE_EVALUATION", "0")];
    let mut scene = Scene::start_with(&settings).await;
    let mut doomed = scene.stack.edge_with(&settings).await;
    let staging = scene.owner.default_project().await.staging;
    let key = scene.owner.api_key(&staging).await;
    fill(&scene, i32::try_from(KEYS).unwrap()).await;
    let knows = format!("{} knows the flags", doomed.name);
    eventually(&knows, || async {
        let body = json!({"flag_key": "bulk-1", "context": {"key": "user-1"}});
        let request = doomed.with_key(&key).request(Method::POST, "/v1/evaluate");
        let answer = doomed
            .with_key(&key)
            .try_send(request.json(&body))
            .await
            .ok()?;
        (answer.body["reason"] == "DISABLED").then_some(())
    })
    .await;
    let before = [
        counted(&scene, &scene.env).await,
        counted(&scene, &staging).await,
    ];

    // One edge for each environment, so that each has its own sum.
    let until = evaluations_of_an_edge();
    let spared = Load::new(scene.sdk());
    let struck = Load::new(doomed.with_key(&key));
    let (on_spared, on_struck) = (spared.clone(), struck.clone());
    let on_spared = tokio::spawn(async move { on_spared.run(until).await });
    let first = tokio::spawn(async move { on_struck.run(u64::MAX).await });
    struck.reaches(until / 4).await;
    scene.stack.control.kill();
    struck.reaches(until / 2).await;
    // Some of what was counted without a control plane is written by then.
    eventually("the edge counted alone for a while", || async {
        (struck.answered_at(Instant::now() - UNWRITTEN) >= until / 2).then_some(())
    })
    .await;
    let killed = Instant::now();
    doomed.process.kill();
    first.await.unwrap();
    let at_most = struck.answered() + ASKERS * KEYS;
    let at_least = struck.answered_at(killed - UNWRITTEN);

    scene.stack.start_control().await;
    doomed.start().await;
    let again = Load::new(doomed.with_key(&key));
    let rest = until.saturating_sub(struck.answered());
    again.run(rest.max(until / 4)).await;
    on_spared.await.unwrap();

    let exact = before[0] + spared.answered();
    eventually("everything is reported", || async {
        (counted(&scene, &scene.env).await == exact).then_some(())
    })
    .await;
    let range = before[1] + at_least + again.answered()..=before[1] + at_most + again.answered();
    let of_struck = counted(&scene, &staging).await;
    assert!(
        range.contains(&of_struck),
        "{of_struck} is not in {range:?}"
    );

    // What the edges send again at their next start changes nothing.
    for process in [&mut doomed.process, &mut scene.edge.process] {
        assert!(process.terminate().success());
    }
    doomed.start().await;
    scene.edge.start().await;
    assert_eq!(counted(&scene, &scene.env).await, exact);
    assert_eq!(counted(&scene, &staging).await, of_struck);
    println!(
        "{exact} counted exactly; of the killed edge {of_struck}, answered {}",
        before[1] + struck.answered() + again.answered()
    );
}

#[tokio::test]
async fn an_edge_that_stops_reports_first_and_one_without_a_control_plane_after_its_next_start() {
    let mut scene = Scene::start_with(&[("USAGE_FLUSH_INTERVAL", "1h")]).await;
    let owner = &scene.owner;
    owner.act("/v1/metrics/evaluations/reset", json!({})).await;
    let total = async |scene: &Scene| {
        let answer = scene.owner.get(EVALUATIONS).await;
        answer.body["total_evaluations"].as_u64().unwrap()
    };
    scene.value().await;
    assert!(scene.edge.process.terminate().success());
    assert_eq!(total(&scene).await, 1);

    scene.edge.start().await;
    scene.stack.control.kill();
    for _ in 0..7 {
        scene.value().await;
    }
    assert!(scene.edge.process.terminate().success());
    scene.stack.start_control().await;
    assert_eq!(total(&scene).await, 1);
    scene.edge.start().await;
    eventually("the edge reports what it counted before", || async {
        (total(&scene).await == 8).then_some(())
    })
    .await;
}

#[tokio::test]
async fn usage_is_counted_when_the_disk_is_of_no_use() {
    let mut scene = Scene::start_with(&[("EDGE_CACHE_DIR", "/dev/null/cache"), FAST]).await;
    let owner = &scene.owner;
    owner.act("/v1/metrics/evaluations/reset", json!({})).await;
    scene.stack.control.kill();
    for _ in 0..50 {
        scene.value().await;
    }
    scene.stack.start_control().await;
    eventually("all of it is reported", || async {
        let answer = scene.owner.get(EVALUATIONS).await;
        (answer.body["total_evaluations"] == 50).then_some(())
    })
    .await;
}

#[tokio::test]
async fn junk_keys_do_not_grow_an_edge_without_a_control_plane() {
    let mut scene = Scene::start_with(&[FAST, ("RATE_EVALUATION", "0")]).await;
    scene.stack.control.kill();
    let sdk = scene.sdk();
    let ask = async |round: u32| {
        let keys: Vec<_> = (0..KEYS)
            .map(|number| format!("{round:08}-{number:03}-{}", "x".repeat(240)))
            .collect();
        let body = json!({"flag_keys": keys, "context": {"key": "user-1"}});
        sdk.act("/v1/evaluate/bulk", body).await;
    };
    // The first fill what there is room for.
    for round in 0..550 {
        ask(round).await;
    }
    let full = resident_kib(&scene);
    for round in 550..1_100 {
        ask(round).await;
    }
    let after = resident_kib(&scene);
    assert!(after < full + 16 * 1_024, "{full} KiB grew to {after} KiB");

    scene.stack.start_control().await;
    eventually("the counters are bounded and complete", || async {
        let answer = scene.owner.get(EVALUATIONS).await;
        let counters = answer.body["counters"].as_array()?;
        let junk = counters
            .iter()
            .filter(|counter| counter["reason"] == "NOT_FOUND");
        let (mut keys, mut sum) = (0, 0);
        for counter in junk {
            keys += 1;
            sum += counter["count"].as_u64()?;
        }
        assert!(keys <= 10_001, "{keys} keys");
        (sum == 1_100 * KEYS).then_some(())
    })
    .await;
}

/// Memory of the edge's process.
fn resident_kib(scene: &Scene) -> u64 {
    let path = format!("/proc/{}/status", scene.edge.process.id());
    let status = std::fs::read_to_string(path).expect("a running process");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|number| number.parse().ok())
        .expect("a number of KiB")
}
