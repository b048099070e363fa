//! Each part of a change needs the right that its own endpoint needs; one that is missing refuses all of it.

use harness::Setup;
use serde_json::json;

use super::{path, with_content};

#[tokio::test]
async fn a_custom_role_without_a_key_is_403_and_the_key_is_named() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    app.set_plan(&owner, "enterprise").await;
    let member = app.member(&owner, "admin").await;
    let all = [
        "flags.create",
        "flags.update",
        "flags.delete",
        "flags.toggle",
        "flags.edit_rules",
        "segments.write",
        "environments.create",
        "environments.delete",
    ];
    let rows = [
        (
            "flags.create",
            json!({"flags": [{"key": "n", "name": "N"}]}),
        ),
        (
            "flags.update",
            json!({"flags": [{"key": "base", "name": "N"}]}),
        ),
        (
            "flags.delete",
            json!({"flags": [{"key": "base", "archived": true}]}),
        ),
        (
            "flags.delete",
            json!({"flags": [{"key": "gone", "archived": false}]}),
        ),
        ("flags.delete", json!({"remove": {"flags": ["test"]}})),
        (
            "flags.toggle",
            json!({"flags": [{"key": "base", "states": {"dev": {"enabled": false}}}]}),
        ),
        (
            "flags.edit_rules",
            json!({"flags": [{"key": "base", "states": {"dev": {"percentage_rollout": 9_000}}}]}),
        ),
        (
            "segments.write",
            json!({"segments": [{"key": "n", "name": "N", "rules": []}]}),
        ),
        (
            "segments.write",
            json!({"segments": [{"key": "beta", "name": "N"}]}),
        ),
        ("segments.write", json!({"remove": {"segments": ["all"]}})),
        (
            "environments.create",
            json!({"environments": [{"slug": "n", "name": "N"}]}),
        ),
        (
            "environments.create",
            json!({"environments": [{"slug": "dev", "name": "N"}]}),
        ),
        (
            "environments.delete",
            json!({"remove": {"environments": ["staging"]}}),
        ),
    ];
    let before = app.contents().await;
    let path = path(&project.id);
    for (key, body) in &rows {
        let others: Vec<_> = all.into_iter().filter(|one| one != key).collect();
        app.hold_to(&owner, &member, &others).await;
        let refused = member.post(&path, body.clone()).await;
        refused.expect_error(403, &format!("insufficient permissions: {key}"));
    }
    let projects = |contents: &std::collections::BTreeMap<String, String>| {
        ["flags", "flag_states", "segments", "environments"].map(|table| contents[table].clone())
    };
    assert_eq!(projects(&app.contents().await), projects(&before));
    for (key, body) in rows {
        app.hold_to(&owner, &member, &[key]).await;
        let done = member.post(&format!("{path}?dry_run=true"), body).await;
        done.expect_status(200);
    }
}

#[tokio::test]
async fn a_developer_deletes_no_environment_and_guards_none() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let developer = app.member(&owner, "developer").await;
    let path = path(&project.id);
    let body = json!({"remove": {"environments": ["dev"]}});
    let message = "insufficient permissions: environments are deleted by owners and admins";
    developer.post(&path, body).await.expect_error(403, message);
    for env in [
        json!({"slug": "dev", "protected": true}),
        json!({"slug": "dev", "required_approvals": 2}),
    ] {
        let refused = developer.post(&path, json!({"environments": [env]})).await;
        refused.expect_error(403, "insufficient permissions");
    }
    // What stays as it is needs no right.
    let env = json!({"slug": "dev", "name": "D", "protected": false, "required_approvals": 1});
    developer.act(&path, json!({"environments": [env]})).await;
    let viewer = app.member(&owner, "viewer").await;
    let refused = viewer.post(&path, json!({})).await;
    refused.expect_error(403, "insufficient permissions");
}

#[tokio::test]
async fn a_developer_changes_states_where_the_permissions_allow_it() {
    let Setup {
        app,
        owner,
        project,
    } = with_content().await;
    let developer = app.member(&owner, "developer").await;
    let member_id = owner.member_id_of(&developer.email).await;
    let permissions = json!({"permissions": [
        {"env_id": project.dev, "can_toggle": true, "can_edit_rules": false},
        {"env_id": project.staging, "can_toggle": false, "can_edit_rules": false},
    ]});
    owner
        .change(&format!("/v1/members/{member_id}/permissions"), permissions)
        .await;
    let path = path(&project.id);
    let base = |env: &str, state: serde_json::Value| json!({"flags": [{"key": "base", "states": {env: state}}]});
    // All fields may be given: those that differ count.
    let toggled = base(
        "dev",
        json!({"enabled": false, "rules": [], "percentage_rollout": null}),
    );
    developer.act(&path, toggled).await;
    for (env, id, state) in [
        (
            "dev",
            &project.dev,
            json!({"enabled": true, "percentage_rollout": 5_000}),
        ),
        ("staging", &project.staging, json!({"enabled": true})),
    ] {
        let refused = developer.post(&path, base(env, state)).await;
        refused.expect(
            403,
            json!({
                "error": "insufficient permissions for these environments",
                "message": "the change has states of environments where you may not change flags",
                "environments": [{"id": id, "slug": env, "protected": false}],
            }),
        );
    }
    // The rules of `checkout` name it in dev.
    let body =
        json!({"segments": [{"key": "beta", "rules": []}, {"key": "all", "match_type": "any"}]});
    let refused = developer.post(&path, body).await;
    assert_eq!(refused.status, 403);
    assert_eq!(refused.body["environments"][0]["slug"], "dev");
}
