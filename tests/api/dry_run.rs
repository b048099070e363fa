//! `?dry_run=true`: the changes are listed, and none is made.

use futures_util::future::join_all;
use harness::{Response, Setup, User};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};

/// A flag `f` that is on in `dev`, and its path.
async fn with_flag() -> (Setup, String) {
    let setup = Setup::new().await;
    let flag = json!({"key": "f", "name": "F"});
    setup.owner.create(&setup.flags(), flag).await;
    let path = format!("{}/f", setup.flags());
    let state = json!({"enabled": true, "percentage_rollout": 2_500});
    setup
        .owner
        .change(&state_in(&path, &setup.project.dev), state)
        .await;
    (setup, path)
}

fn state_in(flag: &str, env_id: &str) -> String {
    format!("{flag}/environments/{env_id}")
}

fn promotion(setup: &Setup) -> Value {
    json!({"source_env_id": setup.project.dev, "target_env_id": setup.project.staging})
}

/// The answer of a dry run with one change.
fn planned(change: Value) -> Value {
    json!({"dry_run": true, "changes": [change], "total": 1})
}

/// A change of the state of `f`.
fn of_state(env_id: &str, slug: &str, changed: &[&str], before: Value, after: Value) -> Value {
    json!({
        "flag_key": "f", "segment_key": null, "env_id": env_id, "env_slug": slug,
        "changed": changed, "before": before, "after": after,
    })
}

/// Asks for approval to switch the flag off in `dev`; returns the path of the review.
async fn asked(setup: &Setup) -> (User, String) {
    let developer = setup.app.member(&setup.owner, "developer").await;
    let asked = json!({"flag_key": "f", "env_id": setup.project.dev, "change_type": "disable"});
    let asked = developer.create("/v1/approvals", asked).await;
    let review = format!("/v1/approvals/{}/review", asked.text("/id"));
    (developer, review)
}

fn switched_off(setup: &Setup) -> Value {
    let (before, after) = (json!({"enabled": true}), json!({"enabled": false}));
    of_state(&setup.project.dev, "dev", &["enabled"], before, after)
}

#[tokio::test]
async fn promoting_lists_the_changes_of_the_target_and_changes_nothing() {
    let (setup, flag) = with_flag().await;
    let before = setup.app.contents().await;
    let (path, body) = (format!("{flag}/promote"), promotion(&setup));
    let tried = setup
        .owner
        .act(&format!("{path}?dry_run=true"), body.clone())
        .await;
    let after = json!({"enabled": true, "percentage_rollout": 2_500});
    let changed = ["enabled", "percentage_rollout"];
    let staging = &setup.project.staging;
    let change = of_state(staging, "staging", &changed, Value::Null, after.clone());
    tried.expect(200, planned(change));
    for name in ["etag", "x-snapshot-version"] {
        assert!(!tried.headers.contains_key(name), "{name}");
    }
    assert_eq!(setup.app.contents().await, before);

    let done = setup.owner.act(&path, body).await;
    for field in changed {
        assert_eq!(done.body[field], after[field]);
    }
    // Promoted again it changes nothing.
    let nothing = setup
        .owner
        .act(&format!("{path}?dry_run=true"), promotion(&setup))
        .await;
    nothing.expect(200, json!({"dry_run": true, "changes": [], "total": 0}));
}

#[tokio::test]
async fn approving_lists_the_changes_and_the_request_stays_pending() {
    let (setup, _) = with_flag().await;
    let (_, review) = asked(&setup).await;
    let before = setup.app.contents().await;
    let body = json!({"action": "approve"});
    let tried = setup
        .owner
        .act(&format!("{review}?dry_run=true"), body.clone())
        .await;
    tried.expect(200, planned(switched_off(&setup)));
    let rejected = json!({"action": "reject"});
    let rejected = setup
        .owner
        .act(&format!("{review}?dry_run=true"), rejected)
        .await;
    rejected.expect(200, json!({"dry_run": true, "changes": [], "total": 0}));
    assert_eq!(setup.app.contents().await, before);
    let applied = setup.owner.act(&review, body).await;
    assert_eq!(applied.body["status"], "applied");
}

#[tokio::test]
async fn states_flags_segments_and_rollbacks_can_be_tried() {
    let (setup, flag) = with_flag().await;
    let segment = format!("{}/s", setup.segments());
    let made = json!({"key": "s", "name": "S", "rules": []});
    setup.owner.create(&setup.segments(), made).await;
    let dev = state_in(&flag, &setup.project.dev);
    setup.owner.change(&dev, json!({"enabled": false})).await;
    let before = setup.app.contents().await;

    let named = |flag: Value, segment: Value| {
        json!({
            "flag_key": flag, "segment_key": segment, "env_id": null, "env_slug": null, "changed": ["name"],
            "before": {"name": if segment.is_null() { "F" } else { "S" }}, "after": {"name": "Other"},
        })
    };
    let back = json!({"env_id": setup.project.dev, "version": 2});
    let switched_on = of_state(
        &setup.project.dev,
        "dev",
        &["enabled"],
        json!({"enabled": false}),
        json!({"enabled": true}),
    );
    for (method, path, body, change) in [
        (
            Method::PUT,
            &dev,
            json!({"enabled": true}),
            switched_on.clone(),
        ),
        (
            Method::PUT,
            &flag,
            json!({"name": "Other"}),
            named(json!("f"), Value::Null),
        ),
        (
            Method::PUT,
            &segment,
            json!({"name": "Other"}),
            named(Value::Null, json!("s")),
        ),
        (Method::POST, &format!("{flag}/rollback"), back, switched_on),
    ] {
        let request = setup
            .owner
            .request(method, &format!("{path}?wait=edges&dry_run=true"));
        let tried = setup.owner.send(request.json(&body)).await;
        tried.expect(200, planned(change));
    }
    assert_eq!(setup.app.contents().await, before);
}

#[tokio::test]
async fn a_dry_run_is_refused_as_the_write_is() {
    let (setup, flag) = with_flag().await;
    let (app, owner) = (&setup.app, &setup.owner);
    let promote = format!("{flag}/promote?dry_run=true");
    let viewer = app.member(owner, "viewer").await;
    let refused = viewer.post(&promote, promotion(&setup)).await;
    refused.expect_error(403, "insufficient permissions");
    let same = json!({"source_env_id": setup.project.dev, "target_env_id": setup.project.dev});
    let refused = owner.post(&promote, same).await;
    refused.expect_error(400, "source_env_id and target_env_id must differ");
    let request = owner
        .request(Method::POST, &promote)
        .header("if-match", "\"99\"");
    let refused = owner.send(request.json(&promotion(&setup))).await;
    refused.expect_error(412, "changed meanwhile");
    let missing = format!("{}/no/promote?dry_run=true", setup.flags());
    let missing = owner.post(&missing, promotion(&setup)).await;
    missing.expect_error(404, "flag not found");

    let (developer, review) = asked(&setup).await;
    let (path, body) = (
        format!("{review}?dry_run=true"),
        json!({"action": "approve"}),
    );
    let refused = developer.post(&path, body.clone()).await;
    refused.expect_error(403, "insufficient permissions");
    owner.act(&review, body.clone()).await;
    let refused = owner.post(&path, body).await;
    refused.expect_error(409, "approval request is not pending");
}

#[tokio::test]
async fn a_dry_run_has_the_warnings_of_the_write() {
    let (setup, flag) = with_flag().await;
    let path = format!("{}?dry_run=true", state_in(&flag, &setup.project.dev));
    let body = json!({"percentage_rollout": 25});
    let tried = setup.owner.change(&path, body.clone()).await;
    let message = "25 is 0.25 %, and 2500 is 25 %";
    let warnings = json!([{"place": "percentage_rollout", "message": message}]);
    assert_eq!(
        tried.header("x-warnings"),
        format!("percentage_rollout: {message}")
    );
    let (before, after) = (json!({"percentage_rollout": 2_500}), body.clone());
    let change = of_state(
        &setup.project.dev,
        "dev",
        &["percentage_rollout"],
        before,
        after,
    );
    let tried = tried.without_warnings(&warnings);
    tried.expect(200, planned(change));
    let request = setup.owner.request(Method::PUT, &path);
    let request = request.header("prefer", "handling=strict").json(&body);
    let refused = setup.owner.send(request).await;
    refused.expect_status(400);
}

#[tokio::test]
async fn a_dry_run_that_is_neither_true_nor_false_is_400() {
    let (setup, flag) = with_flag().await;
    let before = setup.app.contents().await;
    for query in [
        "dry_run",
        "dry_run=1",
        "dry_run=TRUE",
        "dry_run=true&dry_run=x",
    ] {
        let path = format!("{flag}/promote?{query}");
        let refused = setup.owner.post(&path, promotion(&setup)).await;
        refused.expect_error(400, "dry_run must be true or false");
    }
    assert_eq!(setup.app.contents().await, before);
    let path = format!("{flag}/promote?dry_run=false");
    let done = setup.owner.act(&path, promotion(&setup)).await;
    assert_eq!(done.body["enabled"], true);
}

#[tokio::test]
async fn a_dry_run_of_another_write_is_an_unknown_parameter() {
    let (setup, flag) = with_flag().await;
    let before = setup.app.contents().await;
    let kill = json!({"env_id": setup.project.dev});
    let kill = setup
        .owner
        .post(&format!("{flag}/kill?dry_run=true"), kill)
        .await;
    let deleted = setup.owner.delete(&format!("{flag}?dry_run=true")).await;
    let made = json!({"key": "g", "name": "G"});
    let made = setup
        .owner
        .post(&format!("{}?dry_run=true", setup.flags()), made)
        .await;
    for refused in [&kill, &deleted, &made] {
        refused.expect_error(400, "unknown query parameter dry_run");
    }
    assert_eq!(setup.app.contents().await, before);
}

/// Writes and dry runs of the same state at the same time.
#[tokio::test]
async fn dry_runs_beside_writes_draw_no_versions() {
    let (setup, flag) = with_flag().await;
    let version = async || -> i64 {
        let statement = "SELECT version FROM projects WHERE id = $1::uuid";
        setup.app.value(statement, &[&setup.project.id]).await
    };
    let before = version().await;
    let state = state_in(&flag, &setup.project.dev);
    let requests = (1..=12).map(|number| {
        let query = if number % 2 == 0 { "" } else { "?dry_run=true" };
        let (owner, path) = (&setup.owner, format!("{state}{query}"));
        async move {
            owner
                .change(&path, json!({"percentage_rollout": 1_000 + number}))
                .await
        }
    });
    let answers: Vec<Response> = join_all(requests).await;
    let done = answers
        .iter()
        .filter(|answer| answer.body.get("dry_run").is_none());
    assert_eq!(done.count(), 6);
    assert_eq!(version().await, before + 6);
    let stored = setup.owner.get(&state).await;
    let stored = stored.body["percentage_rollout"].as_i64().unwrap();
    assert_eq!(stored % 2, 0, "{stored}");
}

#[tokio::test]
async fn a_dry_run_waits_for_the_lock_and_sees_what_changed_meanwhile() {
    let (setup, flag) = with_flag().await;
    let mut session: PgConnection = setup.app.session().await;
    let mut transaction = session.begin().await.unwrap();
    setup.lock_project(&mut transaction).await;
    let path = format!("{}?dry_run=true", state_in(&flag, &setup.project.dev));
    let trying = setup.owner.change(&path, json!({"enabled": false}));
    let changing = async {
        setup.app.until_waiting_for_locks(1).await;
        for changes in [
            "UPDATE flag_states SET enabled = false WHERE percentage_rollout = 2500",
            "UPDATE projects SET version = version + 1",
        ] {
            sqlx::query(changes)
                .execute(&mut *transaction)
                .await
                .unwrap();
        }
        transaction.commit().await.unwrap();
    };
    let (tried, ()) = tokio::join!(trying, changing);
    tried.expect(200, json!({"dry_run": true, "changes": [], "total": 0}));
}
