//! Changes of a segment that have an effect in environments where the caller may not edit rules, or which are protected.

use serde_json::{Value, json};

use crate::flags::reach::{DENIED, DENIED_MESSAGE, Setup};

const PROTECTED: &str = "rules in protected environments name the segment; let them name another one by approved requests, and \
                         try again";

/// A setup with the segment `beta`, and a rule in `production` that names it, and its path.
async fn set_up() -> (Setup, String) {
    let setup = Setup::new().await;
    let segments = format!("/v1/projects/{}/segments", setup.project.id);
    let body = json!({"key": "beta", "name": "Beta", "rules": []});
    setup.owner.create(&segments, body).await;
    let rules =
        json!({"enabled": false, "rules": [{"segment_keys": ["other", "beta"], "value": true}]});
    setup.state(&setup.project.production.clone(), rules).await;
    (setup, format!("{segments}/beta"))
}

fn changes() -> [Value; 2] {
    let condition = json!({"attribute": "key", "operator": "in", "values": ["ada"]});
    [json!({"rules": [condition]}), json!({"match_type": "any"})]
}

#[tokio::test]
async fn changing_or_deleting_a_segment_needs_the_permission_where_rules_name_it() {
    let (setup, path) = set_up().await;
    let production = setup.project.production.clone();
    setup.permit(&production, true, false).await;
    let expected = setup.refusal(DENIED, DENIED_MESSAGE, false);
    for body in changes() {
        let refused = setup.developer.put(&path, body).await;
        refused.expect(403, expected.clone());
    }
    setup.developer.delete(&path).await.expect(403, expected);
    for body in [
        json!({"name": "B"}),
        json!({"match_type": "all", "rules": []}),
    ] {
        setup.developer.change(&path, body).await;
    }
    setup.permit(&production, false, true).await;
    setup.permit(&setup.project.staging, false, false).await;
    for body in changes() {
        setup.developer.change(&path, body).await;
    }
    setup.developer.delete(&path).await.expect_status(204);
}

#[tokio::test]
async fn a_segment_that_rules_of_a_protected_environment_name_stays_as_it_is() {
    let (setup, path) = set_up().await;
    setup.protect(true).await;
    let expected = setup.refusal("environment_protected", PROTECTED, true);
    for by in [&setup.owner, &setup.developer] {
        for body in changes() {
            by.put(&path, body).await.expect(403, expected.clone());
        }
        by.delete(&path).await.expect(403, expected.clone());
    }
    setup.owner.change(&path, json!({"name": "B"})).await;
    let body = json!({
        "flag_key": "f", "env_id": setup.project.production, "change_type": "update_state", "payload": {"rules": []},
    });
    let asked = setup.developer.create("/v1/approvals", body).await;
    let review = format!("/v1/approvals/{}/review", asked.text("/id"));
    let approved = setup
        .owner
        .post(&review, json!({"action": "approve"}))
        .await;
    approved.expect_status(200);
    setup.developer.delete(&path).await.expect_status(204);
}

#[tokio::test]
async fn creating_a_segment_that_such_rules_name_already_is_403() {
    let (setup, path) = set_up().await;
    let segments = path.trim_end_matches("/beta");
    let condition = json!({"attribute": "key", "operator": "in", "values": ["ada"]});
    let body = json!({"key": "other", "name": "Other", "rules": [condition]});
    setup
        .permit(&setup.project.production.clone(), true, false)
        .await;
    let refused = setup.developer.post(segments, body.clone()).await;
    refused.expect(403, setup.refusal(DENIED, DENIED_MESSAGE, false));
    setup.protect(true).await;
    let refused = setup.owner.post(segments, body.clone()).await;
    refused.expect(403, setup.refusal("environment_protected", PROTECTED, true));
    setup.protect(false).await;
    setup.owner.create(segments, body).await;
}

#[tokio::test]
async fn a_segment_of_the_same_key_in_another_project_is_not_concerned() {
    let (setup, _) = set_up().await;
    setup.protect(true).await;
    let project = setup
        .owner
        .create("/v1/projects", json!({"name": "Other"}))
        .await;
    let segments = format!("/v1/projects/{}/segments", project.text("/id"));
    let body = json!({"key": "beta", "name": "Beta", "rules": []});
    setup.owner.create(&segments, body).await;
    setup.owner.remove(&format!("{segments}/beta")).await;
}

#[tokio::test]
async fn a_change_of_a_segment_that_waits_while_a_rule_names_it_is_refused() {
    let (setup, path) = set_up().await;
    let production = setup.project.production.clone();
    setup.state(&production, json!({"rules": []})).await;
    setup.protect(true).await;
    let mut holder = setup.app.pool().begin().await.unwrap();
    sqlx::query("SELECT FROM projects WHERE id = $1::uuid FOR UPDATE")
        .bind(&setup.project.id)
        .execute(&mut *holder)
        .await
        .unwrap();
    let deleting = {
        let (owner, path) = (setup.owner.clone(), path.clone());
        tokio::spawn(async move { owner.delete(&path).await })
    };
    setup.app.until_waiting_for_locks(1).await;
    sqlx::query(
        "UPDATE flag_states SET rules = '[{\"segment_keys\": [\"beta\"]}]' WHERE env_id = $1::uuid",
    )
    .bind(&production)
    .execute(&mut *holder)
    .await
    .unwrap();
    holder.commit().await.unwrap();
    let refused = deleting.await.unwrap();
    refused.expect(403, setup.refusal("environment_protected", PROTECTED, true));
}

#[tokio::test]
async fn a_change_of_a_segment_in_use_warns() {
    let (setup, path) = set_up().await;
    let told = "segment: named by rules of f";
    let changed = setup.owner.put(&path, json!({"match_type": "any"})).await;
    changed.expect_status(200);
    assert_eq!(changed.header("x-warnings"), told);
    let renamed = setup.owner.put(&path, json!({"name": "B"})).await;
    assert!(!renamed.headers.contains_key("x-warnings"));
    let deleted = setup.owner.delete(&path).await;
    deleted.expect_status(204);
    assert_eq!(deleted.header("x-warnings"), told);
}
