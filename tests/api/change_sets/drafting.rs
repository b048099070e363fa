//! Drafts: what they show, and what is refused.

use harness::Setup;
use reqwest::Method;
use serde_json::{Value, json};

use super::{are_on, both_on, draft, path, step, with_flags};

#[tokio::test]
async fn a_draft_shows_what_it_does_thing_by_thing_and_changes_nothing() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let changes = json!({
        "segments": [{"key": "beta", "match_type": "any"}, {"key": "new", "name": "New", "rules": []}],
        "flags": [
            {"key": "checkout", "name": "Check-out", "states": {"dev": {"enabled": true, "percentage_rollout": 2_500}}},
        ],
        "remove": {"flags": ["payment", "unknown"]},
    });
    let body = json!({"name": "Launch", "description": "On Monday", "changes": changes});
    let drafted = owner.create(&path(&project.id), body).await;
    assert_eq!(drafted.header("etag"), "\"1\"");
    let removed = owner
        .get(&format!("/v1/projects/{}/content", project.id))
        .await
        .body["flags"][1]
        .clone();
    let thing = |kind: &str, key: &str, env: Value| json!({"kind": kind, "key": key, "env_slug": env, "action": "update"});
    let part = |mut thing: Value, version: Value, sides: [Value; 2], sentences: &[&str]| {
        let [before, after] = sides;
        let more =
            json!({"version": version, "before": before, "after": after, "sentences": sentences});
        thing
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        thing
    };
    let versions = |place: usize| drafted.body["parts"][place]["version"].clone();
    let mut new = thing("segment", "new", Value::Null);
    new["action"] = json!("create");
    let mut gone = thing("flag", "payment", Value::Null);
    gone["action"] = json!("remove");
    let parts = json!([
        part(
            thing("segment", "beta", Value::Null),
            versions(0),
            [json!({"match_type": "all"}), json!({"match_type": "any"})],
            &["Any condition is enough now"],
        ),
        part(
            new,
            json!(0),
            [
                Value::Null,
                json!({"key": "new", "name": "New", "description": "", "match_type": "all", "rules": []})
            ],
            &[],
        ),
        part(
            thing("flag", "checkout", Value::Null),
            versions(2),
            [json!({"name": "Checkout"}), json!({"name": "Check-out"})],
            &["Name: Checkout → Check-out"],
        ),
        part(
            thing("state", "checkout", json!("dev")),
            versions(3),
            [
                json!({"enabled": false, "percentage_rollout": null}),
                json!({"enabled": true, "percentage_rollout": 2_500}),
            ],
            &["Switched on", "Rollout: not set → 25%"],
        ),
        part(gone, versions(4), [removed, Value::Null], &[]),
    ]);
    let expected = json!({
        "id": "[uuid]", "project_id": project.id, "name": "Launch", "description": "On Monday", "status": "draft",
        "changes": changes, "parts": parts, "base_version": drafted.body["base_version"], "author_ids": [owner.id],
        "version": 1, "required_approvals": 0, "protected": [], "reviews": [], "apply_at": null, "scheduled_by": null,
        "applied_at": null, "applied_by": null, "applied_version": null, "failure": null, "undoes": null,
        "created_at": "[time]", "updated_at": "[time]",
    });
    drafted.expect(201, expected.clone());
    let set = format!("{}/{}", path(&project.id), drafted.text("/id"));
    owner.get(&set).await.expect(200, expected.clone());
    let mut listed = expected;
    (listed["changes"], listed["parts"]) = (Value::Null, Value::Null);
    let page = owner.get(&path(&project.id)).await;
    page.expect(
        200,
        json!({"data": [listed], "total": 1, "limit": 50, "offset": 0, "has_more": false}),
    );
    let none = owner
        .get(&format!("{}?status=applied", path(&project.id)))
        .await;
    assert_eq!(none.body["total"], 0);

    assert_eq!(are_on(&setup, "dev").await, [false, false]);
    let difference = owner.get(&format!("{set}/diff")).await;
    difference.expect(
        200,
        json!({
            "version": drafted.body["base_version"], "parts": drafted.body["parts"], "conflicts": [], "protected": [],
            "required_approvals": 0, "refusal": null,
        }),
    );
}

#[tokio::test]
async fn a_draft_is_changed_by_whoever_has_seen_it_and_deleted() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    let changed = owner
        .change(&set, json!({"name": "Start", "description": "Now"}))
        .await;
    assert_eq!(changed.body["name"], "Start");
    assert_eq!(changed.body["parts"].as_array().unwrap().len(), 2);
    let changed = owner
        .change(&set, json!({"changes": both_on(&["dev", "production"])}))
        .await;
    assert_eq!(changed.body["parts"].as_array().unwrap().len(), 4);
    assert_eq!(changed.body["version"], 3);

    let old = owner.request(Method::PUT, &set).header("if-match", "\"2\"");
    let refused = owner.send(old.json(&json!({"name": "Late"}))).await;
    refused.expect_error(412, "changed meanwhile");
    let old = owner
        .request(Method::DELETE, &set)
        .header("if-match", "\"2\"");
    owner.send(old).await.expect_error(412, "changed meanwhile");
    owner.remove(&set).await;
    owner
        .get(&set)
        .await
        .expect_error(404, "change set not found");
}

#[tokio::test]
async fn bad_drafts_are_400_and_stored_nowhere() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let many: Vec<_> = (0..1_001)
        .map(|number| json!({"key": format!("s{number}"), "name": "S", "rules": []}))
        .collect();
    let rows = [
        (json!({"changes": {}}), "name is required"),
        (
            json!({"name": "x".repeat(256), "changes": {}}),
            "name must have at most 255 characters",
        ),
        (json!({"name": "Launch"}), "changes is required"),
        (
            json!({"name": "Launch", "changes": {}}),
            "changes must have something to change",
        ),
        (
            json!({"name": "Launch", "changes": {"segments": many}}),
            "changes must have at most 1,000 things",
        ),
        (
            json!({"name": "Launch", "changes": {"comment": "why"}}),
            "changes.comment: say why in the description of the change set",
        ),
        (
            json!({"name": "Launch", "changes": {"flags": [{"key": "new"}]}}),
            "flags.new.name: name is required",
        ),
        (
            json!({"name": "Launch", "changes": {"flags": [
                {"key": "checkout", "prerequisites": ["payment"]}, {"key": "payment", "prerequisites": ["checkout"]},
            ]}}),
            "flags.checkout.prerequisites: prerequisites must not form a cycle",
        ),
        (
            json!({"name": "Launch", "changes": both_on(&["dev"]), "versions": {"flags.other": 1}}),
            "versions.flags.other: the changes have no such thing",
        ),
    ];
    for (body, words) in rows {
        let refused = owner.post(&path(&project.id), body).await;
        refused.expect_status(400);
        assert_eq!(refused.body["error"], words);
    }
    assert_eq!(owner.get(&path(&project.id)).await.body["total"], 0);
    let unknown = format!("/v1/projects/{}/change-sets", uuid::Uuid::nil());
    let body = json!({"name": "Launch", "changes": both_on(&["dev"])});
    owner
        .post(&unknown, body)
        .await
        .expect_error(404, "project not found");
    let wrong = owner
        .get(&format!("{}?status=open", path(&project.id)))
        .await;
    wrong.expect_error(
        400,
        "status must be one of draft, pending, approved, scheduled, applied, rejected, failed",
    );
}

#[tokio::test]
async fn things_of_other_versions_than_given_are_409_and_named() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let state = format!("{}/checkout/environments/dev", setup.flags());
    let version = async || {
        let found = owner.get(&state).await;
        found
            .header("etag")
            .trim_matches('"')
            .parse::<i64>()
            .unwrap()
    };
    let seen = version().await;
    let body = json!({
        "name": "Launch", "changes": both_on(&["dev"]),
        "versions": {"flags.checkout.states.dev": seen},
    });
    owner.create(&path(&project.id), body.clone()).await;
    owner
        .change(&state, json!({"percentage_rollout": 100}))
        .await;
    let now = version().await;
    let refused = owner.post(&path(&project.id), body).await;
    refused.expect(
        409,
        json!({
            "error": "changed meanwhile: things have other versions than given",
            "conflicts": [{
                "kind": "state", "key": "checkout", "env_slug": "dev", "field": "version",
                "base": seen, "proposed": seen, "current": now,
            }],
            "current_version": now,
        }),
    );
}

#[tokio::test]
async fn what_is_not_a_draft_cannot_be_changed_and_what_is_applied_not_deleted() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    step(owner, &set, "reopen", Value::Null)
        .await
        .expect_error(409, "the change set is a draft");
    step(owner, &set, "apply", json!({}))
        .await
        .expect_status(200);
    let refused = owner.put(&set, json!({"name": "Late"})).await;
    refused.expect_error(
        409,
        "only a draft can be changed: reopen the change set first",
    );
    let applied = "the change set has been applied: undo it instead";
    owner.delete(&set).await.expect_error(409, applied);
    step(owner, &set, "reopen", Value::Null)
        .await
        .expect_error(409, applied);
    step(owner, &set, "apply", json!({}))
        .await
        .expect_error(409, "the change set has been applied");
    let refused = step(owner, &set, "request", Value::Null).await;
    refused.expect_error(
        409,
        "approval is requested for a draft: reopen the change set first",
    );
}

#[tokio::test]
async fn an_organization_has_at_most_500_open_sets() {
    let setup = with_flags().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    sqlx::query(
        "INSERT INTO change_sets
             (id, org_id, project_id, name, description, status, changes, parts, base_version, author_ids, version,
              required_approvals, protected, reviews, created_at, updated_at, bytes)
         SELECT gen_random_uuid(), org_id, project_id, name, description, status, changes, parts, base_version, author_ids, version,
                required_approvals, protected, reviews, created_at, updated_at, bytes
         FROM change_sets, generate_series(2, 500)",
    )
    .execute(app.pool())
    .await
    .unwrap();
    let body = json!({"name": "Launch", "changes": both_on(&["dev"])});
    let refused = owner.post(&path(&project.id), body.clone()).await;
    refused.expect_error(
        400,
        "the organization has 500 open change sets, or 64 MiB of them: apply or delete some first",
    );
    owner.remove(&set).await;
    owner.create(&path(&project.id), body).await;
}

#[tokio::test]
async fn the_last_thousand_closed_sets_are_kept() {
    let setup = with_flags().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    draft(owner, &project.id, both_on(&["dev"])).await;
    sqlx::query(
        "INSERT INTO change_sets
             (id, org_id, project_id, name, description, status, changes, parts, base_version, author_ids, version,
              required_approvals, protected, reviews, created_at, updated_at, bytes)
         SELECT gen_random_uuid(), org_id, project_id, name, description, 'rejected', changes, parts, base_version, author_ids,
                version, required_approvals, protected, reviews, created_at, updated_at, bytes
         FROM change_sets, generate_series(1, 1002)",
    )
    .execute(app.pool())
    .await
    .unwrap();
    draft(owner, &project.id, both_on(&["dev"])).await;
    let closed = owner
        .get(&format!("{}?status=rejected", path(&project.id)))
        .await;
    assert_eq!(closed.body["total"], 1_000);
}

#[tokio::test]
async fn edits_and_what_they_replace_have_at_most_4_mib() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    // 0.16 MB each.
    let values: Vec<_> = (0..10_000)
        .map(|number| format!("user-{number:08}"))
        .collect();
    let rules = json!([{"attribute": "id", "operator": "in", "values": values}]);
    let key = |number| format!("large-{number}");
    let segments: Vec<_> = (0..30)
        .map(|number| json!({"key": key(number), "name": "Large", "rules": rules}))
        .collect();
    let content = format!("/v1/projects/{}/content", project.id);
    owner.act(&content, json!({"segments": segments})).await;
    let removal =
        |number| json!({"remove": {"segments": (0..number).map(key).collect::<Vec<_>>()}});
    let set = draft(owner, &project.id, removal(24)).await;
    let words = "changes and what they replace must have at most 4 MiB";
    let refused = owner.put(&set, json!({"changes": removal(30)})).await;
    refused.expect_error(400, words);
    let body = json!({"name": "Large", "changes": removal(30)});
    let refused = owner.post(&path(&project.id), body).await;
    refused.expect_error(400, words);
    assert_eq!(owner.get(&set).await.body["version"], 1);
}
