//! One edge with 1,000,000 flags in 10,000 environments, beside one with a single environment of them.

use std::rc::Rc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use harness::process::Process;
use harness::{Caller, Stack, eventually};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection, query};
use tokio::time::sleep;

use crate::{
    cold_start::{megabytes, until_answered},
    cores::Cores,
    goals::Goal,
    load::{Round, Subject, round},
    report::{Figures, Report, median, percentile},
    requests,
    tenant::{Tenant, context, key_of},
    usage::Memory,
};

pub const NAME: &str = "million";

/// About: the project that is copied has three.
const ENVIRONMENTS: i32 = 10_000;
/// Of each environment.
const FLAGS: usize = 100;
const ROUNDS: usize = 5;
const STARTS: usize = 3;
const IDLE: Duration = Duration::from_secs(5);
const READY: &[u8] = b"GET /ready HTTP/1.1\r\nhost: edge.test\r\n\r\n";
/// So many environments are asked for in turns, each with a key of its own.
const ASKED: usize = 64;

pub async fn run(cores: &Cores, report: &mut Report) {
    let unlimited = u32::MAX.to_string();
    let settings = [("LOG_LEVEL", "info"), ("RATE_EVALUATION", &unlimited)];
    let mut small = Stack::start_with(&[("LOG_LEVEL", "info")]).await;
    let tenant = Tenant::register(&small, "bench").await;
    let one = cores.start_server(small.edge_with(&settings)).await;
    tenant.grow(&small, FLAGS, &one.with_key(&tenant.key)).await;

    let mut large = Stack::start_with(&[("LOG_LEVEL", "info")]).await;
    let models = Tenant::register(&large, "bench").await;
    let own = large.anonymous();
    models.grow(&large, FLAGS, &own).await;
    multiply(&large, &models).await;
    let mut many = large.enrolled_edge(&settings);
    let began = Instant::now();
    cores.start_server(many.start_unready()).await;
    holds_all(&many.admin(), &mut many.process).await;
    let filled = began.elapsed().as_secs_f64();
    sleep(IDLE).await;
    let fed = Memory::of(many.process.id());

    large.control.terminate();
    let mut starts = Vec::new();
    for _ in 0..STARTS {
        starts.push(seconds_to_start(cores, &mut many.process).await);
    }
    sleep(IDLE).await;
    let idle = Memory::of(many.process.id());

    let keys: Vec<_> = (0..ASKED).map(key_text).collect();
    let spread = subject(&many.process, &keys);
    let single = subject(&one.process, std::slice::from_ref(&tenant.key));
    let mut rounds = Vec::new();
    for _ in 0..=ROUNDS {
        rounds.push((round(&single).await, round(&spread).await));
    }
    report.judge(
        NAME,
        "memory of an edge with 1,000,000 flags",
        "MB",
        Goal::at_most(800.0, 300.0),
        megabytes(idle.resident),
        Figures::from([
            ("proportional MB", megabytes(idle.proportional)),
            ("anonymous MB", megabytes(idle.anonymous)),
            ("filled over the link, resident MB", megabytes(fed.resident)),
        ]),
    );
    report.judge(
        NAME,
        "start from the cache to ready",
        "s",
        Goal::at_most(3.0, 0.4),
        median(starts.iter().copied()),
        Figures::from([("filled over the link s", filled)]),
    );
    // The first of each warms up.
    judge_rounds(report, &rounds[1..]);
}

/// Starts the edge again, from its cache.
async fn seconds_to_start(cores: &Cores, edge: &mut Process) -> f64 {
    edge.terminate();
    let began = Instant::now();
    cores.start_server_now(|| edge.start_unwatched());
    until_answered(&edge.address("admin"), READY, |body| {
        let ready = serde_json::from_slice(body).expect("JSON");
        environments(&ready) >= i64::from(ENVIRONMENTS)
    })
    .await;
    began.elapsed().as_secs_f64()
}

/// Rounds with one environment, each with one beside it of many environments.
fn judge_rounds(report: &mut Report, rounds: &[(Round, Round)]) {
    let ratio = median(rounds.iter().map(|(one, many)| many.rate / one.rate));
    report.judge(
        NAME,
        "POST /v1/evaluate, to the rate with one environment",
        "times",
        Goal::at_least(0.9, 0.9),
        ratio,
        Figures::from([
            ("rate /s", median(rounds.iter().map(|(_, many)| many.rate))),
            (
                "rate of one /s",
                median(rounds.iter().map(|(one, _)| one.rate)),
            ),
            ("cpu µs", median(rounds.iter().map(|(_, many)| many.cpu))),
            (
                "cpu of one µs",
                median(rounds.iter().map(|(one, _)| one.cpu)),
            ),
            (
                "p99 µs",
                median(rounds.iter().map(|(_, many)| percentile(&many.waits, 99))),
            ),
            (
                "p99 of one µs",
                median(rounds.iter().map(|(one, _)| percentile(&one.waits, 99))),
            ),
        ]),
    );
}

/// The key of the environment with that number.
fn key_text(number: usize) -> String {
    format!("srv_{number:048x}")
}

fn subject(process: &Process, keys: &[String]) -> Subject {
    let requests: Rc<[Bytes]> = (0..ASKED)
        .map(|user| {
            let body = json!({"flag_key": key_of(user * 7 % FLAGS), "context": context(user)});
            requests::post(&keys[user % keys.len()], "/v1/evaluate", &body)
        })
        .collect();
    Subject {
        process: process.id(),
        address: process.address("http"),
        requests,
        status: 200,
        body: 40,
    }
}

/// Copies the project and its development environment until there are 10,000, each with an API key.
async fn multiply(stack: &Stack, models: &Tenant) {
    let mut database = PgConnection::connect(stack.database().url())
        .await
        .expect("the database of the service answers");
    let mut unit = database.begin().await.expect("a transaction");
    query(
        "CREATE TEMPORARY TABLE copies ON COMMIT DROP AS
         SELECT number, gen_random_uuid() AS project, gen_random_uuid() AS env FROM generate_series(1, $1::integer - 1) AS number",
    )
    .bind(ENVIRONMENTS)
    .execute(&mut *unit)
    .await
    .expect("a table");
    let project = &models.project;
    for statement in [
        "INSERT INTO projects (id, org_id, name, slug, version, flag_count, segment_count, shared_bytes, created_at, updated_at)
         SELECT project, org_id, name, 'copy-' || number, version, flag_count, segment_count, shared_bytes, created_at, updated_at
         FROM projects, copies WHERE id = $1::uuid AND $2::uuid IS NOT NULL",
        "INSERT INTO environments (id, org_id, project_id, name, slug, color, version, state_bytes, created_at, updated_at)
         SELECT env, org_id, project, name, slug, color, version, state_bytes, created_at, updated_at
         FROM environments, copies WHERE id = $2::uuid AND project_id = $1::uuid",
        "INSERT INTO segments (id, org_id, project_id, key, name, description, match_type, rules, changed_version, compiled_bytes,
                               created_at, updated_at)
         SELECT gen_random_uuid(), org_id, project, key, name, description, match_type, rules, changed_version, compiled_bytes,
                created_at, updated_at
         FROM segments, copies WHERE project_id = $1::uuid AND $2::uuid IS NOT NULL",
        "WITH added AS (
             INSERT INTO flags (id, org_id, project_id, key, name, description, flag_type, default_value, tags, prerequisites,
                                mutual_exclusion_group, changed_version, compiled_bytes, created_at, updated_at)
             SELECT gen_random_uuid(), org_id, project, key, name, description, flag_type, default_value, tags, prerequisites,
                    mutual_exclusion_group, changed_version, compiled_bytes, created_at, updated_at
             FROM flags, copies WHERE project_id = $1::uuid
             RETURNING id, key, project_id
         )
         INSERT INTO flag_states (id, org_id, flag_id, env_id, enabled, default_value, rules, percentage_rollout, variants,
                                  changed_version, compiled_bytes, created_at, updated_at)
         SELECT gen_random_uuid(), states.org_id, added.id, env, states.enabled, states.default_value, states.rules,
                states.percentage_rollout, states.variants, states.changed_version, states.compiled_bytes, now(), now()
         FROM added
         JOIN copies ON project = added.project_id
         JOIN flags AS models ON models.project_id = $1::uuid AND models.key = added.key
         JOIN flag_states AS states ON states.flag_id = models.id AND states.env_id = $2::uuid",
        "INSERT INTO api_keys (id, org_id, env_id, name, type, key_prefix, hash, changed_version, created_at)
         SELECT gen_random_uuid(), org_id, env, 'bench', 'server', 'srv_00000000',
                sha256(('srv_' || lpad(to_hex(number - 1), 48, '0'))::bytea), version, now()
         FROM copies, projects WHERE id = $1::uuid AND $2::uuid IS NOT NULL",
    ] {
        query(statement)
            .bind(&project.id)
            .bind(&project.dev)
            .execute(&mut *unit)
            .await
            .expect("copies of a project");
    }
    unit.commit().await.expect("it commits");
    query("ANALYZE")
        .execute(&mut database)
        .await
        .expect("tables can be analysed");
}

/// Waits until the edge serves all environments.
async fn holds_all(admin: &Caller, process: &mut Process) {
    // Filling takes longer than anything that tests wait for.
    for _ in 0..60 {
        let held = admin.get("/ready").await;
        assert!(process.runs(), "{}", process.log());
        if held.status == 200 && environments(&held.body) >= i64::from(ENVIRONMENTS) {
            return;
        }
        sleep(Duration::from_secs(1)).await;
    }
    eventually("the edge holds all environments", async || {
        let held = admin.get("/ready").await;
        (environments(&held.body) >= i64::from(ENVIRONMENTS)).then_some(())
    })
    .await;
}

fn environments(ready: &Value) -> i64 {
    ready["environments"].as_i64().unwrap_or_default()
}
