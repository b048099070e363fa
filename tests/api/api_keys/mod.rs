//! API keys: creation, list, revocation. Rotation is in a file of its own.

mod ended;
mod rotation;

use harness::{App, Response, User, statuses};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::trail;

/// The path of the keys of the default project's environment `dev`.
async fn collection(user: &User) -> String {
    format!(
        "/v1/environments/{}/api-keys",
        user.default_project().await.dev
    )
}

async fn create(user: &User, keys: &str) -> Value {
    user.create(keys, json!({"name": "sdk"})).await.body
}

fn item(key: &Value) -> String {
    format!("/v1/api-keys/{}", key["id"].as_str().unwrap())
}

fn version(answer: &Response) -> u64 {
    answer.header("x-snapshot-version").parse().unwrap()
}

/// A created key as lists show it.
fn listed(created: &Value) -> Value {
    json!({
        "id": created["id"], "key_prefix": created["key_prefix"], "name": created["name"], "type": created["type"],
        "created_at": created["created_at"], "last_used_at": null, "expires_at": created["expires_at"],
        "revoked_at": null,
    })
}

#[tokio::test]
async fn a_created_key_is_shown_once_and_stored_as_a_hash() {
    let (app, owner) = App::with_owner().await;
    let keys = collection(&owner).await;
    let env_id = owner.default_project().await.dev;

    let created = owner.post(&keys, json!({"name": "sdk"})).await;
    created.expect(
        201,
        json!({"id": "[uuid]", "key": "[server key]", "key_prefix": "[text]", "name": "sdk", "type": "server",
               "env_id": env_id, "created_at": "[time]", "expires_at": null}),
    );
    assert!(version(&created) > 0);
    let text = created.text("/key");
    assert_eq!(created.text("/key_prefix"), text[..12]);
    let list = owner.get(&keys).await;
    list.expect(
        200,
        json!({"data": [listed(&created.body)], "total": 1, "limit": 50, "offset": 0, "has_more": false}),
    );

    let hash: Vec<u8> = app.value("SELECT hash FROM api_keys", &[]).await;
    assert_eq!(hash, Sha256::digest(text.as_bytes()).to_vec());
    let trail = trail::newest(&app, &owner).await.to_string();
    assert!(
        !trail.contains(&text) && !trail.contains(&hex::encode(&hash)),
        "neither text nor hash is audited"
    );
}

#[tokio::test]
async fn a_key_may_be_for_clients_and_end() {
    let (_app, owner) = App::with_owner().await;
    let keys = collection(&owner).await;
    let created = owner
        .post(
            &keys,
            json!({"name": "web", "type": "client", "expires_in_days": 30}),
        )
        .await;
    created.expect(
        201,
        json!({"id": "[uuid]", "key": "[client key]", "key_prefix": "[text]", "name": "web", "type": "client",
               "env_id": "[uuid]", "created_at": "[time]", "expires_at": "2026-06-03T12:00:00Z"}),
    );
    for days in [1, 3_650] {
        owner
            .create(&keys, json!({"name": "sdk", "expires_in_days": days}))
            .await;
    }
}

#[tokio::test]
async fn keys_answer_under_the_project_too() {
    let (_app, owner, project) = App::with_project().await;
    let under = |project_id: &str| {
        format!(
            "/v1/projects/{project_id}/environments/{}/api-keys",
            project.dev
        )
    };
    let created = create(&owner, &under(&project.id)).await;
    let short = owner.get(&collection(&owner).await).await;
    assert_eq!(short.body["data"][0]["id"], created["id"]);
    let answer = owner.get(&under(&project.id)).await;
    answer.expect(200, short.body.clone());

    let other = owner
        .post("/v1/projects", json!({"name": "Other"}))
        .await
        .text("/id");
    let refused = owner.get(&under(&other)).await;
    refused.expect_error(404, "environment not found");
    let refused = owner.post(&under(&other), json!({"name": "sdk"})).await;
    refused.expect_error(404, "environment not found");
}

#[tokio::test]
async fn bad_input_is_400() {
    let (_app, owner) = App::with_owner().await;
    let keys = collection(&owner).await;
    let kind = "type must be server or client";
    let days = "expires_in_days must be an integer from 1 to 3650";
    for (body, message) in [
        (json!({}), "name is required"),
        (json!({"name": " "}), "name is required"),
        (json!({"name": "sdk", "type": "browser"}), kind),
        (json!({"name": "sdk", "type": ""}), kind),
        (json!({"name": "sdk", "expires_in_days": 0}), days),
        (json!({"name": "sdk", "expires_in_days": 3_651}), days),
    ] {
        owner.post(&keys, body).await.expect_error(400, message);
    }
    let refused = owner
        .post(&keys, json!({"name": "sdk", "expires_in_days": 1.5}))
        .await;
    refused.expect_status(400);
    let refused = owner
        .post(&keys, json!({"name": "sdk", "expires_in_days": "30"}))
        .await;
    refused.expect_status(400);
}

#[tokio::test]
async fn a_revoked_key_stays_listed_and_cannot_be_revoked_again() {
    let (_app, owner) = App::with_owner().await;
    let keys = collection(&owner).await;
    let key = create(&owner, &keys).await;

    let revoked = owner.delete(&item(&key)).await;
    revoked.expect(204, Value::Null);
    assert!(version(&revoked) > 0);
    let mut shown = listed(&key);
    shown["revoked_at"] = json!("2026-05-04T12:00:00Z");
    assert_eq!(owner.get(&keys).await.body["data"], json!([shown]));
    let refused = owner.delete(&item(&key)).await;
    refused.expect_error(404, "api key not found");
}

#[tokio::test]
async fn two_revocations_at_once_are_one() {
    let (_app, owner) = App::with_owner().await;
    let path = item(&create(&owner, &collection(&owner).await).await);
    let (one, other) = tokio::join!(owner.delete(&path), owner.delete(&path));
    assert_eq!(statuses([&one, &other]), [204, 404]);
}

#[tokio::test]
async fn an_environment_has_at_most_200_usable_keys() {
    let (app, owner) = App::with_owner().await;
    let keys = collection(&owner).await;
    let oldest = create(&owner, &keys).await;
    app.execute(
        "INSERT INTO api_keys (id, org_id, env_id, name, type, key_prefix, hash, changed_version, created_at)
         SELECT gen_random_uuid(), org_id, env_id, 'k', 'server', 'srv_', sha256(n::text::bytea), 1, created_at
         FROM api_keys, generate_series(1, 199) AS n",
        &[],
    )
    .await;
    let refused = "an environment has at most 200 usable api keys";
    owner
        .post(&keys, json!({"name": "more"}))
        .await
        .expect_error(400, refused);
    owner
        .post(&format!("{}/rotate", item(&oldest)), json!({}))
        .await
        .expect_error(400, refused);
    // Without grace the old key makes room.
    owner
        .act(
            &format!("{}/rotate", item(&oldest)),
            json!({"grace_period_hours": 0}),
        )
        .await;
}

#[tokio::test]
async fn creation_and_revocation_are_in_the_audit_trail() {
    let (app, owner, project) = App::with_project().await;
    let key = create(&owner, &collection(&owner).await).await;
    let entry = |action: &str, before: &Value, after: &Value| {
        json!({
            "action": action, "actor_type": "user", "actor_id": owner.id, "resource_type": "api_key",
            "resource_id": key["id"], "project_id": project.id, "before_state": before, "after_state": after,
            "metadata": {"env_id": project.dev},
        })
    };
    let created = listed(&key);
    assert_eq!(
        trail::newest(&app, &owner).await,
        entry("api_key.created", &Value::Null, &created)
    );
    owner.remove(&item(&key)).await;
    let mut revoked = created.clone();
    revoked["revoked_at"] = json!("2026-05-04T12:00:00Z");
    assert_eq!(
        trail::newest(&app, &owner).await,
        entry("api_key.revoked", &created, &revoked)
    );
}
