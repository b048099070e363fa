//! Unknown parameters of the query.

use harness::access::{Row, protected, rows};
use harness::{App, Setup};
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::json;

use super::with_flag;
use crate::access::things::Things;

fn writes(rows: Vec<Row>) -> impl Iterator<Item = Row> {
    rows.into_iter().filter(|row| row.method != Method::GET)
}

#[tokio::test]
async fn an_unknown_query_parameter_of_every_write_is_400_and_changes_nothing() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let before = app.contents().await;
    let mut wrong = Vec::new();
    // There is nothing to cancel, which comes first.
    let has_thing = |row: &Row| row.path != "/v1/billing/cancel";
    for row in writes(protected()).filter(has_thing) {
        let path = format!("{}?wait=edges&dry-rum=true", things.path(&row));
        let request = owner.request(row.method.clone(), &path);
        let request = request.header(CONTENT_TYPE, "application/json").body("{}");
        let refused = owner.send(request).await;
        let words = refused.body["error"].as_str().unwrap_or_default();
        if refused.status != 400 || !words.starts_with("unknown query parameter dry-rum") {
            wrong.push(format!(
                "{}: {} {}",
                row.name(),
                refused.status,
                refused.body
            ));
        }
        let named = refused.headers.get("x-ignored-fields");
        assert!(
            named.is_some_and(|named| named == "?dry-rum"),
            "{}",
            row.name()
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(app.contents().await, before);
}

#[tokio::test]
async fn the_known_name_that_is_nearest_is_named() {
    let (setup, state) = with_flag().await;
    for (query, words) in [
        ("wiat=edges", "wiat; did you mean wait?"),
        ("WAIT=edges&other=1", "WAIT; did you mean wait?"),
        ("limit=5", "limit"),
        ("", ""),
        ("a%20b,%22=1", "a%20b%2C%22"),
    ] {
        let path = format!("{state}?{query}");
        let answer = setup.owner.put(&path, json!({"enabled": true})).await;
        if words.is_empty() {
            answer.expect_status(200);
        } else {
            answer.expect_error(400, &format!("unknown query parameter {words}"));
        }
    }
}

#[tokio::test]
async fn the_caller_and_the_path_are_looked_at_before_the_query() {
    let (setup, state) = with_flag().await;
    let (app, owner) = (&setup.app, &setup.owner);
    let (unknown, body) = (state.replace("/f/", "/no/"), json!({"enabled": true}));
    let anonymous = app.anonymous();
    let refused = anonymous.put(&format!("{state}?x=1"), body.clone()).await;
    refused.expect_error(401, "missing authorization header");
    let viewer = app.member(owner, "viewer").await;
    let viewer = viewer.put(&format!("{state}?x=1"), body.clone()).await;
    viewer.expect_error(403, "insufficient permissions");
    let missing = owner.put(&format!("{unknown}?x=1"), body).await;
    missing.expect_error(404, "flag not found");
    let missing = owner.delete(&format!("{}/no?x=1", setup.flags())).await;
    missing.expect_error(404, "flag not found");
    let refused = owner.delete(&format!("{}/f?x=1", setup.flags())).await;
    refused.expect_error(400, "unknown query parameter x");
    owner.get(&state).await.expect_status(200);
}

#[tokio::test]
async fn third_parties_may_add_parameters() {
    let setup = Setup::new().await;
    let anonymous = setup.app.anonymous();
    for row in writes(rows()).filter(Row::is_public) {
        let request = anonymous.request(row.method.clone(), &format!("{}?utm=1", row.path));
        let answer = anonymous.send(request.json(&json!({}))).await;
        let words = answer.body["error"].as_str().unwrap_or_default();
        assert!(
            !words.contains("query parameter"),
            "{}: {words}",
            row.name()
        );
    }
    let login = json!({"email": setup.owner.email, "password": harness::user::PASSWORD});
    let login = anonymous.act("/v1/auth/login?utm=1", login).await;
    assert_eq!(login.header("x-ignored-fields"), "?utm");
    assert_eq!(login.body.get("warnings"), None);
    let key = setup.owner.api_key(&setup.project.dev).await;
    let sdk = anonymous.with_key(&key);
    let asked = json!({"flag_key": "f", "context": {"key": "u"}});
    sdk.act("/v1/evaluate?utm=1", asked).await;
}
