//! Archiving and restoring flags.

mod answers;
mod deleting;
mod history;
mod limits;
mod races;
mod schedules;
mod writes;

use harness::{Caller, Response, Setup};
use serde_json::{Value, json};

use super::version;

/// The flag `f`, as it is created.
fn flag() -> Value {
    json!({
        "id": "[uuid]", "key": "f", "name": "F", "description": "", "flag_type": "boolean", "default_value": false, "tags": ["t"],
        "prerequisites": [], "mutual_exclusion_group": "", "permanent": false, "owner_id": null, "created_at": "[time]", "updated_at": "[time]",
    })
}

/// Paths of the flag `f`.
struct Paths {
    flags: String,
    flag: String,
    archive: String,
    restore: String,
    /// Its state in `dev`.
    dev: String,
}

/// A project with the flag `f`, which is on in `dev`.
async fn with_flag() -> (Setup, Paths) {
    let setup = Setup::new().await;
    let flags = setup.flags();
    let paths = Paths {
        flag: format!("{flags}/f"),
        archive: format!("{flags}/f/archive"),
        restore: format!("{flags}/f/restore"),
        dev: format!("{flags}/f/environments/{}", setup.project.dev),
        flags,
    };
    let body = json!({"key": "f", "name": "F", "tags": ["t"]});
    setup.owner.create(&paths.flags, body).await;
    let rule = json!({"id": "r", "conditions": [{"attribute": "a", "operator": "regex", "values": ["^a+$"]}], "value": true});
    let state = json!({"enabled": true, "default_value": true, "rules": [rule]});
    setup.owner.change(&paths.dev, state).await;
    (setup, paths)
}

async fn post(caller: &Caller, path: &str) -> Response {
    caller.post(path, Value::Null).await
}

/// Archives or restores, which must be possible and publish a version.
#[track_caller]
fn published(answer: &Response) -> u64 {
    answer.expect(204, Value::Null);
    version(answer)
}

#[tokio::test]
async fn an_archived_flag_is_shown_with_its_time_and_is_in_no_list_but_its_own() {
    let (setup, paths) = with_flag().await;
    let owner = &setup.owner;
    owner
        .create(&paths.flags, json!({"key": "g", "name": "G"}))
        .await;
    let before = owner.get(&paths.flag).await;
    before.expect(200, flag());
    let state = owner.get(&paths.dev).await;
    published(&post(owner, &paths.archive).await);

    let mut archived = flag();
    archived["archived_at"] = "[time]".into();
    let shown = owner.get(&paths.flag).await;
    shown.expect(200, archived);
    assert_ne!(shown.header("etag"), before.header("etag"));
    let answer = owner.get(&paths.dev).await;
    answer.expect(200, state.body.clone());
    assert_eq!(answer.header("etag"), state.header("etag"));

    let keys = async |path: String| {
        let listed = owner.get(&path).await;
        let items = listed.body["data"].as_array().unwrap().iter();
        let keys: Vec<_> = items.map(|item| item["key"].clone()).collect();
        (keys, listed.body["total"].clone())
    };
    let only_g = (vec![json!("g")], json!(1));
    let overview = format!("/v1/projects/{}/overview", setup.project.id);
    for path in [
        paths.flags.clone(),
        format!("{}?archived=false", paths.flags),
        format!("{}?archived=", paths.flags),
        overview.clone(),
        format!("{overview}?limit=1&offset=0"),
    ] {
        assert_eq!(keys(path.clone()).await, only_g, "{path}");
    }
    assert_eq!(owner.get(&overview).await.body["tags"], json!([]));
    for query in ["tag=t", "q=F", "state=on"] {
        let found = keys(format!("{overview}?{query}")).await;
        assert_eq!(found, (Vec::new(), json!(0)), "{query}");
    }
    let found = owner.get("/v1/search?q=f&limit=10").await;
    let mut found = found.body["data"].as_array().unwrap().iter();
    assert!(found.all(|item| item["type"] != "flag"));

    let item = json!({
        "id": "[uuid]", "key": "f", "name": "F", "flag_type": "boolean", "default_value": false, "tags": ["t"],
        "owner_id": null, "created_at": "[time]", "updated_at": "[time]", "archived_at": "[time]",
    });
    owner
        .get(&format!("{}?archived=true&limit=1", paths.flags))
        .await
        .expect(
            200,
            json!({"data": [item], "total": 1, "limit": 1, "offset": 0, "has_more": false}),
        );

    published(&post(owner, &paths.restore).await);
    owner.get(&paths.flag).await.expect(200, before.body);
    owner.get(&paths.dev).await.expect(200, state.body);
    assert_eq!(
        keys(paths.flags.clone()).await,
        (vec![json!("f"), json!("g")], json!(2))
    );
    let none = keys(format!("{}?archived=true", paths.flags)).await;
    assert_eq!(none, (Vec::new(), json!(0)));
}

#[tokio::test]
async fn archived_flags_are_listed_in_pages_the_latest_first() {
    let (setup, paths) = with_flag().await;
    for key in ["a", "b", "c"] {
        let body = json!({"key": key, "name": key});
        setup.owner.create(&paths.flags, body).await;
    }
    for key in ["b", "c", "a"] {
        setup.app.clock.advance(std::time::Duration::from_secs(1));
        let path = format!("{}/{key}/archive", paths.flags);
        published(&post(&setup.owner, &path).await);
    }
    for (offset, keys, has_more) in [(0, &["a", "c"][..], true), (2, &["b"], false)] {
        let path = format!("{}?archived=true&limit=2&offset={offset}", paths.flags);
        let listed = setup.owner.get(&path).await;
        let items = listed.body["data"].as_array().unwrap().iter();
        let found: Vec<_> = items.map(|item| item["key"].as_str().unwrap()).collect();
        assert_eq!(found, keys);
        assert_eq!(
            (&listed.body["total"], &listed.body["has_more"]),
            (&json!(3), &json!(has_more))
        );
    }
}

#[tokio::test]
async fn archived_must_be_true_or_false() {
    let (setup, paths) = with_flag().await;
    for text in ["1", "yes", "TRUE"] {
        let refused = setup
            .owner
            .get(&format!("{}?archived={text}", paths.flags))
            .await;
        refused.expect_error(400, "archived must be one of true, false");
    }
}

#[tokio::test]
async fn archiving_and_restoring_again_change_nothing() {
    let (setup, paths) = with_flag().await;
    let entries = "SELECT COUNT(*) FROM audit_entries";
    for path in [&paths.restore, &paths.archive, &paths.restore] {
        let shown = setup.owner.get(&paths.flag).await;
        if *path == paths.archive || shown.body["archived_at"].is_string() {
            published(&post(&setup.owner, path).await);
        }
        let flag = setup.owner.get(&paths.flag).await;
        let before: i64 = setup.app.value(entries, &[]).await;
        let again = post(&setup.owner, path).await;
        again.expect(204, Value::Null);
        assert!(!again.headers.contains_key("x-snapshot-version"));
        let after = setup.owner.get(&paths.flag).await;
        after.expect(200, flag.body.clone());
        assert_eq!(after.header("etag"), flag.header("etag"));
        assert_eq!(setup.app.value::<i64>(entries, &[]).await, before);
    }
}

#[tokio::test]
async fn archiving_warns_of_flags_that_require_the_flag() {
    let (setup, paths) = with_flag().await;
    for number in 0..7 {
        let body =
            json!({"key": format!("d{number}"), "name": "D", "prerequisites": ["f", "other"]});
        setup.owner.create(&paths.flags, body).await;
    }
    let first = format!("{}/d0/archive", paths.flags);
    published(&post(&setup.owner, &first).await);
    let strict = setup.owner.request(reqwest::Method::POST, &paths.archive);
    let strict = strict.header("prefer", "handling=strict");
    let message = "required by d1, d2, d3, d4, d5, 1 more";
    setup.owner.send(strict).await.expect(
        400,
        json!({
            "error": format!("prerequisites: {message}"),
            "warnings": [{"place": "prerequisites", "message": message}],
        }),
    );
    let answer = post(&setup.owner, &paths.archive).await;
    published(&answer);
    assert_eq!(
        answer.header("x-warnings"),
        "prerequisites: required by d1, d2, d3, d4, d5, 1 more"
    );
    let answer = post(&setup.owner, &format!("{}/d1/archive", paths.flags)).await;
    published(&answer);
    assert!(!answer.headers.contains_key("x-warnings"));
}

#[tokio::test]
async fn another_version_than_expected_is_412() {
    let (setup, paths) = with_flag().await;
    let stale = setup.owner.get(&paths.flag).await.header("etag").to_owned();
    setup.owner.change(&paths.flag, json!({"name": "G"})).await;
    let send = async |path: &str, tag: &str| {
        let request = setup.owner.request(reqwest::Method::POST, path);
        setup.owner.send(request.header("if-match", tag)).await
    };
    let current = setup.owner.get(&paths.flag).await.header("etag").to_owned();
    for path in [&paths.archive, &paths.restore] {
        let refused = send(path, &stale).await;
        refused.expect_status(412);
        assert_eq!(refused.header("etag"), current);
        send(path, "nonsense")
            .await
            .expect_error(400, "If-Match must be * or a list of entity tags");
    }
    published(&send(&paths.archive, &current).await);
    send(&paths.restore, &current).await.expect_status(412);
    let current = setup.owner.get(&paths.flag).await.header("etag").to_owned();
    published(&send(&paths.restore, &current).await);
}

#[tokio::test]
async fn an_unknown_flag_is_neither_archived_nor_restored() {
    let (setup, paths) = with_flag().await;
    for action in ["archive", "restore"] {
        let unknown = post(&setup.owner, &format!("{}/g/{action}", paths.flags)).await;
        unknown.expect_error(404, "flag not found");
        let other = setup.app.signup(&format!("other-{action}")).await;
        let foreign = post(&other, &format!("{}/{action}", paths.flag)).await;
        foreign.expect_error(404, "flag not found");
    }
}
