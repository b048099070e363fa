//! The background work of real processes, as operators see it.

use harness::{Stack, eventually};
use serde_json::Value;

#[tokio::test]
async fn operators_see_how_each_job_goes() {
    let stack = Stack::start().await;
    let operator = stack.admin();
    let jobs = eventually("every job has succeeded", async || {
        let answer = operator.get("/jobs").await;
        answer.expect_status(200);
        let jobs = answer.body.as_array().unwrap().clone();
        let succeeded = |job: &Value| job["active"] == true && job["last_success"].is_string();
        jobs.iter().all(succeeded).then_some(jobs)
    })
    .await;
    let polling = jobs.iter().find(|job| job["name"] == "poll_changes");
    let polling = polling.unwrap();
    assert_eq!(polling["period_seconds"], 1.0);
    assert_eq!(polling["runs_on"], "every_replica");
    assert_eq!(polling["failures"], 0);
    assert_eq!(polling["last_error"], Value::Null);
    assert!(polling["last_duration_seconds"].as_f64().unwrap() > 0.0);

    let metrics = operator.get("/metrics").await.body;
    let metrics = metrics.as_str().unwrap();
    for line in [
        "halyard_job_failures_total{task=\"fire_schedules\"} 0",
        "halyard_job_last_success_timestamp_seconds{task=\"fire_schedules\"} ",
        "halyard_job_duration_seconds",
    ] {
        assert!(metrics.contains(line), "{line} in {metrics}");
    }
}
