//! `PUT` with `If-None-Match: *`: creates the flag, segment or environment that the path names, and changes none.

use harness::{App, Response, User};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::Connection;

use crate::trail;

const EXISTS: &str = "exists already";

/// A path in the default project, the body of a creation, and the action in the audit log.
fn things() -> [(&'static str, Value, &'static str); 3] {
    [
        (
            "/v1/projects/default/flags/f",
            json!({"name": "F", "flag_type": "string", "default_value": "a"}),
            "flag.created",
        ),
        (
            "/v1/projects/default/segments/s",
            json!({"name": "S", "rules": []}),
            "segment.created",
        ),
        (
            "/v1/projects/default/environments/qa",
            json!({"name": "Quality", "color": "#010203"}),
            "environment.created",
        ),
    ]
}

async fn create(user: &User, path: &str, body: &Value) -> Response {
    let request = user.request(Method::PUT, path).header("if-none-match", "*");
    user.send(request.json(body)).await
}

#[tokio::test]
async fn what_does_not_exist_is_created_as_by_post() {
    let (app, owner) = App::with_owner().await;
    for (path, body, action) in things() {
        // Without the header nothing is created.
        owner.put(path, body.clone()).await.expect_status(404);
        let created = create(&owner, path, &body).await;
        created.expect_status(201);
        let shown = owner.get(path).await;
        shown.expect(200, created.body.clone());
        assert_eq!(shown.header("etag"), created.header("etag"), "{path}");
        assert!(created.headers.contains_key("x-snapshot-version"), "{path}");
        let entry = trail::newest(&app, &owner).await;
        assert_eq!(entry["action"], action);
        assert_eq!(entry["before_state"], Value::Null);
        assert_eq!(entry["after_state"]["id"], created.body["id"]);
    }
    let flag = owner.get("/v1/projects/default/flags/f").await;
    assert_eq!(flag.body["flag_type"], "string");
    let env = owner.get("/v1/projects/default/environments/qa").await;
    assert_eq!(env.body["name"], "Quality");
}

#[tokio::test]
async fn what_exists_is_412_and_stays() {
    let (app, owner) = App::with_owner().await;
    for (path, mut body, _) in things() {
        let created = create(&owner, path, &body).await;
        created.expect_status(201);
        let entries = trail::length(&app, &owner).await;
        body["name"] = json!("Another");
        let refused = create(&owner, path, &body).await;
        refused.expect_error(412, EXISTS);
        assert_eq!(refused.header("etag"), created.header("etag"), "{path}");
        owner.get(path).await.expect(200, created.body.clone());
        assert_eq!(trail::length(&app, &owner).await, entries);
    }
}

#[tokio::test]
async fn of_two_creators_one_gets_201_and_the_other_412() {
    let (app, owner) = App::with_owner().await;
    let elsewhere = app.another_replica().await;
    let there = owner.at(&elsewhere);
    for (path, body, action) in things() {
        // Both have found nothing, and wait for the lock of the project.
        let mut session = app.session().await;
        let mut held = session.begin().await.unwrap();
        sqlx::query("SELECT FROM projects FOR UPDATE")
            .execute(&mut *held)
            .await
            .unwrap();
        let request = there
            .request(Method::PUT, path)
            .header("if-none-match", "*");
        let (one, other, ()) = tokio::join!(
            create(&owner, path, &body),
            there.send(request.json(&body)),
            async {
                app.until_waiting_for_locks(2).await;
                held.rollback().await.unwrap();
            }
        );
        let (made, refused) = if one.status == 201 {
            (one, other)
        } else {
            (other, one)
        };
        made.expect_status(201);
        refused.expect_error(412, EXISTS);
        assert_eq!(refused.header("etag"), made.header("etag"), "{path}");
        let entries = trail::of_action(&app, &owner, action).await;
        let ids = entries.iter().map(|entry| &entry["after_state"]["id"]);
        assert_eq!(ids.filter(|id| **id == made.body["id"]).count(), 1);
    }
}

#[tokio::test]
async fn a_bad_precondition_or_body_is_refused() {
    let (_app, owner) = App::with_owner().await;
    for (path, body, _) in things() {
        let send = async |none_match: &str, if_match: Option<&str>, body: &Value| {
            let mut request = owner.request(Method::PUT, path);
            request = request.header("if-none-match", none_match);
            if let Some(tags) = if_match {
                request = request.header("if-match", tags);
            }
            owner.send(request.json(body)).await
        };
        let refused = send("\"7\"", None, &body).await;
        refused.expect_error(400, "If-None-Match of a PUT must be *");
        let refused = send("*", Some("*"), &body).await;
        refused.expect_error(400, "If-Match and If-None-Match cannot be given together");
        let field = if path.contains("environments") {
            "slug"
        } else {
            "key"
        };
        let mut other = body.clone();
        other[field] = json!("other");
        let words = format!("{field} must be that of the path");
        send("*", None, &other).await.expect_error(400, &words);
        let nameless = json!({"rules": []});
        let refused = send("*", None, &nameless).await;
        refused.expect_error(400, "name is required");
        let elsewhere = path.replace("default", "nowhere");
        let refused = create(&owner, &elsewhere, &body).await;
        refused.expect_error(404, "project not found");
        owner.get(path).await.expect_status(404);
    }
}

#[tokio::test]
async fn creating_a_flag_needs_the_permission_of_creating_too() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let developer = app.member(&owner, "developer").await;
    app.hold_to(&owner, &developer, &["flags.update"]).await;
    let [(path, body, _), ..] = things();
    let refused = create(&developer, path, &body).await;
    refused.expect_error(403, "insufficient permissions");
    app.hold_to(&owner, &developer, &["flags.update", "flags.create"])
        .await;
    create(&developer, path, &body).await.expect_status(201);
}

#[tokio::test]
async fn limits_of_the_plan_hold() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "free").await;
    let [.., (path, body, _)] = things();
    let refused = create(&owner, path, &body).await;
    refused.expect_status(402);
}
