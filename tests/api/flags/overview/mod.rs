//! Flags with what they do in each environment.

mod refusals;

use harness::Setup;
use harness::user::DefaultProject;
use serde_json::{Value, json};

fn path(setup: &Setup, query: &str) -> String {
    format!("/v1/projects/{}/overview{query}", setup.project.id)
}

async fn flag(setup: &Setup, body: Value) {
    let path = format!("/v1/projects/{}/flags", setup.project.id);
    setup.owner.create(&path, body).await;
}

async fn flags(setup: &Setup, keys: &[&str]) {
    for key in keys {
        flag(setup, json!({"key": key, "name": format!("Flag {key}")})).await;
    }
}

async fn state(setup: &Setup, key: &str, env_id: &str, body: Value) -> Value {
    let path = format!(
        "/v1/projects/{}/flags/{key}/environments/{env_id}",
        setup.project.id
    );
    let answer = setup.owner.put(&path, body).await;
    answer.expect_status(200).body.clone()
}

/// The keys of a page, in its order.
async fn keys(setup: &Setup, query: &str) -> Vec<String> {
    let answer = setup.owner.get(&path(setup, query)).await;
    let rows = answer.expect_status(200).body["data"].as_array().unwrap();
    let keys = rows
        .iter()
        .map(|row| row["key"].as_str().unwrap().to_owned());
    keys.collect()
}

async fn refused(setup: &Setup, query: &str, status: u16, message: &str) {
    let answer = setup.owner.get(&path(setup, query)).await;
    answer.expect_error(status, message);
}

#[tokio::test]
async fn it_shows_flags_with_their_states_environments_and_tags() {
    let setup = Setup::new().await;
    flag(
        &setup,
        json!({"key": "a", "name": "A", "tags": ["web", "beta"]}),
    )
    .await;
    flag(
        &setup,
        json!({"key": "b", "name": "B", "flag_type": "string", "tags": ["web"]}),
    )
    .await;
    let DefaultProject {
        dev,
        staging,
        production,
        ..
    } = &setup.project;
    let at = "2026-12-24T08:00:00Z";
    let rule = json!({"segment_keys": ["s"], "percentage": 10_000, "value": true});
    let body = json!({"enabled": true, "rules": [rule], "percentage_rollout": 2_500, "scheduled_disable_at": at});
    state(&setup, "a", dev, body).await;
    state(
        &setup,
        "a",
        production,
        json!({"percentage_rollout": 10_000}),
    )
    .await;
    let flags = format!("/v1/projects/{}/flags/a", setup.project.id);
    let flag_id = setup.owner.get(&flags).await.text("/id");
    let approval = json!({"flag_id": flag_id, "env_id": production, "change_type": "enable"});
    setup.owner.create("/v1/approvals", approval).await;

    let answer = setup.owner.get(&path(&setup, "")).await;
    let version = |env_id: &str| {
        let states = &answer.body["data"][0]["states"][env_id];
        states["version"].as_i64().unwrap()
    };
    let environment = |index: usize, id: &str, name: &str, slug: &str| {
        let shown = &answer.body["environments"][index];
        json!({"id": id, "name": name, "slug": slug, "color": shown["color"], "protected": false,
               "version": shown["version"]})
    };
    let flag = |key: &str, name: &str, flag_type: &str, tags: Value, states: Value| {
        json!({"id": "[uuid]", "key": key, "name": name, "flag_type": flag_type, "tags": tags, "permanent": false,
               "owner": null, "stale": false, "created_at": "[time]", "updated_at": "[time]", "last_evaluated_at": null, "states": states})
    };
    let author = json!({"id": setup.owner.id, "name": "Owner"});
    let states = json!({
        dev: {"enabled": true, "rules": 1, "percentage_rollout": 2_500, "variants": 0, "scheduled_enable_at": null,
              "scheduled_disable_at": at, "pending_approvals": 0, "version": version(dev), "updated_at": "[time]", "updated_by": author},
        production: {"enabled": false, "rules": 0, "percentage_rollout": 10_000, "variants": 0, "scheduled_enable_at": null,
                     "scheduled_disable_at": null, "pending_approvals": 1, "version": version(production),
                     "updated_at": "[time]", "updated_by": author},
    });
    answer.expect(
        200,
        json!({
            "data": [
                flag("a", "A", "boolean", json!(["web", "beta"]), states),
                flag("b", "B", "string", json!(["web"]), json!({})),
            ],
            "environments": [
                environment(0, dev, "Development", "dev"),
                environment(1, staging, "Staging", "staging"),
                environment(2, production, "Production", "production"),
            ],
            "tags": [{"tag": "web", "count": 2}, {"tag": "beta", "count": 1}],
            "total": 2, "limit": 50, "offset": 0, "has_more": false,
        }),
    );
    assert!(version(dev) < version(production));
}

#[tokio::test]
async fn pages_follow_each_other_in_the_order_that_is_asked_for() {
    let setup = Setup::new().await;
    flags(&setup, &["b", "c", "a"]).await;
    assert_eq!(keys(&setup, "").await, ["b", "c", "a"]);
    assert_eq!(keys(&setup, "?order=desc").await, ["a", "c", "b"]);
    assert_eq!(keys(&setup, "?sort=key").await, ["a", "b", "c"]);
    assert_eq!(keys(&setup, "?sort=name&order=desc").await, ["c", "b", "a"]);
    assert_eq!(keys(&setup, "?sort=key&limit=2&offset=1").await, ["b", "c"]);
    let behind = setup.owner.get(&path(&setup, "?offset=9")).await;
    assert_eq!(
        (&behind.body["total"], &behind.body["has_more"]),
        (&json!(3), &json!(false))
    );

    let path = format!("/v1/projects/{}/flags/c", setup.project.id);
    setup.app.clock.advance(std::time::Duration::from_secs(1));
    setup.owner.change(&path, json!({"name": "Changed"})).await;
    assert_eq!(keys(&setup, "?sort=updated_at&order=desc").await[0], "c");
}

#[tokio::test]
async fn what_nobody_asked_for_comes_last_in_both_directions() {
    let setup = Setup::new().await;
    flags(&setup, &["a", "b", "c"]).await;
    for (key, minutes) in [("b", "2"), ("c", "1")] {
        setup.app.execute(
            "INSERT INTO evaluation_counters (org_id, env_id, flag_key, reason, count, first_seen_at, last_seen_at)
             VALUES ($1::uuid, $2::uuid, $3, 'FALLTHROUGH', 1, now(), timestamptz '2026-03-01 10:00:42Z' - $4::integer * interval '1 minute')",
            &[&setup.owner.org_id, &setup.project.dev, key, minutes],
        )
        .await;
    }
    let sorted =
        async |order| keys(&setup, &format!("?sort=last_evaluated_at&order={order}")).await;
    assert_eq!(sorted("asc").await, ["b", "c", "a"]);
    assert_eq!(sorted("desc").await, ["c", "b", "a"]);
    let first = setup
        .owner
        .get(&path(&setup, "?sort=last_evaluated_at"))
        .await;
    assert_eq!(
        first.text("/data/0/last_evaluated_at"),
        "2026-03-01T09:58:00Z"
    );
}

#[tokio::test]
async fn texts_are_looked_for_literally_and_in_any_case() {
    let setup = Setup::new().await;
    flag(
        &setup,
        json!({"key": "checkout", "name": "New checkout", "description": "100% of carts"}),
    )
    .await;
    flag(
        &setup,
        json!({"key": "search", "name": "Search", "tags": ["Team-CHECK"]}),
    )
    .await;
    flag(&setup, json!({"key": "other", "name": "Ümlaut"})).await;
    for (text, found) in [
        ("CHECK", &["checkout", "search"][..]),
        ("new%20check", &["checkout"]),
        ("0%25%20of", &["checkout"]),
        ("%25", &["checkout"]),
        ("_", &[]),
        ("%C3%9Cmlaut", &["other"]),
        ("", &["checkout", "search", "other"]),
        ("carts%20NEW", &["checkout"]),
        ("team%20search", &["search"]),
        ("new%20search", &[]),
        ("%20%20", &["checkout", "search", "other"]),
    ] {
        assert_eq!(keys(&setup, &format!("?q={text}")).await, found, "{text}");
    }
}

#[tokio::test]
async fn a_request_for_approval_shows_where_no_state_was_ever_stored() {
    let setup = Setup::new().await;
    flags(&setup, &["a"]).await;
    let production = &setup.project.production;
    let approval = json!({"flag_key": "a", "env_id": production, "change_type": "enable"});
    setup.owner.create("/v1/approvals", approval).await;
    let shown = setup.owner.get(&path(&setup, "")).await;
    let row = &shown.body["data"][0];
    let waiting = json!({"enabled": false, "rules": 0, "percentage_rollout": null, "variants": 0, "scheduled_enable_at": null,
                         "scheduled_disable_at": null, "pending_approvals": 1, "version": 0, "updated_at": row["created_at"],
                         "updated_by": null});
    assert_eq!(row["states"], json!({production: waiting}));
}

#[tokio::test]
async fn filters_are_met_together() {
    let setup = Setup::new().await;
    flag(&setup, json!({"key": "a", "name": "A", "tags": ["x"]})).await;
    flag(
        &setup,
        json!({"key": "b", "name": "B", "tags": ["x"], "flag_type": "number"}),
    )
    .await;
    flag(
        &setup,
        json!({"key": "c", "name": "C", "flag_type": "number"}),
    )
    .await;
    assert_eq!(keys(&setup, "?tag=x").await, ["a", "b"]);
    assert_eq!(keys(&setup, "?type=number").await, ["b", "c"]);
    assert_eq!(keys(&setup, "?type=number&tag=x").await, ["b"]);
    assert_eq!(keys(&setup, "?stale=true").await, [""; 0]);
    assert_eq!(keys(&setup, "?stale=false&type=number&q=C").await, ["c"]);
}

/// As if all that happened so far had happened days earlier: sessions do not last that long.
async fn let_days_pass(setup: &Setup, days: i32) {
    for (table, columns) in [
        ("flags", &["created_at", "updated_at"][..]),
        ("flag_states", &["updated_at"]),
        ("evaluation_counters", &["last_seen_at"]),
    ] {
        let earlier = columns
            .iter()
            .map(|column| format!("{column} = {column} - make_interval(days => $1)"));
        let earlier = earlier.collect::<Vec<_>>().join(", ");
        sqlx::query(sqlx::AssertSqlSafe(format!("UPDATE {table} SET {earlier}")))
            .bind(days)
            .execute(setup.app.pool())
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn a_flag_is_stale_after_30_days_without_evaluation_and_change() {
    let setup = Setup::new().await;
    flags(&setup, &["unused", "asked", "switched", "renamed"]).await;
    let body = json!({"key": "kept", "name": "Kept", "permanent": true});
    flag(&setup, body).await;
    let_days_pass(&setup, 30).await;
    assert_eq!(keys(&setup, "?stale=true").await, [""; 0]);
    sqlx::query(
        "INSERT INTO evaluation_counters (org_id, env_id, flag_key, reason, count, first_seen_at, last_seen_at)
         VALUES ($1::uuid, $2::uuid, 'asked', 'DISABLED', 1, $3, $3)",
    )
    .bind(&setup.owner.org_id)
    .bind(&setup.project.production)
    .bind(setup.app.clock.now())
    .execute(setup.app.pool())
    .await
    .unwrap();
    state(
        &setup,
        "switched",
        &setup.project.dev,
        json!({"enabled": true}),
    )
    .await;
    let flags = format!("/v1/projects/{}/flags", setup.project.id);
    let path_of = |key: &str| format!("{flags}/{key}");
    let renamed = json!({"name": "New"});
    setup.owner.change(&path_of("renamed"), renamed).await;
    let_days_pass(&setup, 1).await;
    assert_eq!(keys(&setup, "?stale=true").await, ["unused"]);
    let others = ["asked", "switched", "renamed", "kept"];
    assert_eq!(keys(&setup, "?stale=false").await, others);
    let page = setup.owner.get(&path(&setup, "")).await;
    let shown = |index: usize| {
        let row = &page.body["data"][index];
        (row["stale"].clone(), row["permanent"].clone())
    };
    assert_eq!(shown(0), (json!(true), json!(false)));
    assert_eq!(shown(1), (json!(false), json!(false)));
    assert_eq!(shown(4), (json!(false), json!(true)));
    let_days_pass(&setup, 30).await;
    assert_eq!(
        keys(&setup, "?stale=true").await,
        ["unused", "asked", "switched", "renamed"]
    );
    let permanent = json!({"permanent": true});
    setup.owner.change(&path_of("unused"), permanent).await;
    let_days_pass(&setup, 40).await;
    assert_eq!(
        keys(&setup, "?stale=true").await,
        ["asked", "switched", "renamed"]
    );
}

#[tokio::test]
async fn states_are_told_apart_in_an_environment_and_in_any() {
    let setup = Setup::new().await;
    flags(
        &setup,
        &["on", "rules", "rollout", "off", "scheduled", "never"],
    )
    .await;
    let dev = setup.project.dev.clone();
    let rule = json!({"segment_keys": ["s"], "percentage": 10_000, "value": true});
    for (key, body) in [
        ("on", json!({"enabled": true, "percentage_rollout": 10_000})),
        ("rules", json!({"enabled": true, "rules": [rule]})),
        ("rollout", json!({"enabled": true, "percentage_rollout": 0})),
        ("off", json!({"enabled": false})),
        (
            "scheduled",
            json!({"enabled": true, "scheduled_disable_at": "2026-12-24T08:00:00Z"}),
        ),
    ] {
        state(&setup, key, &dev, body).await;
    }
    let there = async |state: &str| keys(&setup, &format!("?state={state}&env_id={dev}")).await;
    assert_eq!(there("on").await, ["on", "scheduled"]);
    assert_eq!(there("partial").await, ["rules", "rollout"]);
    assert_eq!(there("off").await, ["off", "never"]);
    assert_eq!(there("scheduled").await, ["scheduled"]);
    assert_eq!(keys(&setup, "?state=on").await, ["on", "scheduled"]);
    // Each of them is off somewhere.
    assert_eq!(keys(&setup, "?state=off").await.len(), 6);
}

#[tokio::test]
async fn a_page_that_the_caller_has_is_not_sent_again() {
    let setup = Setup::new().await;
    flags(&setup, &["a"]).await;
    let first = setup.owner.get(&path(&setup, "")).await;
    let etag = first.header("etag").to_owned();
    assert!(etag.starts_with("W/\""), "{etag}");
    let again = async || {
        let request = setup.owner.request(reqwest::Method::GET, &path(&setup, ""));
        setup
            .owner
            .send(request.header("if-none-match", &etag))
            .await
    };
    let same = again().await;
    same.expect(304, Value::Null);
    assert_eq!(same.header("etag"), etag);
    state(&setup, "a", &setup.project.dev, json!({"enabled": true})).await;
    assert_ne!(again().await.expect_status(200).header("etag"), etag);
}
