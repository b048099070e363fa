//! Who is signed in, as whom, and with which role.

use harness::Caller;
use serde_json::{Value, json};

use super::{START, Scene, prove};

fn roles() -> Value {
    json!({
        "provisions_members": true,
        "default_role": "viewer",
        "role_claim": "groups",
        "role_mappings": [
            {"value": "staff", "role": "developer"},
            {"value": "leads", "role": "admin"},
        ],
    })
}

#[tokio::test]
async fn an_invited_member_is_signed_in_by_their_address_and_known_by_their_subject() {
    let scene = Scene::start().await;
    scene.invite("developer").await;
    let signed_in = scene.sign_in().await;
    let expires_at = signed_in.body["tokens"]["expires_at"].clone();
    assert!(expires_at.is_i64());
    signed_in.expect(
        200,
        json!({
            "user": {
                "id": "[uuid]",
                "email": "ada@acme.test",
                "name": "ada@acme.test",
                "email_verified": true,
                "created_at": "[time]",
            },
            "tokens": {"access_token": "[text]", "refresh_token": "[text]", "expires_at": expires_at},
        }),
    );
    let ada = scene
        .app
        .anonymous()
        .with_token(&signed_in.text("/tokens/access_token"));
    let me = ada.get("/v1/me").await;
    me.expect_status(200);
    let login = &scene.entries("auth.login").await[0];
    assert_eq!(login["metadata"]["provider"]["name"], "Acme login");
    assert_eq!(login["metadata"]["provider"]["id"], scene.id.as_str());
    // The address may change, and need not be there at all.
    scene
        .peer
        .claim(json!({"email": "lovelace@elsewhere.test"}));
    let again = scene.sign_in().await;
    again.expect_status(200);
    assert_eq!(again.text("/user/id"), signed_in.text("/user/id"));
}

#[tokio::test]
async fn the_session_of_a_provider_ends_as_others_do() {
    let scene = Scene::start().await;
    scene.invite("developer").await;
    let signed_in = scene.sign_in().await;
    let anonymous = scene.app.anonymous();
    let ada = anonymous.with_token(&signed_in.text("/tokens/access_token"));
    let refreshed = json!({"refresh_token": signed_in.text("/tokens/refresh_token")});
    let refreshed = anonymous.act("/v1/auth/refresh", refreshed).await;
    ada.act("/v1/auth/logout", Value::Null).await;
    let ended = anonymous.with_token(&refreshed.text("/access_token"));
    let ended = ended.get("/v1/me").await;
    ended.expect_error(401, "invalid or expired token");
    // With its provider, too.
    let signed_in = scene.sign_in().await;
    let ada = anonymous.with_token(&signed_in.text("/tokens/access_token"));
    ada.get("/v1/me").await.expect_status(200);
    scene.owner.remove(&scene.path()).await;
    let ended = ada.get("/v1/me").await;
    ended.expect_error(401, "invalid or expired token");
}

#[tokio::test]
async fn without_provisioning_only_members_are_signed_in() {
    let scene = Scene::start().await;
    let words = "you are not a member of the organization: have an owner or admin invite you";
    scene.sign_in().await.expect_error(403, words);
    let accounts: i64 = scene
        .app
        .value(
            "SELECT COUNT(*) FROM users WHERE email = $1",
            &["ada@acme.test"],
        )
        .await;
    assert_eq!(accounts, 0);
}

#[tokio::test]
async fn a_first_sign_in_makes_a_member_where_the_provider_does() {
    let scene = Scene::with(
        json!({"provisions_members": true, "default_role": "viewer"}),
        &[],
    )
    .await;
    let signed_in = scene.sign_in().await;
    signed_in.expect_status(200);
    assert_eq!(signed_in.text("/user/name"), "Ada Lovelace");
    let ada = scene.ada().await;
    assert_eq!(ada["role"], "viewer");
    assert_eq!(ada["name"], "Ada Lovelace");
    let made = &scene.entries("sign_in.member_provisioned").await[0];
    assert_eq!(made["after_state"]["role"], "viewer");
    assert_eq!(made["metadata"]["provider"]["name"], "Acme login");
    scene.sign_in().await.expect_status(200);
    assert_eq!(scene.entries("sign_in.member_provisioned").await.len(), 1);
}

#[tokio::test]
async fn seats_bound_the_members_that_sign_ins_make() {
    let scene = Scene::with(json!({"provisions_members": true}), &[]).await;
    for name in ["one", "two"] {
        let body = json!({"email": format!("{name}@acme.test"), "role": "viewer"});
        scene.owner.create("/v1/members/invite", body).await;
    }
    scene.app.set_plan(&scene.owner, "free").await;
    let full = scene.sign_in().await;
    full.expect_error(402, "plan limit reached: seats");
    // Members go on signing in, whatever the plan.
    scene.peer.claim(json!({"email": "one@acme.test"}));
    scene.sign_in().await.expect_status(200);
}

#[tokio::test]
async fn a_removed_member_does_not_return_until_they_are_invited() {
    let scene = Scene::with(json!({"provisions_members": true}), &[]).await;
    scene.invite("developer").await;
    let remove = async || {
        let id = scene.ada().await["id"].as_str().unwrap().to_owned();
        scene.owner.remove(&format!("/v1/members/{id}")).await;
    };
    let words = "you are not a member of the organization: have an owner or admin invite you";
    // Before the provider has ever seen them.
    remove().await;
    scene.sign_in().await.expect_error(403, words);
    scene.invite("developer").await;
    let signed_in = scene.sign_in().await;
    signed_in.expect_status(200);
    remove().await;
    scene.sign_in().await.expect_error(403, words);
    let token = signed_in.text("/tokens/access_token");
    let ended = scene.app.anonymous().with_token(&token).get("/v1/me").await;
    ended.expect_error(401, "invalid or expired token");
    scene.invite("developer").await;
    scene.sign_in().await.expect_status(200);
}

#[tokio::test]
async fn a_user_whom_scim_deactivated_is_refused_and_one_it_keeps_has_the_role_of_halyard() {
    let scene = Scene::with(roles(), &[]).await;
    scene.peer.claim(json!({"groups": ["leads"]}));
    let scim = scene.app.identity_provider(&scene.owner).await;
    let id = scim.provision("ada@acme.test").await;
    scene.sign_in().await.expect_status(200);
    assert_eq!(scene.ada().await["role"], "developer");
    scim.set_active(&id, false).await.expect_status(200);
    let words = "you are not a member of the organization: have an owner or admin invite you";
    scene.sign_in().await.expect_error(403, words);
    scim.set_active(&id, true).await.expect_status(200);
    scene.sign_in().await.expect_status(200);
}

#[tokio::test]
async fn roles_follow_the_claim_at_each_sign_in() {
    let scene = Scene::with(roles(), &[]).await;
    for (groups, role) in [
        (json!(["staff", "leads"]), "admin"),
        (json!("staff"), "developer"),
        (json!(["owner", "Leads"]), "viewer"),
        (json!(["staff"]), "developer"),
        (Value::Null, "viewer"),
    ] {
        scene.peer.claim(json!({"groups": groups}));
        scene.sign_in().await.expect_status(200);
        assert_eq!(scene.ada().await["role"], role, "{groups}");
    }
    let changed = &scene.entries("member.role_changed").await[0];
    assert_eq!(changed["before_state"]["role"], "developer");
    assert_eq!(changed["after_state"]["role"], "viewer");
    assert_eq!(changed["metadata"]["provider"]["name"], "Acme login");
}

#[tokio::test]
async fn a_claim_makes_no_owner_and_leaves_owners_alone() {
    let scene = Scene::with(roles(), &[]).await;
    scene.peer.claim(json!({
        "sub": "the-owner", "email": "owner@acme.test", "groups": ["staff"],
    }));
    scene.sign_in().await.expect_status(200);
    let members = scene.owner.get("/v1/members").await;
    assert_eq!(members.body["data"][0]["role"], "owner");
}

#[tokio::test]
async fn a_password_that_nobody_proved_does_not_get_in_by_a_provider() {
    let scene = Scene::with(json!({"provisions_members": true}), &[]).await;
    // Eve registers Ada's address, and waits.
    let body = json!({
        "email": "ada@acme.test", "password": "Correct-horse-1", "name": "Eve", "org_name": "Evil",
    });
    scene
        .app
        .anonymous()
        .create("/v1/auth/register", body)
        .await;
    let words = "your account has a password that was never proven to be yours: reset it at POST /v1/auth/forgot-password first";
    scene.sign_in().await.expect_error(403, words);
    assert_eq!(scene.ada().await, Value::Null);
}

#[tokio::test]
async fn of_several_providers_one_is_chosen() {
    let scene = Scene::start().await;
    let other = super::peer::Peer::start(scene.app.clock.clone()).await;
    let mut body = super::provider(other.issuer());
    body["name"] = "Other".into();
    let made = scene.owner.create(super::PROVIDERS, body).await;
    let anonymous = scene.app.anonymous();
    let choice = anonymous
        .act(START, json!({"email": "ada@acme.test"}))
        .await;
    choice.expect(
        200,
        json!({
            "redirect_url": null,
            "attempt_key": null,
            "providers": [
                {"id": scene.id, "name": "Acme login"},
                {"id": made.text("/id"), "name": "Other"},
            ],
        }),
    );
    let chosen = json!({"organization": "acme", "provider_id": made.text("/id")});
    let begun = anonymous.act(START, chosen).await;
    assert!(begun.text("/redirect_url").starts_with(other.issuer()));
    let none = json!({"organization": "acme", "provider_id": "okta"});
    let none = anonymous.post(START, none).await;
    none.expect_error(
        404,
        "sign-in provider not found: provider_id must be an id (a UUID), not a slug, a key or a name",
    );
}

#[tokio::test]
async fn another_issuer_ends_the_sessions_and_knows_nobody() {
    let scene = Scene::start().await;
    scene.invite("developer").await;
    let signed_in = scene.sign_in().await;
    let ada = scene
        .app
        .anonymous()
        .with_token(&signed_in.text("/tokens/access_token"));
    let other = super::peer::Peer::start(scene.app.clock.clone()).await;
    let change = json!({"issuer": other.issuer()});
    scene
        .owner
        .patch(&scene.path(), change)
        .await
        .expect_status(200);
    let ended = ada.get("/v1/me").await;
    ended.expect_error(401, "invalid or expired token");
    let known: i64 = scene
        .app
        .value(
            "SELECT COUNT(*) FROM sign_in_identities WHERE org_id = $1::uuid",
            &[&scene.owner.org_id],
        )
        .await;
    assert_eq!(known, 0);
}

#[tokio::test]
async fn the_secret_is_sealed_and_never_shown() {
    let scene = Scene::start().await;
    let sealed: Vec<u8> = scene
        .app
        .value(
            "SELECT sealed_secret FROM sign_in_providers WHERE id = $1::uuid",
            &[&scene.id],
        )
        .await;
    let secret = super::SECRET.as_bytes();
    assert!(!sealed.windows(secret.len()).any(|part| part == secret));
    let shown = scene.owner.get(&scene.path()).await;
    assert!(!shown.body.to_string().contains(super::SECRET));
}

/// The address of an organization's proven domain leads there, and to no other organization.
#[tokio::test]
async fn a_removed_domain_vouches_for_nobody_new() {
    let scene = Scene::with(json!({"provisions_members": true}), &[]).await;
    prove(&scene.owner, &scene.names, "acme.example").await;
    scene.sign_in().await.expect_status(200);
    let domains = scene.owner.get(super::DOMAINS).await;
    let path = format!("{}/{}", super::DOMAINS, domains.text("/data/0/id"));
    scene.owner.remove(&path).await;
    let start = async |caller: &Caller, body: Value| caller.post(START, body).await;
    let anonymous = scene.app.anonymous();
    let unknown = start(&anonymous, json!({"email": "ada@acme.test"})).await;
    unknown.expect_error(404, "sign-in provider not found");
    let begun = start(&anonymous, json!({"organization": "acme"})).await;
    let begun = super::Begun {
        redirect_url: begun.text("/redirect_url"),
        attempt_key: begun.text("/attempt_key"),
    };
    // She is known by her subject.
    scene.finish(&begun).await.expect_status(200);
}
