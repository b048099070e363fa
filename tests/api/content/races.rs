//! Changes of definitions at the same time as others.

use harness::Setup;
use serde_json::json;
use sqlx::Connection as _;

use super::{apply_at, path, version, with_content};

#[tokio::test]
async fn of_two_who_have_seen_the_same_one_wins_and_the_other_is_told_what_changed() {
    let setup = with_content().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let seen = version(owner, &project.id).await;
    let path = path(&project.id);
    let one = json!({
        "flags": [{"key": "base", "name": "One", "states": {"dev": {"enabled": false}}}],
        "segments": [{"key": "all", "name": "One"}],
        "remove": {"segments": ["beta"]},
    });
    // Both are planned, and wait for the lock of the project.
    let mut session = app.session().await;
    let mut held = session.begin().await.unwrap();
    setup.lock_project(&mut held).await;
    let admin = app.member(owner, "admin").await;
    let there = admin.at(&app.another_replica().await);
    let (first, second, ()) = tokio::join!(
        apply_at(owner, &path, seen, &one),
        async {
            app.until_waiting_for_locks(1).await;
            let other = json!({"flags": [{"key": "base", "name": "Other"}]});
            apply_at(&there, &path, seen, &other).await
        },
        async {
            app.until_waiting_for_locks(2).await;
            held.rollback().await.unwrap();
        }
    );
    first.expect_status(200);
    let name = owner.get("/v1/me").await.text("/user/name");
    let changed = |kind: &str, key: &str, action: &str| json!({"kind": kind, "key": key, "action": action, "actor_name": name, "at": "[time]"});
    let mut state = changed("state", "base", "flag.state_updated");
    state["env_slug"] = json!("dev");
    second.expect(
        412,
        json!({
            "error": "changed meanwhile",
            "version": seen + 1,
            "changes": [
                changed("flag", "base", "flag.updated"),
                changed("segment", "all", "segment.updated"),
                changed("segment", "beta", "segment.deleted"),
                state,
            ],
        }),
    );
    assert_eq!(second.header("etag"), format!("\"{}\"", seen + 1));
}

#[tokio::test]
async fn without_a_precondition_what_others_change_meanwhile_is_the_base() {
    let setup = with_content().await;
    let Setup {
        app,
        owner,
        project,
    } = &setup;
    let mut session = app.session().await;
    let mut held = session.begin().await.unwrap();
    setup.lock_project(&mut held).await;
    let body = json!({"flags": [{"key": "base", "description": "new"}]});
    let flag = format!("{}/base", setup.flags());
    let path = path(&project.id);
    let (renamed, applied, ()) = tokio::join!(
        owner.put(&flag, json!({"name": "Renamed"})),
        async {
            app.until_waiting_for_locks(1).await;
            owner.post(&path, body).await
        },
        async {
            app.until_waiting_for_locks(2).await;
            held.rollback().await.unwrap();
        }
    );
    renamed.expect_status(200);
    applied.expect_status(200);
    let now = owner.get(&flag).await;
    assert_eq!(
        (now.text("/name"), now.text("/description")),
        ("Renamed".into(), "new".into())
    );
}

#[tokio::test]
async fn a_version_of_no_project_is_412_without_changes() {
    let Setup {
        app: _app,
        owner,
        project,
    } = with_content().await;
    let now = version(&owner, &project.id).await;
    let refused = apply_at(&owner, &path(&project.id), now + 5, &json!({})).await;
    let body = json!({"error": "changed meanwhile", "version": now, "changes": []});
    refused.expect(412, body);
}
