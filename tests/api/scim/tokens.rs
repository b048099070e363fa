//! SCIM tokens, as members make them.

use harness::scim::USERS;
use harness::{App, statuses};
use serde_json::json;

use super::Scene;

#[tokio::test]
async fn a_token_is_shown_once_and_listed_without_its_text() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let body = json!({"name": "Okta", "expires_in_days": 30});
    let made = owner.post("/v1/scim/tokens", body).await;
    let token = made.text("/token");
    made.expect(
        201,
        json!({
            "id": "[uuid]", "token": token, "name": "Okta", "created_at": "[time]",
            "expires_at": "2026-06-03T12:00:00Z",
        }),
    );
    let digits = token.strip_prefix("scim_").expect("a SCIM token");
    assert_eq!(digits.len(), 48);
    let nameless = owner.post("/v1/scim/tokens", json!({})).await;
    let nameless = json!({"id": nameless.body["id"], "name": null, "created_at": "[time]", "expires_at": null});

    let mut named = made.body.clone();
    named.as_object_mut().unwrap().remove("token");
    owner.get("/v1/scim/tokens").await.expect(
        200,
        json!({"data": [named, nameless], "total": 2, "limit": 50, "offset": 0, "has_more": false}),
    );
    let stored: Vec<u8> = app
        .value("SELECT hash FROM scim_tokens WHERE name = 'Okta'", &[])
        .await;
    assert_eq!(stored.len(), 32);
}

#[tokio::test]
async fn a_revoked_token_is_401_at_once_and_the_others_go_on() {
    let Scene {
        app,
        owner,
        provider,
    } = Scene::set().await;
    let other = app.identity_provider(&owner).await;
    let path = format!("/v1/scim/tokens/{}", provider.token_id);
    owner.remove(&path).await;
    let refused = provider.get(USERS).await;
    refused.expect_scim_error(401, "", "invalid or expired token");
    other.get(USERS).await.expect_status(200);
    let again = owner.delete(&path).await;
    again.expect_error(404, "SCIM token not found");
}

#[tokio::test]
async fn the_days_of_a_token_are_bounded() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    for days in [0, -1, 3_651] {
        let made = owner
            .post("/v1/scim/tokens", json!({"expires_in_days": days}))
            .await;
        made.expect_error(400, "expires_in_days must be an integer from 1 to 3650");
    }
    let made = owner.post("/v1/scim/tokens", json!({"name": " "})).await;
    made.expect_error(400, "name is required");
}

#[tokio::test]
async fn an_organization_has_at_most_100_tokens() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    app.execute(
        "INSERT INTO scim_tokens (id, org_id, hash, created_at)
         SELECT gen_random_uuid(), $1::uuid, sha256(n::text::bytea), now() FROM generate_series(1, 99) AS n",
        &[&owner.org_id],
    )
    .await;
    let made = || owner.post("/v1/scim/tokens", json!({}));
    let (one, other) = tokio::join!(made(), made());
    assert_eq!(statuses([&one, &other]), [201, 400]);
    let refused = made().await;
    refused.expect_error(400, "an organization has at most 100 SCIM tokens");
}

#[tokio::test]
async fn the_rate_of_an_organization_counts_its_identity_provider() {
    let scene = Scene::set_with(&[("RATE_MANAGEMENT", "5")]).await;
    let (_, owner, provider) = scene.parts();
    let answers = [
        provider.get(USERS).await,
        provider.get(USERS).await,
        provider.get(USERS).await,
        provider.get(USERS).await,
        provider.get(USERS).await,
    ];
    let refused = answers.iter().find(|answer| answer.status == 429);
    let refused = refused.expect("one too many");
    refused.expect_scim_error(429, "", "rate limit exceeded");
    assert_eq!(refused.header("x-ratelimit-remaining"), "0");
    assert!(!refused.header("retry-after").is_empty());
    owner.get("/v1/members").await.expect_status(429);
}
