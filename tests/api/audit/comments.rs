//! Comments on changes: in the audit entry, in the flag's history and in what webhooks get.

use harness::{App, Setup, User};
use serde_json::{Value, json};

/// A flag `f`, and its path.
async fn with_flag() -> (Setup, String) {
    let setup = Setup::new().await;
    let flag = json!({"key": "f", "name": "F"});
    setup.owner.create(&setup.flags(), flag).await;
    let flag = format!("{}/f", setup.flags());
    (setup, flag)
}

fn state_in(flag: &str, env_id: &str, query: &str) -> String {
    format!("{flag}/environments/{env_id}?{query}")
}

/// Action and comment of the newest entry.
async fn newest(reader: &User) -> Value {
    let page = reader.get("/v1/audit?limit=1").await;
    let entry = &page.expect_status(200).body["data"][0];
    json!([entry["action"], entry["metadata"]["comment"]])
}

/// Comments of a flag's history, the newest first.
async fn of_history(reader: &User, flag: &str) -> Vec<Value> {
    let page = reader.get(&format!("{flag}/history?limit=100")).await;
    let items = page.expect_status(200).body["data"].as_array().unwrap();
    items.iter().map(|item| item["comment"].clone()).collect()
}

#[tokio::test]
async fn a_comment_is_in_the_audit_entry_and_in_the_history() {
    let (setup, flag) = with_flag().await;
    let (owner, dev) = (&setup.owner, &setup.project.dev);
    let state = state_in(
        &flag,
        dev,
        "wait=edges&comment=Sale%20starts%20%F0%9F%8E%89",
    );
    owner.change(&state, json!({"enabled": true})).await;
    assert_eq!(
        newest(owner).await,
        json!(["flag.state_updated", "Sale starts 🎉"])
    );
    owner
        .change(&format!("{flag}?comment=Renamed"), json!({"name": "G"}))
        .await;
    assert_eq!(newest(owner).await, json!(["flag.updated", "Renamed"]));
    let body = json!({"env_id": dev});
    let killed = owner
        .post(&format!("{flag}/kill?comment=Errors"), body)
        .await;
    killed.expect_status(200);
    assert_eq!(newest(owner).await, json!(["flag.killed", "Errors"]));
    let body = json!({"env_id": dev, "version": 2});
    let back = owner
        .post(&format!("{flag}/rollback?comment=Fixed"), body)
        .await;
    back.expect_status(200);
    assert_eq!(newest(owner).await, json!(["flag.rolled_back", "Fixed"]));
    let body = json!({"source_env_id": dev, "target_env_id": setup.project.staging});
    let promoted = owner
        .post(&format!("{flag}/promote?comment=Tested"), body)
        .await;
    promoted.expect_status(200);
    assert_eq!(newest(owner).await, json!(["flag.promoted", "Tested"]));
    let archived = owner
        .post(&format!("{flag}/archive?comment=Done"), json!({}))
        .await;
    archived.expect_status(204);
    assert_eq!(newest(owner).await, json!(["flag.archived", "Done"]));
    assert_eq!(
        of_history(owner, &flag).await,
        [
            json!("Done"),
            json!("Tested"),
            json!("Fixed"),
            json!("Errors"),
            json!("Renamed"),
            json!("Sale starts 🎉"),
            Value::Null,
        ]
    );
}

#[tokio::test]
async fn segments_and_environments_are_changed_with_a_comment_too() {
    let setup = Setup::new().await;
    let (owner, project) = (&setup.owner, &setup.project.id);
    let segments = format!("/v1/projects/{project}/segments");
    owner
        .create(
            &format!("{segments}?comment=New%20market"),
            json!({"key": "ch", "name": "CH", "rules": []}),
        )
        .await;
    assert_eq!(
        newest(owner).await,
        json!(["segment.created", "New market"])
    );
    let environments = format!("/v1/projects/{project}/environments");
    let body = json!({"name": "QA", "slug": "qa"});
    owner
        .create(&format!("{environments}?comment=For%20tests"), body)
        .await;
    assert_eq!(
        newest(owner).await,
        json!(["environment.created", "For tests"])
    );
}

#[tokio::test]
async fn a_comment_is_400_if_it_is_too_long_or_not_one_line_of_plain_text() {
    let (setup, flag) = with_flag().await;
    let (owner, dev) = (&setup.owner, &setup.project.dev);
    let plain = "comment must be one line without control characters and characters that change the direction of text";
    for (comment, words) in [
        ("x".repeat(501), "comment must have at most 500 characters"),
        ("a%0Ab".to_owned(), plain),
        ("a%00b".to_owned(), plain),
        ("a%E2%80%AEb".to_owned(), plain),
    ] {
        let path = state_in(&flag, dev, &format!("comment={comment}"));
        let refused = owner.put(&path, json!({"enabled": true})).await;
        refused.expect_error(400, words);
        let killed = owner
            .post(
                &format!("{flag}/kill?comment={comment}"),
                json!({"env_id": dev}),
            )
            .await;
        killed.expect_error(400, words);
        let deleted = owner.delete(&format!("{flag}?comment={comment}")).await;
        deleted.expect_error(400, words);
    }
    let longest = "%C3%BC".repeat(500);
    let path = state_in(&flag, dev, &format!("comment={longest}"));
    owner.change(&path, json!({"enabled": true})).await;
    assert_eq!(newest(owner).await[1], "ü".repeat(500));
}

#[tokio::test]
async fn a_write_that_changes_nothing_stores_no_comment() {
    let (setup, flag) = with_flag().await;
    let (owner, dev) = (&setup.owner, &setup.project.dev);
    let on = json!({"enabled": true});
    owner
        .change(&state_in(&flag, dev, "comment="), on.clone())
        .await;
    owner
        .change(&state_in(&flag, dev, "comment=Again"), on)
        .await;
    assert_eq!(newest(owner).await, json!(["flag.state_updated", null]));
    assert_eq!(of_history(owner, &flag).await, [Value::Null, Value::Null]);
    let dry = state_in(&flag, dev, "comment=Perhaps&dry_run=true");
    owner
        .put(&dry, json!({"enabled": false}))
        .await
        .expect_status(200);
    assert_eq!(of_history(owner, &flag).await.len(), 2);
}

#[tokio::test]
async fn history_is_charged_for_comments() {
    let (app, owner) = App::with_owner().await;
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    owner.create(&flags, json!({"key": "f", "name": "F"})).await;
    let flag = format!("{flags}/f");
    for (comment, enabled) in [("one", true), ("three", false), ("", true)] {
        let path = state_in(&flag, &project.dev, &format!("comment={comment}"));
        owner.change(&path, json!({"enabled": enabled})).await;
    }
    let differs: i64 = app
        .value(
            "SELECT s.bytes - (SELECT SUM(octet_length(v.document::text) + COALESCE(octet_length(v.comment), 0))::bigint
                               FROM flag_versions v WHERE v.org_id = s.org_id)
             FROM flag_history_sizes s WHERE s.org_id = $1::uuid",
            &[&owner.org_id],
        )
        .await;
    assert_eq!(differs, 0);
}
