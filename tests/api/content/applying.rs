//! Applying definitions: what becomes of them, and what edges and the audit log get.

use harness::{App, Setup, eventually};
use serde_json::{Value, json};

use super::{applied, apply_at, counts, nothing, path, version, whole, with_content};
use crate::publish::replica::Replica;

#[tokio::test]
async fn the_definitions_of_a_project_come_back_into_an_empty_one() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    app.set_plan(&owner, "enterprise").await;
    let production = format!("/v1/projects/{}/environments/production", project.id);
    let guard = json!({"protected": true, "required_approvals": 2});
    owner.change(&production, guard).await;
    let (all, _) = whole(&owner, &project.id, 500).await;

    let empty = owner.create("/v1/projects", json!({"name": "Empty"})).await;
    let empty = empty.text("/id");
    let before = version(&owner, &empty).await;
    let made = owner.act(&path(&empty), all.clone()).await;
    let created = json!({"environments": 3, "segments": 2, "flags": 4, "states": 5});
    let expected = applied(before + 1, [created, nothing(), nothing()], 0);
    made.expect(200, expected);
    assert_eq!(made.header("etag"), format!("\"{}\"", before + 1));
    assert_eq!(made.header("x-snapshot-version"), (before + 1).to_string());
    assert_eq!(whole(&owner, &empty, 500).await.0, all);

    // Once more it is there already.
    let same = owner.act(&path(&empty), all.clone()).await;
    let unchanged = applied(before + 1, [nothing(), nothing(), nothing()], 14);
    same.expect(200, unchanged);
}

#[tokio::test]
async fn what_is_given_is_created_changed_and_removed_as_one_change() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let edge = Replica::follow(&app.publisher);
    eventually("the edge holds all environments", async || {
        (edge.digests().len() == 3).then_some(())
    })
    .await;
    let before = version(&owner, &project.id).await;
    let body = json!({
        "environments": [{"slug": "dev", "color": "#ABCDEF"}],
        "segments": [{"key": "all", "match_type": "any"}, {"key": "beta", "name": "Beta"}],
        "flags": [
            {"key": "checkout", "name": "Pay", "prerequisites": [], "states": {
                "dev": {"enabled": false}, "staging": {"enabled": true}, "production": {"enabled": false},
            }},
            {"key": "new", "name": "New", "states": {"dev": {"enabled": true}}},
            {"key": "gone", "archived": false},
            {"key": "test", "archived": true},
        ],
        "remove": {"flags": ["base", "unknown"], "segments": ["unknown"], "environments": ["unknown"]},
        "comment": "tidy up",
    });
    // It is on in dev.
    let refused = owner.post(&path(&project.id), body.clone()).await;
    let message =
        "flag is switched on in dev: archive it, which can be undone, or switch it off there first";
    refused.expect_error(409, message);
    assert_eq!(version(&owner, &project.id).await, before);
    let base = format!("/v1/projects/{}/flags/base", project.id);
    owner
        .change(
            &format!("{base}/environments/dev"),
            json!({"enabled": false}),
        )
        .await;

    let (deltas, entries) = (edge.deltas().len(), audited(&owner).await.len());
    let done = owner.act(&path(&project.id), body).await;
    let mut expected = applied(
        before + 2,
        [
            json!({"flags": 1, "states": 2}),
            json!({"environments": 1, "segments": 1, "flags": 3, "states": 1}),
            json!({"flags": 1}),
        ],
        2,
    );
    expected["warnings"] = json!([]);
    done.expect(200, expected);
    eventually("one delta for each environment", async || {
        (edge.deltas().len() == deltas + 3).then_some(())
    })
    .await;
    for env in [&project.dev, &project.staging, &project.production] {
        let head = edge.environment(env).unwrap().head;
        assert_eq!(i64::try_from(head.version).unwrap(), before + 2);
    }
    let all = audited(&owner).await;
    let mut actions: Vec<_> = all[..all.len() - entries]
        .iter()
        .map(|entry| {
            assert_eq!(entry["metadata"]["comment"], "tidy up");
            entry["action"].as_str().unwrap()
        })
        .collect();
    actions.sort_unstable();
    assert_eq!(
        actions,
        [
            "environment.updated",
            "flag.archived",
            "flag.created",
            "flag.deleted",
            "flag.restored",
            "flag.state_updated",
            "flag.state_updated",
            "flag.state_updated",
            "flag.updated",
            "segment.updated",
        ]
    );
    let (now, _) = whole(&owner, &project.id, 500).await;
    let keys: Vec<_> = now["flags"]
        .as_array()
        .unwrap()
        .iter()
        .map(|flag| (flag["key"].as_str().unwrap(), flag["archived"] == true))
        .collect();
    let expected = [
        ("checkout", false),
        ("gone", false),
        ("new", false),
        ("test", true),
    ];
    assert_eq!(keys, expected);
    assert_eq!(now["flags"][0]["states"]["dev"]["rules"][0]["id"], "r1");
}

/// All audit entries, the newest first.
async fn audited(owner: &harness::User) -> Vec<Value> {
    let page = owner.get("/v1/audit?limit=100").await;
    page.body["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_flag_that_is_restored_and_changed_has_each_in_its_history() {
    let Setup {
        app: _app,
        owner,
        project,
    } = with_content().await;
    let flags = json!([
        {"key": "gone", "archived": false, "name": "Back", "states": {"dev": {"enabled": false}}},
        {"key": "checkout", "archived": true, "name": "Pay"},
    ]);
    owner.act(&path(&project.id), json!({"flags": flags})).await;
    for (key, expected) in [
        (
            "gone",
            &["flag.state_updated", "flag.updated", "flag.restored"][..],
        ),
        ("checkout", &["flag.archived", "flag.updated"]),
    ] {
        let history = format!("/v1/projects/{}/flags/{key}/history", project.id);
        let history = owner.get(&history).await;
        let items = history.body["data"].as_array().unwrap();
        let mut actions: Vec<_> = items[..expected.len()]
            .iter()
            .map(|item| item["action"].as_str().unwrap())
            .collect();
        let mut expected = expected.to_vec();
        actions.sort_unstable();
        expected.sort_unstable();
        assert_eq!(actions, expected, "{key}");
    }
    let gone = format!("/v1/projects/{}/flags/gone", project.id);
    assert_eq!(owner.get(&gone).await.body["name"], "Back");
}

#[tokio::test]
async fn a_call_that_changes_nothing_draws_and_records_nothing() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let (all, _) = whole(&owner, &project.id, 500).await;
    let before = app.contents().await;
    let same = owner.act(&path(&project.id), all).await;
    let now = version(&owner, &project.id).await;
    same.expect(200, applied(now, [nothing(), nothing(), nothing()], 14));
    owner.act(&path(&project.id), json!({})).await;
    assert_eq!(app.contents().await, before);
}

#[tokio::test]
async fn a_dry_run_answers_the_same_and_changes_nothing() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let body = json!({
        "environments": [{"slug": "dev", "name": "D"}],
        "segments": [{"key": "beta", "rules": []}],
        "flags": [{"key": "new", "name": "New", "prerequisites": ["none"], "archived": true,
                   "states": {"dev": {"percentage_rollout": 50}}}],
        "remove": {"segments": ["all"]},
    });
    let before = app.contents().await;
    let path = path(&project.id);
    let tried = owner
        .act(&format!("{path}?dry_run=true"), body.clone())
        .await;
    assert_eq!(app.contents().await, before);
    let now = version(&owner, &project.id).await;
    let mut expected = applied(
        now,
        [
            json!({"flags": 1, "states": 1}),
            json!({"environments": 1, "segments": 1}),
            json!({"segments": 1}),
        ],
        0,
    );
    expected["warnings"] = json!([
        {"place": "flags.new.prerequisites", "message": "no flag has the key none"},
        {"place": "flags.new.states.dev.percentage_rollout", "message": "50 is 0.5 %, and 5000 is 50 %"},
    ]);
    tried.expect(200, expected.clone());
    let done = apply_at(&owner, &path, now, &body).await;
    expected["version"] = json!(now + 1);
    done.expect(200, expected);
}

#[tokio::test]
async fn unknown_fields_are_warned_about_and_refused_inside_rules() {
    let Setup {
        app: _app,
        owner,
        project,
    } = Setup::new().await;
    let flag =
        |state: Value| json!({"flags": [{"key": "f", "name": "F", "states": {"dev": state}}]});
    let path = path(&project.id);
    let done = owner.act(&path, flag(json!({"enabeld": true}))).await;
    assert_eq!(
        done.body["warnings"],
        json!([{
            "place": "flags[0].states.dev.enabeld",
            "message": "unknown field flags[0].states.dev.enabeld; did you mean enabled?",
        }])
    );
    let refused = owner
        .post(&path, flag(json!({"rules": [{"segmentKeys": ["a"]}]})))
        .await;
    let message =
        "flags[0].states.dev.rules[0].segmentKeys is no field; did you mean segment_keys?";
    refused.expect_error(400, message);
}

#[tokio::test]
async fn what_ends_is_warned_about_by_those_who_require_it() {
    let Setup {
        app: _app,
        owner,
        project,
    } = with_content().await;
    let path = path(&project.id);
    let archived = json!({"flags": [{"key": "base", "archived": true}]});
    let done = owner.act(&path, archived).await;
    assert_eq!(
        done.body["warnings"],
        json!([{"place": "flags.base", "message": "required by checkout"}])
    );
    assert_eq!(done.body["updated"], counts(&json!({"flags": 1})));
}

#[tokio::test]
async fn webhooks_are_told_of_each_thing() {
    let (app, owner) = App::with_proven_owner().await;
    let project = owner.default_project().await;
    let hook = json!({"name": "W", "url": "https://192.0.2.1"});
    owner.create("/v1/webhooks", hook).await;
    let flags = json!([{"key": "a", "name": "A"}, {"key": "b", "name": "B"}]);
    owner.act(&path(&project.id), json!({"flags": flags})).await;
    let queued =
        "SELECT (SELECT count(*) FROM webhook_events) + (SELECT count(*) FROM webhook_queue)";
    let told: i64 = app.value(queued, &[]).await;
    assert_eq!(told, 2);
}
