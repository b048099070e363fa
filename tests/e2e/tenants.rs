//! One tenant that wants everything, beside others, probes and edges.

use futures_util::future::join_all;
use harness::{Stack, eventually};
use serde_json::json;
use sqlx::{Connection, PgConnection};
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
