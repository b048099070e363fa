//! Archiving and restoring beside other changes.

use harness::{Response, Setup, statuses};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::Connection;

use super::{post, published, with_flag};

/// Sends two requests so that both wait for the project, the first before the second, then lets them go on.
async fn one_then_other(
    setup: &Setup,
    one: (Method, &str, Value),
    other: (Method, &str, Value),
) -> [Response; 2] {
    let mut session = setup.app.session().await;
    let mut held = session.begin().await.unwrap();
    setup.lock_project(&mut held).await;
    let mut sent = Vec::new();
    for (number, (method, path, body)) in (1..).zip([one, other]) {
        let (owner, path) = (setup.owner.clone(), path.to_owned());
        sent.push(tokio::spawn(async move {
            let request = owner.request(method, &path).json(&body);
            owner.send(request).await
        }));
        setup.app.until_waiting_for_locks(number).await;
    }
    held.rollback().await.unwrap();
    let other = sent.pop().unwrap().await.unwrap();
    let one = sent.pop().unwrap().await.unwrap();
    [one, other]
}

#[tokio::test]
async fn a_change_of_a_flag_that_is_being_archived_is_stored_before_or_refused() {
    let (setup, paths) = with_flag().await;
    let archive = || (Method::POST, paths.archive.as_str(), Value::Null);
    let state = |enabled: bool| {
        let body = json!({"enabled": enabled});
        (Method::PUT, paths.dev.as_str(), body)
    };
    let words = "flag is archived; restore it first";
    let [archived, refused] = one_then_other(&setup, archive(), state(false)).await;
    published(&archived);
    refused.expect_error(409, words);
    assert_eq!(setup.owner.get(&paths.dev).await.body["enabled"], true);
    published(&post(&setup.owner, &paths.restore).await);

    let [stored, archived] = one_then_other(&setup, state(false), archive()).await;
    stored.expect_status(200);
    published(&archived);
    assert_eq!(setup.owner.get(&paths.dev).await.body["enabled"], false);

    for (method, path, body) in [
        (Method::PUT, paths.flag.clone(), json!({"name": "G"})),
        (
            Method::POST,
            format!("{}/kill", paths.flag),
            json!({"env_id": setup.project.dev}),
        ),
    ] {
        published(&post(&setup.owner, &paths.restore).await);
        let other = (method, path.as_str(), body);
        let [archived, refused] = one_then_other(&setup, archive(), other).await;
        published(&archived);
        refused.expect_error(409, words);
    }
}

#[tokio::test]
async fn a_flag_archived_twice_at_once_is_archived_once() {
    let (setup, paths) = with_flag().await;
    for (path, action) in [
        (&paths.archive, "flag.archived"),
        (&paths.restore, "flag.restored"),
    ] {
        let request = || (Method::POST, path.as_str(), Value::Null);
        let answers = one_then_other(&setup, request(), request()).await;
        assert_eq!(statuses([&answers[0], &answers[1]]), [204, 204]);
        let versions = answers.iter().filter(|answer| {
            let headers = &answer.headers;
            headers.contains_key("x-snapshot-version")
        });
        assert_eq!(versions.count(), 1);
        let entries = "SELECT COUNT(*) FROM audit_entries WHERE action = $1";
        assert_eq!(setup.app.value::<i64>(entries, &[action]).await, 1);
    }
}

#[tokio::test]
async fn a_key_is_not_created_while_its_flag_is_restored_or_deleted() {
    let (setup, paths) = with_flag().await;
    published(&post(&setup.owner, &paths.archive).await);
    let create = || {
        let body = json!({"key": "f", "name": "Another"});
        (Method::POST, paths.flags.as_str(), body)
    };
    let restore = || (Method::POST, paths.restore.as_str(), Value::Null);
    let [restored, refused] = one_then_other(&setup, restore(), create()).await;
    published(&restored);
    refused.expect_error(409, "flag key already exists");
    published(&post(&setup.owner, &paths.archive).await);

    let [refused, restored] = one_then_other(&setup, create(), restore()).await;
    refused.expect_error(
        409,
        "flag key already exists: f is archived; restore it, or delete it for good",
    );
    published(&restored);
    published(&post(&setup.owner, &paths.archive).await);

    let delete = (Method::DELETE, paths.flag.as_str(), Value::Null);
    let [deleted, gone] = one_then_other(&setup, delete, restore()).await;
    published(&deleted);
    gone.expect_error(404, "flag not found");
    let (method, path, body) = create();
    let request = setup.owner.request(method, path).json(&body);
    setup.owner.send(request).await.expect_status(201);
}

#[tokio::test]
async fn a_flag_that_is_switched_on_meanwhile_is_not_deleted() {
    let (setup, paths) = with_flag().await;
    let off = json!({"enabled": false});
    setup.owner.change(&paths.dev, off).await;
    let on = (Method::PUT, paths.dev.as_str(), json!({"enabled": true}));
    let delete = (Method::DELETE, paths.flag.as_str(), Value::Null);
    let [stored, refused] = one_then_other(&setup, on, delete).await;
    stored.expect_status(200);
    refused.expect_status(409);
    setup.owner.get(&paths.flag).await.expect_status(200);
}
