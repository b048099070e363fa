//! Rotating a key.

use std::time::Duration;

use harness::{App, statuses};
use reqwest::Method;
use serde_json::{Value, json};

use super::{collection, create, item, listed, version};
use crate::trail;

#[tokio::test]
async fn a_rotated_key_goes_on_for_a_day() {
    let (app, owner) = App::with_owner().await;
    let keys = collection(&owner).await;
    let old = create(&owner, &keys).await;
    app.clock.advance(Duration::from_secs(1_800));

    // A POST without a body needs no content type.
    let request = owner.request(Method::POST, &format!("{}/rotate", item(&old)));
    let rotated = owner.send(request).await;
    rotated.expect(
        200,
        json!({"new_key": "[server key]", "new_key_id": "[uuid]", "old_key_id": old["id"],
               "grace_expires_at": "2026-05-05T12:30:00Z"}),
    );
    assert!(version(&rotated) > 0);

    let list = owner.get(&keys).await.body["data"].clone();
    let mut ended = listed(&old);
    ended["expires_at"] = json!("2026-05-05T12:30:00Z");
    assert_eq!(list[0], ended);
    assert_eq!(list[1]["id"], rotated.body["new_key_id"]);
    assert_eq!(
        (&list[1]["name"], &list[1]["type"]),
        (&old["name"], &old["type"])
    );
    assert_eq!(list[1]["key_prefix"], rotated.text("/new_key")[..12]);

    let entry = trail::newest(&app, &owner).await;
    assert_eq!(
        (&entry["action"], &entry["resource_id"]),
        (&json!("api_key.rotated"), &old["id"])
    );
    assert_eq!(
        (&entry["before_state"], &entry["after_state"]),
        (&listed(&old), &list[0])
    );
    assert_eq!(entry["metadata"]["new_key_id"], list[1]["id"]);
    let path = format!("/v1/audit?resource_id={}", rotated.text("/new_key_id"));
    let trail = owner.get(&path).await.body["data"].clone();
    assert_eq!(
        (
            &trail[0]["action"],
            &trail[0]["before_state"],
            &trail[0]["after_state"]
        ),
        (&json!("api_key.created"), &Value::Null, &list[1])
    );
}

#[tokio::test]
async fn grace_is_given_in_hours_and_never_lengthens_a_life() {
    let (app, owner) = App::with_owner().await;
    let keys = collection(&owner).await;
    let short = owner
        .post(&keys, json!({"name": "short", "expires_in_days": 1}))
        .await
        .body;
    let rotate = format!("{}/rotate", item(&short));
    app.clock.advance(Duration::from_secs(1_800));

    let rotated = owner
        .post(&rotate, json!({"grace_period_hours": 8_760}))
        .await;
    assert_eq!(rotated.text("/grace_expires_at"), "2026-05-05T12:00:00Z");
    let list = owner.get(&keys).await;
    assert_eq!(
        list.text("/data/1/expires_at"),
        "2026-05-05T12:30:00Z",
        "a new key lives as long as the old one did"
    );
}

#[tokio::test]
async fn no_grace_ends_the_old_key_at_once() {
    let (_app, owner) = App::with_owner().await;
    let keys = collection(&owner).await;
    let old = create(&owner, &keys).await;
    let rotated = owner
        .post(
            &format!("{}/rotate", item(&old)),
            json!({"grace_period_hours": 0}),
        )
        .await;
    assert_eq!(rotated.text("/grace_expires_at"), "2026-05-04T12:00:00Z");
    assert_eq!(
        owner.get(&keys).await.text("/data/0/revoked_at"),
        "2026-05-04T12:00:00Z"
    );
}

#[tokio::test]
async fn a_key_is_rotated_once() {
    let (_app, owner) = App::with_owner().await;
    let rotate = format!(
        "{}/rotate",
        item(&create(&owner, &collection(&owner).await).await)
    );
    let (one, other) = tokio::join!(
        owner.post(&rotate, json!({})),
        owner.post(&rotate, json!({}))
    );
    assert_eq!(statuses([&one, &other]), [200, 409]);
    let refused = owner.post(&rotate, json!({})).await;
    refused.expect_error(409, "api key was already rotated");
    // Input is checked before the conflict.
    let refused = owner.post(&rotate, json!({"grace_period_hours": -1})).await;
    refused.expect_status(400);
}

#[tokio::test]
async fn a_revoked_key_cannot_be_rotated() {
    let (_app, owner) = App::with_owner().await;
    let key = create(&owner, &collection(&owner).await).await;
    owner.remove(&item(&key)).await;
    let refused = owner
        .post(&format!("{}/rotate", item(&key)), json!({}))
        .await;
    refused.expect_error(404, "api key not found");
}

#[tokio::test]
async fn grace_is_0_to_8760_hours() {
    let (_app, owner) = App::with_owner().await;
    let rotate = format!(
        "{}/rotate",
        item(&create(&owner, &collection(&owner).await).await)
    );
    for hours in [-1, 8_761] {
        let refused = owner
            .post(&rotate, json!({"grace_period_hours": hours}))
            .await;
        refused.expect_error(400, "grace_period_hours must be an integer from 0 to 8760");
    }
    owner
        .post(&rotate, json!({"grace_period_hours": "24"}))
        .await
        .expect_status(400);
}
