//! The demo account of `halyard seed`.

use harness::Stack;
use serde_json::{Value, json};

#[tokio::test]
async fn seeding_again_prints_the_same() {
    let stack = Stack::start().await;
    let first: Value = serde_json::from_str(&stack.halyard(&["seed"])).unwrap();
    let second: Value = serde_json::from_str(&stack.halyard(&["seed"])).unwrap();
    assert_eq!(first, second);
}

/// A replica that left without a word would be waited for.
#[tokio::test]
async fn no_command_joins_the_replicas() {
    let stack = Stack::start().await;
    let demo: Value = serde_json::from_str(&stack.halyard(&["seed"])).unwrap();
    let org = demo["org_id"].as_str().unwrap();
    for arguments in [
        &["edge", "list"][..],
        &["org", "list"],
        &["org", "show", org],
        &["org", "set-plan", org, "pro"],
        &[
            "account",
            "create",
            "--email",
            "ada@acme.test",
            "--name",
            "Ada",
            "--org-name",
            "Acme",
        ],
        &["migrate"],
    ] {
        let _printed = stack.halyard(arguments);
    }
    let pool = sqlx::PgPool::connect(stack.database().url()).await.unwrap();
    let replicas: i64 = sqlx::query_scalar("SELECT count(*) FROM replicas")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(replicas, 1, "the control plane itself");

    let login = json!({"email": demo["email"], "password": demo["password"]});
    let answer = stack.anonymous().post("/v1/auth/login", login).await;
    let owner = stack
        .anonymous()
        .with_token(&answer.text("/tokens/access_token"));
    let project = demo["project_id"].as_str().unwrap();
    let flag = json!({"key": "after-the-seed", "name": "After the seed"});
    let path = format!("/v1/projects/{project}/flags?wait=edges");
    let created = owner.create(&path, flag).await;
    assert_eq!(created.header("x-edges-lagging"), "");
}
