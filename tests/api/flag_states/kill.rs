//! The kill switch.

use serde_json::{Value, json};

use super::{Setup, plain, version};
use crate::trail;

#[tokio::test]
async fn kill_switches_off_and_leaves_everything_else() {
    let setup = Setup::with("boolean").await;
    let kill = format!("{}/kill", setup.flag);
    let stored = setup
        .put(json!({
            "enabled": true, "default_value": true, "rules": [{"id": "r"}], "percentage_rollout": 500,
            "scheduled_enable_at": "2026-06-01T00:00:00Z",
        }))
        .await;
    let mut expected = stored.body.clone();
    expected["enabled"] = json!(false);

    let killed = setup
        .owner
        .post(&kill, json!({"env_id": setup.project.dev}))
        .await;
    killed.expect(200, expected.clone());
    assert!(version(&killed) > version(&stored));
    let answer = setup.owner.get(&setup.dev()).await;
    answer.expect(200, expected.clone());
    let entry = setup.entry("flag.killed", &stored.body, &killed.body);
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);
}

#[tokio::test]
async fn kill_may_be_repeated_and_each_call_is_audited() {
    let setup = Setup::with("boolean").await;
    let kill = format!("{}/kill", setup.flag);
    let body = json!({"env_id": setup.project.dev});
    let first = setup.owner.post(&kill, body.clone()).await;
    first.expect(200, plain(false));
    let entry = setup.entry("flag.killed", &Value::Null, &first.body);
    assert_eq!(trail::newest(&setup.app, &setup.owner).await, entry);

    let length = trail::length(&setup.app, &setup.owner).await;
    let answer = setup.owner.post(&kill, body).await;
    answer.expect(200, first.body.clone());
    assert_eq!(trail::length(&setup.app, &setup.owner).await, length + 1);
}

#[tokio::test]
async fn kill_needs_an_environment_of_the_project() {
    let setup = Setup::with("boolean").await;
    let kill = format!("{}/kill", setup.flag);
    let foreign = setup.app.signup("globex").await.default_project().await.dev;
    for body in [
        json!({}),
        json!({"env_id": null}),
        json!({"env_id": ""}),
        json!({"env_id": " "}),
    ] {
        let refused = setup.owner.post(&kill, body).await;
        refused.expect_error(400, "env_id is required");
    }
    let refused = setup.owner.post(&kill, json!({"env_id": 5})).await;
    refused.expect_status(400);
    for env_id in [
        "01890000-0000-7000-8000-000000000000",
        &foreign,
        "nowhere",
        "No Slug",
    ] {
        let refused = setup.owner.post(&kill, json!({"env_id": env_id})).await;
        refused.expect_error(404, "environment not found");
    }
    let unknown = kill.replace("/f/", "/g/");
    let refused = setup.owner.post(&unknown, json!({})).await;
    refused.expect_error(404, "flag not found");
}
