//! Creating, showing, changing and deleting webhooks.

use harness::App;
use serde_json::{Value, json};

use super::Scene;
use crate::trail;

const URL: &str = "https://192.0.2.7/hooks";

#[tokio::test]
async fn a_webhook_is_shown_without_its_secret() {
    let (app, owner) = App::with_proven_owner().await;
    let body = json!({
        "name": "Chat", "url": URL, "secret": "s3cret", "events": ["flag.killed", "flag.created", "flag.killed"],
    });
    let shown = json!({
        "id": "[uuid]", "name": "Chat", "url": URL, "has_secret": true, "events": ["flag.killed", "flag.created"],
        "format": "json", "enabled": true, "created_at": "[time]", "updated_at": "[time]",
    });
    let created = owner.post("/v1/webhooks", body).await;
    created.expect(201, shown.clone());
    let path = format!("/v1/webhooks/{}", created.text("/id"));
    owner.get(&path).await.expect(200, shown.clone());
    let page = json!({"data": [shown], "total": 1, "limit": 50, "offset": 0, "has_more": false});
    owner.get("/v1/webhooks").await.expect(200, page);
    let stored: Vec<u8> = app.value("SELECT sealed_secret FROM webhooks", &[]).await;
    assert!(!stored.windows(6).any(|text| text == b"s3cret"));
}

#[tokio::test]
async fn a_webhook_without_secret_and_events_hears_everything_unsigned() {
    let (_app, owner) = App::with_proven_owner().await;
    let created = owner.post("/v1/webhooks", json!({"name": "Chat", "url": URL}));
    let shown = json!({
        "id": "[uuid]", "name": "Chat", "url": URL, "has_secret": false, "events": [], "format": "json", "enabled": true,
        "created_at": "[time]", "updated_at": "[time]",
    });
    created.await.expect(201, shown);
    let body = json!({"name": "Chat", "url": URL, "secret": "", "events": ["*"]});
    let created = owner.create("/v1/webhooks", body).await;
    assert_eq!(created.body["has_secret"], false);
    assert_eq!(created.body["events"], json!(["*"]));
}

#[tokio::test]
async fn an_update_changes_only_what_it_names() {
    let (_app, owner) = App::with_proven_owner().await;
    let body = json!({"name": "Chat", "url": URL, "secret": "s3cret", "events": ["flag.killed"]});
    let created = owner.post("/v1/webhooks", body).await;
    let path = format!("/v1/webhooks/{}", created.text("/id"));
    let mut shown = created.body.clone();
    shown["updated_at"] = json!("[time]");
    for (change, value) in [
        (json!({}), Value::Null),
        (json!({"name": "Talk"}), json!("Talk")),
        (
            json!({"url": "http://198.51.100.1:8080/x?y=z"}),
            json!("http://198.51.100.1:8080/x?y=z"),
        ),
        (json!({"events": []}), json!([])),
        (
            json!({"events": ["flag.promoted"]}),
            json!(["flag.promoted"]),
        ),
        (json!({"enabled": false}), json!(false)),
        (json!({"enabled": true}), json!(true)),
        (json!({"format": "slack"}), json!("slack")),
    ] {
        for field in change.as_object().unwrap().keys() {
            shown[field] = value.clone();
        }
        owner.put(&path, change).await.expect(200, shown.clone());
        owner.get(&path).await.expect(200, shown.clone());
    }
    for (secret, has_secret) in [
        (json!(""), false),
        (json!("new"), true),
        (Value::Null, false),
    ] {
        shown["has_secret"] = json!(has_secret);
        let answer = owner.put(&path, json!({"secret": secret})).await;
        answer.expect(200, shown.clone());
    }
}

#[tokio::test]
async fn webhooks_are_listed_in_creation_order_page_by_page() {
    let (_app, owner) = App::with_proven_owner().await;
    for name in ["a", "b", "c"] {
        let body = json!({"name": name, "url": URL});
        owner.create("/v1/webhooks", body).await;
    }
    let names = async |query: &str| {
        let page = owner.get(&format!("/v1/webhooks{query}")).await;
        page.expect_status(200);
        assert_eq!(page.body["total"], 3);
        let webhooks = page.body["data"].as_array().unwrap();
        webhooks
            .iter()
            .map(|webhook| webhook["name"].as_str().unwrap().to_owned())
            .collect::<String>()
    };
    assert_eq!(names("").await, "abc");
    assert_eq!(names("?limit=2").await, "ab");
    assert_eq!(names("?limit=2&offset=2").await, "c");
}

#[tokio::test]
async fn a_deleted_webhook_is_gone_with_its_deliveries() {
    let scene = Scene::set().await;
    let webhook = scene.webhook("/a", json!({})).await;
    scene.test(&webhook).await;
    scene.settle().await;
    scene.test(&webhook).await;
    scene.owner.delete(&webhook).await.expect(204, Value::Null);
    for path in [webhook.clone(), format!("{webhook}/deliveries")] {
        let refused = scene.owner.get(&path).await;
        refused.expect_error(404, "webhook not found");
    }
    let refused = scene.owner.delete(&webhook).await;
    refused.expect_error(404, "webhook not found");
    scene.until_shared_out().await;
    for table in ["webhook_lanes", "webhook_queue", "webhook_deliveries"] {
        let text = format!("SELECT COUNT(*) FROM {table}");
        let number: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(text))
            .fetch_one(scene.app.pool())
            .await
            .unwrap();
        assert_eq!(number, 0, "{table}");
    }
}

/// Everybody who may read the audit trail may not see webhooks, and many services put a credential into the address.
#[tokio::test]
async fn the_audit_trail_tells_changes_without_secrets_and_addresses() {
    let (app, owner) = App::with_proven_owner().await;
    let url = "https://192.0.2.7:8443/hooks/t0ken?key=t0ken";
    let body = json!({"name": "Chat", "url": url, "secret": "s3cret"});
    let created = owner.post("/v1/webhooks", body).await;
    let id = created.text("/id");
    let path = format!("/v1/webhooks/{id}");
    let mut shown = created.body.clone();
    shown["url"] = json!("https://192.0.2.7:8443/…");
    let entry = |action: &str, before: &Value, after: &Value| {
        json!({
            "action": action, "actor_type": "user", "actor_id": owner.id, "resource_type": "webhook", "resource_id": id,
            "project_id": null, "before_state": before, "after_state": after, "metadata": null,
        })
    };
    let told = trail::newest(&app, &owner).await;
    assert_eq!(told, entry("webhook.created", &Value::Null, &shown));

    let updated = owner.put(&path, json!({"enabled": false})).await;
    let before = shown.clone();
    shown["enabled"] = json!(false);
    shown["updated_at"] = updated.body["updated_at"].clone();
    let told = trail::newest(&app, &owner).await;
    assert_eq!(told, entry("webhook.updated", &before, &shown));

    owner.remove(&path).await;
    let told = trail::newest(&app, &owner).await;
    assert_eq!(told, entry("webhook.deleted", &shown, &Value::Null));
}
