//! Undoing a set: a draft that leads back, as one.

use harness::Setup;
use serde_json::{Value, json};

use super::{are_on, both_on, draft, step, with_flags};

async fn content(setup: &Setup) -> Value {
    let path = format!("/v1/projects/{}/content", setup.project.id);
    let mut page = setup.owner.get(&path).await.body;
    page["version"] = Value::Null;
    page
}

#[tokio::test]
async fn everything_is_as_it_was_before_but_new_flags_are_archived() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let before = content(&setup).await;
    let changes = json!({
        "environments": [{"slug": "qa", "name": "QA"}, {"slug": "dev", "name": "Development 2"}],
        "segments": [{"key": "beta", "match_type": "any"}, {"key": "new", "name": "New", "rules": []}],
        "flags": [
            {"key": "checkout", "name": "Check-out", "tags": ["shop"], "states": {
                "dev": {"enabled": true, "rules": [{"segment_keys": ["beta"], "value": true}]},
                "staging": {"enabled": true, "percentage_rollout": 50},
            }},
            {"key": "new", "name": "New", "states": {"dev": {"enabled": true}}},
            {"key": "payment", "archived": true},
        ],
    });
    let set = draft(owner, &project.id, changes).await;
    let applied = step(owner, &set, "apply", json!({})).await;
    applied.expect_status(200);
    let undo = step(owner, &set, "undo", Value::Null).await;
    undo.expect_status(201);
    assert_eq!(undo.body["name"], "Undo Launch");
    assert_eq!(undo.body["undoes"], applied.body["id"]);
    assert_eq!(undo.body["status"], "draft");
    let back = format!(
        "/v1/projects/{}/change-sets/{}",
        project.id,
        undo.text("/id")
    );
    step(owner, &back, "apply", json!({}))
        .await
        .expect_status(200);

    let mut after = content(&setup).await;
    let flags = after["flags"].as_array_mut().unwrap();
    let new = flags.iter().position(|flag| flag["key"] == "new").unwrap();
    assert_eq!(flags.remove(new)["archived"], true);
    // A state that was not there says nothing now.
    let checkout = flags
        .iter_mut()
        .find(|flag| flag["key"] == "checkout")
        .unwrap();
    let staging = checkout["states"]
        .as_object_mut()
        .unwrap()
        .remove("staging")
        .unwrap();
    assert_eq!(staging["enabled"], false);
    assert_eq!(staging["percentage_rollout"], Value::Null);
    assert_eq!(after, before);
}

#[tokio::test]
async fn what_was_removed_comes_back() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let before = content(&setup).await;
    let changes = json!({"remove": {"flags": ["payment"], "segments": ["beta"]}});
    let set = draft(owner, &project.id, changes).await;
    step(owner, &set, "apply", json!({}))
        .await
        .expect_status(200);
    let undo = step(owner, &set, "undo", Value::Null).await;
    let back = format!(
        "/v1/projects/{}/change-sets/{}",
        project.id,
        undo.text("/id")
    );
    step(owner, &back, "apply", json!({}))
        .await
        .expect_status(200);
    assert_eq!(content(&setup).await, before);
}

#[tokio::test]
async fn what_was_changed_since_is_409_with_all_three_sides() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let changes = json!({"flags": [{"key": "checkout", "name": "Applied"}]});
    let set = draft(owner, &project.id, changes).await;
    step(owner, &set, "apply", json!({}))
        .await
        .expect_status(200);
    owner
        .change(
            &format!("{}/checkout", setup.flags()),
            json!({"name": "Since"}),
        )
        .await;
    let refused = step(owner, &set, "undo", Value::Null).await;
    let now = refused.body["current_version"].clone();
    refused.expect(
        409,
        json!({
            "error": "what the change set changed has been changed since: undo it by hand where it still applies",
            "conflicts": [{
                "kind": "flag", "key": "checkout", "env_slug": null, "field": "name",
                "base": "Applied", "proposed": "Checkout", "current": "Since",
            }],
            "current_version": now,
        }),
    );
}

#[tokio::test]
async fn only_an_applied_set_is_undone_and_an_environment_does_not_come_back() {
    let setup = with_flags().await;
    let Setup { owner, project, .. } = &setup;
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    let refused = step(owner, &set, "undo", Value::Null).await;
    refused.expect_error(409, "only an applied change set can be undone");
    let set = draft(
        owner,
        &project.id,
        json!({"remove": {"environments": ["staging"]}}),
    )
    .await;
    step(owner, &set, "apply", json!({}))
        .await
        .expect_status(200);
    let refused = step(owner, &set, "undo", Value::Null).await;
    refused.expect_error(
        409,
        "the change set removed the environment staging, which cannot be brought back",
    );
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    step(owner, &set, "apply", json!({}))
        .await
        .expect_status(200);
    let set = draft(owner, &project.id, both_on(&["dev"])).await;
    step(owner, &set, "apply", json!({}))
        .await
        .expect_status(200);
    let refused = step(owner, &set, "undo", Value::Null).await;
    refused.expect_error(409, "the change set changed nothing");
    assert_eq!(are_on(&setup, "dev").await, [true, true]);
}
