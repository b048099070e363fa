//! One tenant that wants everything, beside others, probes and edges.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use harness::user::PASSWORD;
use harness::{Caller, Response, Stack, eventually};
use reqwest::Method;
use serde_json::json;
use sqlx::{Connection, PgConnection};
use tokio::time::timeout;
use uuid::Uuid;

#[tokio::test(flavor = "multi_thread")]
async fn writers_who_wait_for_a_lock_hold_up_no_other_tenant_no_probe_and_no_edge() {
    let mut stack = Stack::start().await;
    let noisy = stack.signup("noisy").await;
    let project = noisy.default_project().await;
    let quiet = stack.signup("quiet").await;
    let others = quiet.default_project().await;
    let mut session = PgConnection::connect(stack.database().url()).await.unwrap();
    let mut onlooker = PgConnection::connect(stack.database().url()).await.unwrap();
    let mut held = session.begin().await.unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1 FOR UPDATE")
        .bind(project.id.parse::<Uuid>().unwrap())
        .execute(&mut *held)
        .await
        .unwrap();

    let segments = format!("/v1/projects/{}/segments", project.id);
    let writing = join_all((0..40).map(async |number| {
        let key = format!("s{number}");
        let body = json!({"key": key, "name": key, "rules": []});
        for _ in 0..100 {
            let answer = noisy.post(&segments, body.clone()).await;
            answer.expect_error(503, "the database is busy");
        }
    }));
    let beside = async {
        let mut waiting = 0_i64;
        while waiting < 5 {
            waiting = sqlx::query_scalar(
                "SELECT COUNT(*)
                 FROM pg_stat_activity
                 WHERE datname = current_database() AND wait_event_type = 'Lock'",
            )
            .fetch_one(&mut onlooker)
            .await
            .unwrap();
        }
        let anybody = stack.anonymous();
        for number in 0..10 {
            let ready = anybody.get("/ready").await;
            ready.expect(200, json!({"status": "ready"}));
            let key = format!("q{number}");
            let segment = json!({"key": key, "name": key, "rules": []});
            let path = format!("/v1/projects/{}/segments", others.id);
            quiet.create(&path, segment).await;
        }
        let edge = stack.edge().await;
        eventually("an edge joins and is ready", async || {
            let ready = edge.admin().get("/ready").await;
            (ready.status == 200).then_some(())
        })
        .await;
    };
    tokio::select! {
        _ = writing => panic!("the writers give up first"),
        () = beside => {}
    }
    held.rollback().await.unwrap();
    let body = json!({"key": "afterwards", "name": "Afterwards", "rules": []});
    eventually("the tenant can write again", async || {
        let answer = noisy.post(&segments, body.clone()).await;
        (answer.status == 201).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn edges_stop_serving_a_deleted_organization_and_go_on_serving_another() {
    let mut stack = Stack::start().await;
    let edge = stack.edge().await;
    let mut sdks = Vec::new();
    for name in ["leaving", "staying"] {
        let owner = stack.signup(name).await;
        let project = owner.default_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "checkout", "name": "Checkout"});
        owner.create(&flags, flag).await;
        let sdk = edge.with_key(&owner.api_key(&project.dev).await);
        eventually("the edge serves the flag", async || {
            is_served(&sdk).await.then_some(())
        })
        .await;
        sdks.push((owner, sdk));
    }
    let [(leaving, gone), (staying, kept)] = &sdks[..] else {
        panic!("two organizations");
    };
    let mut events = leaving.stream("/v1/events").await;
    assert_eq!(events.status, 200);

    let body = json!({"name": "leaving", "password": PASSWORD});
    let request = leaving
        .request(Method::DELETE, "/v1/organization")
        .json(&body);
    let asked = Instant::now();
    leaving.send(request).await.expect_status(202);
    let refused = leaving.get("/v1/projects").await;
    refused.expect_error(401, "invalid or expired token");
    eventually("the edge refuses the key", async || {
        (evaluate(gone).await.status == 401).then_some(())
    })
    .await;
    let over = async { while events.next().await.is_some() {} };
    let left = Duration::from_secs(5).saturating_sub(asked.elapsed());
    timeout(left, over)
        .await
        .expect("the stream of the page ends");

    assert!(is_served(kept).await);
    staying.get("/v1/projects").await.expect_status(200);
    let again = stack.signup("leaving").await;
    assert_eq!(again.email, leaving.email);
}

async fn evaluate(sdk: &Caller) -> Response {
    let body = json!({"flag_key": "checkout", "context": {"key": "user-1"}});
    sdk.post("/v1/evaluate", body).await
}

async fn is_served(sdk: &Caller) -> bool {
    let answer = evaluate(sdk).await;
    answer.status == 200 && answer.body["reason"] != "NOT_FOUND"
}
