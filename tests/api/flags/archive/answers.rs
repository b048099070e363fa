//! What edges and explanations answer for archived flags.

use serde_json::{Value, json};

use super::{post, published, with_flag};

#[tokio::test]
async fn an_archived_flag_answers_as_a_deleted_one() {
    let (setup, paths) = with_flag().await;
    let owner = &setup.owner;
    let requires = json!({"key": "g", "name": "G", "prerequisites": ["f"]});
    owner.create(&paths.flags, requires).await;
    let g = format!("{}/g/environments/{}", paths.flags, setup.project.dev);
    owner
        .change(&g, json!({"enabled": true, "default_value": true}))
        .await;
    let sdk = setup
        .app
        .anonymous()
        .with_key(&owner.api_key(&setup.project.dev).await);
    let ask = async |key: &str| {
        let question = json!({"flag_key": key, "context": {"key": "user-1"}});
        let answer = sdk.post("/v1/evaluate", question).await.body;
        (answer["value"].clone(), answer["reason"].clone())
    };
    let explain = async |version: Value| {
        let question = json!({
            "project_id": setup.project.id, "env_id": setup.project.dev, "flag_key": "f", "context": {"key": "user-1"},
            "version": version,
        });
        owner.post("/v1/explain", question).await.body["result"]["reason"].clone()
    };
    let on = (json!(true), json!("FALLTHROUGH"));
    assert_eq!(ask("f").await, on);
    assert_eq!(ask("g").await, on);

    published(&post(owner, &paths.archive).await);
    assert_eq!(ask("f").await, (Value::Null, json!("NOT_FOUND")));
    let failed = (json!(false), json!("PREREQUISITE_FAILED"));
    assert_eq!(ask("g").await, failed);
    let all = sdk.get("/v1/client/dev/flags").await.body;
    assert!(!all.to_string().contains("\"f\""), "{all}");
    assert_eq!(explain(Value::Null).await, "NOT_FOUND");
    assert_eq!(explain(json!(3)).await, "NOT_FOUND");
    assert_eq!(explain(json!(2)).await, "FALLTHROUGH");
    let draft = json!({
        "project_id": setup.project.id, "env_id": setup.project.dev, "flag_key": "f", "context": {"key": "user-1"},
        "state": {"enabled": true},
    });
    let explained = owner.post("/v1/explain", draft).await;
    assert_eq!(explained.body["result"]["reason"], "NOT_FOUND");

    published(&post(owner, &paths.restore).await);
    assert_eq!(ask("f").await, on);
    assert_eq!(ask("g").await, on);
}
