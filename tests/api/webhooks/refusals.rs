//! What is refused, and changes nothing.

use harness::{App, User, statuses};
use serde_json::json;

use crate::trail;

const URL: &str = "https://192.0.2.7/hooks";

async fn webhook(owner: &User) -> String {
    let body = json!({"name": "Chat", "url": URL});
    let created = owner.create("/v1/webhooks", body).await;
    format!("/v1/webhooks/{}", created.text("/id"))
}

#[tokio::test]
async fn fields_that_break_a_rule_are_400() {
    let (app, owner) = App::with_proven_owner().await;
    let path = webhook(&owner).await;
    let before = owner.get("/v1/webhooks").await.body;
    let entries = trail::length(&app, &owner).await;
    let unknown_event =
        "events must be types that /v1/webhooks/event-types lists, areas such as flag.*, or *";
    let long = "n".repeat(256);
    let many = vec!["flag.created"; 101];
    for (field, value, message) in [
        ("name", json!(" "), "name is required"),
        ("name", json!(long), "name must have at most 255 characters"),
        ("url", json!(""), "url is required"),
        (
            "secret",
            json!(long),
            "secret must have at most 255 characters",
        ),
        ("events", json!(["flag.exploded"]), unknown_event),
        ("events", json!(["Flag.created"]), unknown_event),
        ("events", json!(["auth.login"]), unknown_event),
        ("events", json!(["webhook.*"]), unknown_event),
        ("events", json!(["flag.k*"]), unknown_event),
        ("events", json!(["webhook.test"]), unknown_event),
        ("events", json!(many), "events must be at most 100 names"),
        (
            "format",
            json!("irc"),
            "format must be json, slack, discord or teams",
        ),
    ] {
        let mut body = json!({"name": "Chat", "url": URL});
        body[field] = value.clone();
        let refused = owner.post("/v1/webhooks", body).await;
        refused.expect_error(400, message);
        let refused = owner.put(&path, json!({field: value})).await;
        refused.expect_error(400, message);
    }
    for (field, value) in [
        ("name", json!(1)),
        ("url", json!(["https://example.com"])),
        ("secret", json!(5)),
        ("events", json!("flag.created")),
        ("format", json!(1)),
        ("events", json!([1])),
        ("name", json!("nul \u{0}")),
    ] {
        let mut body = json!({"name": "Chat", "url": URL});
        body[field] = value.clone();
        owner.post("/v1/webhooks", body).await.expect_status(400);
        let refused = owner.put(&path, json!({field: value})).await;
        refused.expect_status(400);
    }
    owner.get("/v1/webhooks").await.expect(200, before);
    assert_eq!(trail::length(&app, &owner).await, entries);
}

#[tokio::test]
async fn a_webhook_needs_a_name_and_an_address() {
    let (_app, owner) = App::with_proven_owner().await;
    for (body, message) in [
        (json!({}), "name and url are required"),
        (json!({"url": URL}), "name is required"),
        (json!({"name": "Chat"}), "url is required"),
        (json!({"name": null, "url": URL}), "name is required"),
    ] {
        let refused = owner.post("/v1/webhooks", body).await;
        refused.expect_error(400, message);
    }
}

#[tokio::test]
async fn only_the_secret_may_be_null_in_an_update() {
    let (_app, owner) = App::with_proven_owner().await;
    let path = webhook(&owner).await;
    for field in ["name", "url", "events", "enabled"] {
        let message = format!("{field} must not be null");
        let answer = owner.put(&path, json!({field: null})).await;
        answer.expect_error(400, &message);
    }
    let refused = owner.put(&path, json!({"enabled": "no"})).await;
    refused.expect_status(400);
    owner.change(&path, json!({"secret": null})).await;
}

#[tokio::test]
async fn an_organization_has_at_most_100_webhooks() {
    let (app, owner) = App::with_proven_owner().await;
    app.set_plan(&owner, "pro").await;
    let path = webhook(&owner).await;
    for _ in 0..98 {
        webhook(&owner).await;
    }
    // Two at once, where there is room for one.
    let body = || json!({"name": "Chat", "url": URL});
    let (one, other) = tokio::join!(
        owner.post("/v1/webhooks", body()),
        owner.post("/v1/webhooks", body())
    );
    assert_eq!(statuses([&one, &other]), [201, 400]);
    let answer = owner.post("/v1/webhooks", body()).await;
    answer.expect_error(400, "an organization has at most 100 webhooks");
    owner.remove(&path).await;
    webhook(&owner).await;
}

#[tokio::test]
async fn below_pro_an_organization_has_at_most_10_webhooks() {
    let (app, owner) = App::with_proven_owner().await;
    for _ in 0..10 {
        webhook(&owner).await;
    }
    let body = || json!({"name": "Chat", "url": URL});
    for plan in ["trial", "free"] {
        app.set_plan(&owner, plan).await;
        let answer = owner.post("/v1/webhooks", body()).await;
        answer.expect_error(402, "plan limit reached: webhooks");
    }
    app.set_plan(&owner, "pro").await;
    let path = webhook(&owner).await;
    // What is there stays, and can be changed.
    app.set_plan(&owner, "free").await;
    owner.change(&path, json!({"name": "Renamed"})).await;
    assert_eq!(owner.get("/v1/webhooks").await.body["total"], 11);
}

#[tokio::test]
async fn without_an_owner_whose_address_is_proven_no_webhook_is_given_an_address() {
    let (app, owner) = App::with_owner().await;
    let words = "webhooks need an owner whose e-mail address is verified";
    let body = || json!({"name": "Chat", "url": URL});
    let refused = owner.post("/v1/webhooks", body()).await;
    refused.expect_error(403, words);
    // That of somebody else says nothing about the owner's.
    let admin = app.member(&owner, "admin").await;
    let refused = admin.post("/v1/webhooks", body()).await;
    refused.expect_error(403, words);
    // Nor does that of an owner who was invited and has not joined.
    let stranger = app.signup("globex").await;
    stranger.prove_address(app.pool()).await;
    let invitation = json!({"email": stranger.email, "role": "owner"});
    owner.create("/v1/members/invite", invitation).await;
    let refused = owner.post("/v1/webhooks", body()).await;
    refused.expect_error(403, words);
    owner.prove_address(app.pool()).await;
    let path = webhook(&admin).await;

    // One that was there before goes on, where it leads.
    app.execute("UPDATE users SET email_verified = false", &[])
        .await;
    let moved = owner.put(&path, json!({"url": URL})).await;
    moved.expect_error(403, words);
    owner.change(&path, json!({"enabled": true})).await;
}
