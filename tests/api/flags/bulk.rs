//! Changing many flags by one request: each as a request of its own would.

use harness::{Response, Setup, User};
use serde_json::{Value, json};

use crate::trail;

fn path(setup: &Setup) -> String {
    format!("/v1/projects/{}/bulk", setup.project.id)
}

async fn with_flags(keys: &[&str]) -> Setup {
    let setup = Setup::new().await;
    for key in keys {
        let body = json!({"key": key, "name": key});
        setup.owner.create(&setup.flags(), body).await;
    }
    setup
}

async fn edit(setup: &Setup, user: &User, body: Value) -> Response {
    let answer = user.post(&path(setup), body).await;
    answer.expect_status(200);
    answer
}

/// Key, status and error of each result.
fn results(answer: &Response) -> Vec<(&str, u64, Option<&str>)> {
    let results = answer.body["results"].as_array().unwrap().iter();
    let results = results.map(|one| {
        let status = one["status"].as_u64().unwrap();
        (one["key"].as_str().unwrap(), status, one["error"].as_str())
    });
    results.collect()
}

async fn state(setup: &Setup, key: &str, env_id: &str) -> Response {
    let path = format!("{}/{key}/environments/{env_id}", setup.flags());
    setup.owner.get(&path).await
}

#[tokio::test]
async fn flags_are_switched_and_each_result_has_the_tag_of_its_state() {
    let setup = with_flags(&["a", "b"]).await;
    let dev = setup.project.dev.clone();
    let body = json!({"keys": ["a", "gone", "b", "a"], "action": "enable", "env_id": "dev"});
    let answer = setup.owner.post(&path(&setup), body).await;
    let (a, b) = (
        state(&setup, "a", &dev).await,
        state(&setup, "b", &dev).await,
    );
    let version = |state: &Response| {
        let tag = state.header("etag").trim_matches('"').to_owned();
        tag.parse::<i64>().unwrap()
    };
    answer.expect(
        200,
        json!({"results": [
            {"key": "a", "status": 200, "version": version(&a)},
            {"key": "gone", "status": 404, "error": "flag not found"},
            {"key": "b", "status": 200, "version": version(&b)},
        ]}),
    );
    assert_eq!(
        answer.header("x-snapshot-version"),
        version(&b).to_string(),
        "edges serve the last change"
    );
    assert_eq!(
        (&a.body["enabled"], &b.body["enabled"]),
        (&json!(true), &json!(true))
    );
    let entry = trail::newest(&setup.app, &setup.owner).await;
    assert_eq!(entry["action"], "flag.state_updated");

    let body = json!({"keys": ["a"], "action": "disable", "env_id": dev});
    let off = edit(&setup, &setup.owner, body).await;
    assert_eq!(results(&off), [("a", 200, None)]);
    assert_eq!(state(&setup, "a", &dev).await.body["enabled"], false);
}

#[tokio::test]
async fn tags_are_added_and_removed_and_the_others_stay() {
    let setup = with_flags(&["a", "b"]).await;
    let flags = setup.flags();
    let tags = json!({"tags": ["old", "new"]});
    setup.owner.change(&format!("{flags}/b"), tags).await;
    let body = |action: &str, tag: &str| json!({"keys": ["a", "b"], "action": action, "tag": tag});
    let shown = async |key: &str| {
        let flag = setup.owner.get(&format!("{flags}/{key}")).await;
        flag.body["tags"].clone()
    };
    let tagged = edit(&setup, &setup.owner, body("tag", "new")).await;
    assert_eq!(results(&tagged), [("a", 200, None), ("b", 200, None)]);
    assert_eq!(
        (shown("a").await, shown("b").await),
        (json!(["new"]), json!(["old", "new"]))
    );
    edit(&setup, &setup.owner, body("untag", "old")).await;
    assert_eq!(
        (shown("a").await, shown("b").await),
        (json!(["new"]), json!(["new"]))
    );

    let full: Vec<_> = (0..50).map(|number| number.to_string()).collect();
    let full = json!({"tags": full});
    setup.owner.change(&format!("{flags}/a"), full).await;
    let refused = edit(&setup, &setup.owner, body("tag", "more")).await;
    let many = Some("tags must have at most 50 items");
    assert_eq!(results(&refused), [("a", 400, many), ("b", 200, None)]);
}

#[tokio::test]
async fn tags_that_are_added_at_the_same_time_are_all_kept() {
    let setup = with_flags(&["a"]).await;
    let tag = async |tag: &str| {
        let body = json!({"keys": ["a"], "action": "tag", "tag": tag});
        edit(&setup, &setup.owner, body).await
    };
    let rename = async {
        let path = format!("{}/a", setup.flags());
        let body = json!({"name": "Renamed"});
        setup.owner.put(&path, body).await.expect_status(200);
    };
    let (x, y, ()) = tokio::join!(tag("x"), tag("y"), rename);
    assert_eq!((results(&x)[0].1, results(&y)[0].1), (200, 200));
    let flag = setup.owner.get(&format!("{}/a", setup.flags())).await;
    let mut tags: Vec<_> = flag.body["tags"].as_array().unwrap().clone();
    tags.sort_by_key(ToString::to_string);
    assert_eq!(
        (json!(tags), &flag.body["name"]),
        (json!(["x", "y"]), &json!("Renamed"))
    );
}

#[tokio::test]
async fn states_are_promoted_with_their_variants_if_that_is_asked_for() {
    let setup = with_flags(&["never"]).await;
    let flag = json!({"key": "a", "name": "A", "flag_type": "ab"});
    setup.owner.create(&setup.flags(), flag).await;
    let variants = json!([{"key": "v", "value": 1, "weight": 10_000}]);
    let dev = format!("{}/a/environments/dev", setup.flags());
    let body = json!({"enabled": true, "variants": variants});
    setup.owner.change(&dev, body).await;
    let production = setup.project.production.clone();
    let mut body = json!({"keys": ["a", "never"], "action": "promote", "env_id": "dev", "target_env_id": "production"});
    let promoted = edit(&setup, &setup.owner, body.clone()).await;
    let missing = Some("the flag has no state in the source environment");
    assert_eq!(
        results(&promoted),
        [("a", 200, None), ("never", 404, missing)]
    );
    let shown = state(&setup, "a", &production).await;
    assert_eq!(
        (&shown.body["enabled"], &shown.body["variants"]),
        (&json!(true), &json!([]))
    );
    body["variants"] = json!(true);
    edit(&setup, &setup.owner, body).await;
    let shown = state(&setup, "a", &production).await;
    assert_eq!(shown.body["variants"], variants);
}

#[tokio::test]
async fn flags_are_archived_and_restored() {
    let setup = with_flags(&["a", "b"]).await;
    let needs_a = json!({"prerequisites": ["a"]});
    setup
        .owner
        .change(&format!("{}/b", setup.flags()), needs_a)
        .await;
    let body = |action: &str| json!({"keys": ["a"], "action": action});
    let archived = setup.owner.post(&path(&setup), body("archive")).await;
    let warnings = archived.body["results"][0]["warnings"].clone();
    assert_eq!(
        warnings.as_array().unwrap().len(),
        1,
        "b requires it: {warnings}"
    );
    let gone = setup
        .owner
        .get(&format!("{}?archived=true", setup.flags()))
        .await;
    assert_eq!(gone.body["total"], 1);
    let switched = json!({"keys": ["a"], "action": "enable", "env_id": "dev"});
    let switched = edit(&setup, &setup.owner, switched).await;
    let refused = Some("flag is archived; restore it first");
    assert_eq!(results(&switched), [("a", 409, refused)]);
    let restored = setup.owner.post(&path(&setup), body("restore")).await;
    restored.expect(200, json!({"results": [{"key": "a", "status": 204}]}));
}

#[tokio::test]
async fn a_protected_environment_refuses_each_flag() {
    let setup = with_flags(&["a"]).await;
    let env = format!("/v1/projects/{}/environments/production", setup.project.id);
    setup.owner.change(&env, json!({"protected": true})).await;
    let body = json!({"keys": ["a"], "action": "enable", "env_id": "production"});
    let answer = edit(&setup, &setup.owner, body).await;
    assert_eq!(results(&answer), [("a", 403, Some("approval_required"))]);
}

#[tokio::test]
async fn permissions_of_environments_are_those_of_the_single_write() {
    let setup = with_flags(&["a"]).await;
    let developer = setup.app.member(&setup.owner, "developer").await;
    let members = setup.owner.get("/v1/members").await;
    let mut members = members.body["data"].as_array().unwrap().iter();
    let id = members.find(|one| one["email"] == developer.email).unwrap()["id"].clone();
    let held = json!({"permissions": [{"env_id": setup.project.dev, "can_toggle": false, "can_edit_rules": true}]});
    let permissions = format!("/v1/members/{}/permissions", id.as_str().unwrap());
    setup.owner.change(&permissions, held).await;
    let body = json!({"keys": ["a"], "action": "enable", "env_id": "dev"});
    let answer = edit(&setup, &developer, body).await;
    let refused = Some("insufficient permissions for this environment");
    assert_eq!(results(&answer), [("a", 403, refused)]);
}

#[tokio::test]
async fn a_custom_role_needs_the_key_of_the_single_write() {
    let setup = with_flags(&["a"]).await;
    setup.app.set_plan(&setup.owner, "enterprise").await;
    let developer = setup.app.member(&setup.owner, "developer").await;
    setup
        .app
        .hold_to(&setup.owner, &developer, &["flags.update"])
        .await;
    let tag = json!({"keys": ["a"], "action": "tag", "tag": "t"});
    edit(&setup, &developer, tag).await;
    for body in [
        json!({"keys": ["a"], "action": "enable", "env_id": "dev"}),
        json!({"keys": ["a"], "action": "promote", "env_id": "dev", "target_env_id": "staging"}),
        json!({"keys": ["a"], "action": "archive"}),
        json!({"keys": ["a"], "action": "restore"}),
    ] {
        let refused = developer.post(&path(&setup), body).await;
        refused.expect_error(403, "insufficient permissions");
    }
}

#[tokio::test]
async fn a_bad_edit_changes_nothing() {
    let setup = with_flags(&["a"]).await;
    let many: Vec<_> = (0..101).map(|number| number.to_string()).collect();
    for (body, message) in [
        (json!({}), "keys is required"),
        (json!({"keys": [], "action": "archive"}), "keys is required"),
        (
            json!({"keys": many, "action": "archive"}),
            "keys must have at most 100 items",
        ),
        (json!({"keys": ["a"]}), "action is required"),
        (
            json!({"keys": ["a"], "action": "kill"}),
            "action must be one of enable, disable, tag, untag, promote, archive, restore",
        ),
        (
            json!({"keys": ["a"], "action": "enable"}),
            "env_id is required",
        ),
        (
            json!({"keys": ["a"], "action": "promote", "env_id": "dev"}),
            "target_env_id is required",
        ),
        (
            json!({"keys": ["a"], "action": "promote", "env_id": "dev", "target_env_id": setup.project.dev}),
            "env_id and target_env_id must differ",
        ),
        (json!({"keys": ["a"], "action": "tag"}), "tag is required"),
        (
            json!({"keys": ["a"], "action": "tag", "tag": "x".repeat(65)}),
            "a tag must have at most 64 characters",
        ),
    ] {
        let refused = setup.owner.post(&path(&setup), body).await;
        refused.expect_error(400, message);
    }
    let unknown = json!({"keys": ["a"], "action": "enable", "env_id": "nowhere"});
    let refused = setup.owner.post(&path(&setup), unknown).await;
    refused.expect_error(404, "environment not found");
}

#[tokio::test]
async fn each_flag_counts_as_a_request_of_the_rate() {
    let app = harness::App::start_with(&[("RATE_MANAGEMENT", "100")]).await;
    // One that leaves no room for all changes nothing.
    let busy = app.signup("globex").await;
    let flags = format!("/v1/projects/{}/flags", busy.default_project().await.id);
    busy.create(&flags, json!({"key": "f0", "name": "F"})).await;
    let keys: Vec<_> = (0..100).map(|number| format!("f{number}")).collect();
    let body = json!({"keys": keys, "action": "tag", "tag": "shop"});
    let path = flags.replace("/flags", "/bulk");
    let refused = busy.post(&path, body).await;
    refused.expect_error(429, "rate limit exceeded");
    let shown = busy.get(&format!("{flags}/f0")).await;
    assert_eq!(shown.body["tags"], json!([]));

    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let keys: Vec<_> = (0..97).map(|number| format!("f{number}")).collect();
    let body = json!({"keys": keys, "action": "archive"});
    let path = format!("/v1/projects/{}/bulk", project.id);
    owner.post(&path, body.clone()).await.expect_status(200);
    owner.post(&path, body).await.expect_status(429);
}
