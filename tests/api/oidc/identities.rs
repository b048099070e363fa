//! Who is who at a provider: shown, and unbound.

use serde_json::json;

use super::Scene;

async fn identities(scene: &Scene) -> String {
    let ada = scene.ada().await;
    let ada = ada["id"].as_str().expect("an id");
    format!("/v1/members/{ada}/identities")
}

#[tokio::test]
async fn a_member_who_is_unbound_is_recognised_by_their_address_again() {
    let scene = Scene::start().await;
    scene.invite("developer").await;
    let signed_in = scene.sign_in().await;
    let ada = scene.app.anonymous();
    let ada = ada.with_token(&signed_in.text("/tokens/access_token"));
    let path = identities(&scene).await;
    let shown = scene.owner.get(&path).await;
    shown.expect(
        200,
        json!({
            "data": [{
                "provider_id": scene.id,
                "provider_name": "Acme login",
                "subject": shown.text("/data/0/subject"),
                "created_at": "[time]",
                "last_used_at": "[time]",
            }],
            "total": 1,
            "limit": 50,
            "offset": 0,
            "has_more": false,
        }),
    );
    // The provider has made her anew.
    scene.peer.claim(json!({"sub": "another"}));
    let words = "the provider has signed somebody else in with this e-mail address: ask an owner of the organization";
    scene.sign_in().await.expect_error(403, words);
    ada.get("/v1/me").await.expect_status(200);

    let bound = format!("{path}/{}", scene.id);
    scene.owner.remove(&bound).await;
    let ended = ada.get("/v1/me").await;
    ended.expect_error(401, "invalid or expired token");
    let entry = &scene.entries("sign_in.identity_unbound").await[0];
    assert_eq!(entry["before_state"]["provider_name"], "Acme login");
    assert_eq!(scene.owner.get(&path).await.body["data"], json!([]));
    let again = scene.owner.delete(&bound).await;
    again.expect_error(404, "the member has not signed in by this provider");

    let back = scene.sign_in().await;
    back.expect_status(200);
    assert_eq!(back.text("/user/id"), signed_in.text("/user/id"));
    let shown = scene.owner.get(&path).await;
    assert_eq!(shown.body["data"][0]["subject"], "another");
}

#[tokio::test]
async fn sessions_that_a_password_opened_go_on_when_a_member_is_unbound() {
    let scene = Scene::start().await;
    let member = scene.app.member(&scene.owner, "developer").await;
    let (provider, user) = (&*scene.id, &*member.id);
    scene
        .app
        .execute(
            "INSERT INTO sign_in_identities (provider_id, subject, org_id, user_id, created_at, last_used_at)
             SELECT id, 'theirs', org_id, $2::uuid, now(), now() FROM sign_in_providers WHERE id = $1::uuid",
            &[provider, user],
        )
        .await;
    let id = member.member_id().await;
    let path = format!("/v1/members/{id}/identities/{provider}");
    scene.owner.remove(&path).await;
    member.get("/v1/me").await.expect_status(200);
}

#[tokio::test]
async fn only_owners_unbind_owners() {
    let scene = Scene::start().await;
    let admin = scene.app.member(&scene.owner, "admin").await;
    let id = scene.owner.member_id().await;
    let path = format!("/v1/members/{id}/identities/{}", scene.id);
    let refused = admin.delete(&path).await;
    refused.expect_error(403, "insufficient permissions");
}
