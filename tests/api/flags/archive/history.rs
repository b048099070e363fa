//! What history and the audit log say of archiving and restoring.

use serde_json::{Value, json};

use super::{post, published, with_flag};

#[tokio::test]
async fn the_audit_log_shows_the_flag_before_and_after() {
    let (setup, paths) = with_flag().await;
    let flag = setup.owner.get(&paths.flag).await.body;
    published(&post(&setup.owner, &paths.archive).await);
    let archived = setup.owner.get(&paths.flag).await.body;
    published(&post(&setup.owner, &paths.restore).await);
    let entries = setup.owner.get("/v1/audit?limit=2").await;
    for (place, action, before, after) in [
        (0, "flag.restored", &archived, &flag),
        (1, "flag.archived", &flag, &archived),
    ] {
        let entry = &entries.body["data"][place];
        assert_eq!(entry["action"], action);
        assert_eq!(
            (&entry["before_state"], &entry["after_state"]),
            (before, after)
        );
        assert_eq!(entry["resource_id"], flag["id"]);
        assert_eq!(entry["project_id"], json!(setup.project.id));
    }
}

#[tokio::test]
async fn archiving_and_restoring_are_versions_of_the_flag() {
    let (setup, paths) = with_flag().await;
    let owner = &setup.owner;
    let flag = owner.get(&paths.flag).await.body;
    let state = owner.get(&paths.dev).await.body;
    published(&post(owner, &paths.archive).await);
    let archived = owner.get(&paths.flag).await.body;

    let at = async |version: i64| {
        let path = format!(
            "{}/history/{version}?env_id={}",
            paths.flag, setup.project.dev
        );
        owner.get(&path).await.expect_status(200).body.clone()
    };
    let told = async || {
        let listed = owner.get(&format!("{}/history", paths.flag)).await;
        let items = listed.body["data"].as_array().unwrap().iter();
        let told = items.map(|item| {
            let action = item["action"].as_str().unwrap().to_owned();
            (action, item["env_id"].clone(), item["changed"].clone())
        });
        told.collect::<Vec<_>>()
    };
    let of_flag = |action: &str| (action.to_owned(), Value::Null, json!(["archived_at"]));
    assert_eq!(told().await[0], of_flag("flag.archived"));
    let expected =
        |version: i64, flag: &Value| json!({"version": version, "flag": flag, "state": state});
    assert_eq!(at(2).await, expected(2, &flag));
    assert_eq!(at(3).await, expected(3, &archived));

    published(&post(owner, &paths.restore).await);
    assert_eq!(told().await[0], of_flag("flag.restored"));
    for (version, flag) in [(2, &flag), (3, &archived), (4, &flag)] {
        assert_eq!(at(version).await, expected(version, flag));
    }

    // Deleted while it is archived, it was archived last.
    published(&post(owner, &paths.archive).await);
    owner.remove(&paths.flag).await;
    assert_eq!(told().await[0].0, "flag.deleted");
    assert_eq!(at(2).await, expected(2, &flag));
    assert!(at(5).await["flag"]["archived_at"].is_string());
    assert_eq!(at(5).await["state"], state);
    assert_eq!(at(6).await["flag"], Value::Null);
}

#[tokio::test]
async fn a_restored_flag_is_rolled_back_to_before() {
    let (setup, paths) = with_flag().await;
    let owner = &setup.owner;
    let state = owner.get(&paths.dev).await.body;
    published(&post(owner, &paths.archive).await);
    published(&post(owner, &paths.restore).await);
    owner
        .change(&paths.dev, json!({"enabled": false, "rules": []}))
        .await;
    let body = json!({"env_id": setup.project.dev, "version": 3});
    let restored = owner.act(&format!("{}/rollback", paths.flag), body).await;
    restored.expect(200, state);
}
