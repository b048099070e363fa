//! What nobody is signed in by: each refusal has a test that is named after it, and leaves no session behind.

use harness::Response;
use serde_json::{Value, json};

use super::{
    FINISH, PROVIDERS, START, Scene,
    peer::Peer,
    peer::{Alg, Trouble},
    provider,
};

/// A scene in which Ada is a member, so that nothing but the attack is in the way.
async fn with_ada() -> Scene {
    let scene = Scene::start().await;
    scene.invite("developer").await;
    scene
}

async fn refuses_claims(claims: Value, status: u16, words: &str) {
    let scene = with_ada().await;
    scene.peer.claim(claims);
    scene.sign_in().await.expect_error(status, words);
    let logins = scene.entries("auth.login").await;
    assert!(logins.is_empty(), "{logins:?}");
}

async fn post(scene: &Scene, body: Value) -> Response {
    scene.app.anonymous().post(FINISH, body).await
}

#[tokio::test]
async fn every_accepted_algorithm_signs_in() {
    let scene = with_ada().await;
    scene.sign_in().await.expect_status(200);
    for alg in [Alg::Rs256, Alg::Ps256, Alg::EdDsa] {
        scene.peer.sign(alg);
        // Keys that were just fetched are not fetched again at once.
        scene.app.clock.advance(std::time::Duration::from_secs(60));
        let answer = scene.sign_in().await;
        assert_eq!(answer.status, 200, "{alg:?}: {:#}", answer.body);
    }
}

#[tokio::test]
async fn a_token_without_a_signature_is_refused() {
    let scene = with_ada().await;
    scene.peer.sign(Alg::None);
    let words = "the ID token is not a signed token";
    scene.sign_in().await.expect_error(401, words);
}

#[tokio::test]
async fn a_token_signed_with_the_public_key_as_a_shared_secret_is_refused() {
    let scene = with_ada().await;
    scene.peer.sign(Alg::Hs256);
    let words = "the ID token is not signed by an algorithm that is accepted";
    scene.sign_in().await.expect_error(401, words);
}

#[tokio::test]
async fn a_token_that_names_another_algorithm_than_its_key_is_refused() {
    let scene = with_ada().await;
    scene.peer.header(json!({"alg": "RS256"}));
    let words = "the ID token is signed by an unknown key";
    scene.sign_in().await.expect_error(401, words);
}

#[tokio::test]
async fn a_token_with_extensions_that_must_be_understood_is_refused() {
    let scene = with_ada().await;
    scene.peer.header(json!({"crit": ["b64"], "b64": false}));
    let words = "the ID token is not a signed token";
    scene.sign_in().await.expect_error(401, words);
}

#[tokio::test]
async fn a_token_of_another_issuer_is_refused() {
    let words = "the ID token is from another issuer";
    refuses_claims(json!({"iss": "https://login.evil.test"}), 401, words).await;
}

#[tokio::test]
async fn a_token_for_another_client_is_refused() {
    let words = "the ID token is for another client";
    refuses_claims(json!({"aud": "another"}), 401, words).await;
    refuses_claims(json!({"aud": ["halyard", "another"]}), 401, words).await;
    refuses_claims(json!({"azp": "another"}), 401, words).await;
}

#[tokio::test]
async fn a_token_of_another_sign_in_is_refused() {
    let words = "the ID token belongs to another sign-in";
    refuses_claims(json!({"nonce": "of-another"}), 401, words).await;
    refuses_claims(json!({"nonce": null}), 401, words).await;
}

#[tokio::test]
async fn an_expired_token_is_refused_by_the_clock_of_the_service() {
    let scene = with_ada().await;
    let now = scene.app.clock.now().unix_timestamp();
    scene.peer.claim(json!({"exp": now - 60}));
    let words = "the ID token has expired, or is not yet valid";
    scene.sign_in().await.expect_error(401, words);
    scene.peer.claim(json!({"exp": now + 60, "iat": now + 61}));
    scene.sign_in().await.expect_error(401, words);
    // From before the sign-in began.
    scene.peer.claim(json!({"iat": now - 61}));
    scene.sign_in().await.expect_error(401, words);
    scene.peer.claim(json!({"iat": now}));
    scene.sign_in().await.expect_status(200);
}

#[tokio::test]
async fn a_state_is_used_once() {
    let scene = with_ada().await;
    let begun = scene.begin().await;
    let (code, state) = scene.peer.authorize(&begun.redirect_url);
    let body = json!({"code": code, "state": state, "attempt_key": begun.attempt_key});
    post(&scene, body.clone()).await.expect_status(200);
    let words = "the sign-in has expired or was used before: begin again";
    post(&scene, body).await.expect_error(401, words);
    // Also where its first use failed.
    let begun = scene.begin().await;
    let (code, state) = scene.peer.authorize(&begun.redirect_url);
    let wrong = json!({"code": "wrong", "state": state, "attempt_key": begun.attempt_key});
    post(&scene, wrong).await.expect_status(502);
    let right = json!({"code": code, "state": state, "attempt_key": begun.attempt_key});
    post(&scene, right).await.expect_error(401, words);
}

#[tokio::test]
async fn of_two_who_present_a_state_at_once_one_is_signed_in() {
    let scene = with_ada().await;
    let begun = scene.begin().await;
    let (code, state) = scene.peer.authorize(&begun.redirect_url);
    let body = json!({"code": code, "state": state, "attempt_key": begun.attempt_key});
    let (one, other) = tokio::join!(post(&scene, body.clone()), post(&scene, body));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 401]);
}

#[tokio::test]
async fn a_state_ends_after_ten_minutes() {
    let scene = with_ada().await;
    let begun = scene.begin().await;
    scene.app.clock.advance(std::time::Duration::from_secs(600));
    let words = "the sign-in has expired or was used before: begin again";
    scene.finish(&begun).await.expect_error(401, words);
}

#[tokio::test]
async fn an_answer_on_a_page_that_did_not_begin_the_sign_in_is_refused() {
    let scene = with_ada().await;
    // Eve begins, and leads somebody else's browser to the answer.
    let eves = scene.begin().await;
    let theirs = scene.begin().await;
    let (code, state) = scene.peer.authorize(&eves.redirect_url);
    let body = json!({"code": code, "state": state, "attempt_key": theirs.attempt_key});
    let words = "the sign-in was begun elsewhere: begin and finish it in the same browser";
    post(&scene, body.clone()).await.expect_error(401, words);
    let mut without = body;
    without["attempt_key"] = Value::Null;
    let refused = post(&scene, without).await;
    refused.expect_error(400, "attempt_key is required");
}

#[tokio::test]
async fn a_code_of_another_sign_in_is_refused() {
    let scene = with_ada().await;
    let [one, other] = [scene.begin().await, scene.begin().await];
    let (code, _) = scene.peer.authorize(&one.redirect_url);
    let (_, state) = scene.peer.authorize(&other.redirect_url);
    // The provider compares the verifier, which is another one.
    let body = json!({"code": code, "state": state, "attempt_key": other.attempt_key});
    let words = "the sign-in provider cannot be used: it answers with an error";
    post(&scene, body).await.expect_error(502, words);
}

#[tokio::test]
async fn an_answer_that_names_another_issuer_is_refused() {
    let scene = with_ada().await;
    let words = "the answer is from another provider than the one that was asked";
    let answer = async |iss: Value| {
        let begun = scene.begin().await;
        let (code, state) = scene.peer.authorize(&begun.redirect_url);
        let body =
            json!({"code": code, "state": state, "attempt_key": begun.attempt_key, "iss": iss});
        post(&scene, body).await
    };
    let mixed_up = answer(json!("https://login.evil.test")).await;
    mixed_up.expect_error(401, words);
    answer(json!(scene.peer.issuer())).await.expect_status(200);
    // A provider that always names itself must not stay nameless.
    scene
        .peer
        .document(json!({"authorization_response_iss_parameter_supported": true}));
    scene.app.clock.advance(std::time::Duration::from_secs(600));
    answer(Value::Null).await.expect_error(401, words);
    answer(json!(scene.peer.issuer())).await.expect_status(200);
}

#[tokio::test]
async fn a_provider_that_names_another_issuer_cannot_be_used() {
    let scene = with_ada().await;
    scene
        .peer
        .document(json!({"issuer": "https://login.example"}));
    let begun = scene.app.anonymous();
    let begun = begun.post(START, json!({"email": "ada@acme.test"})).await;
    begun.expect_error(
        502,
        "the sign-in provider cannot be used: it names another issuer",
    );
}

#[tokio::test]
async fn an_address_that_is_not_verified_is_refused() {
    let words =
        "the provider does not name a verified e-mail address, and has not signed you in before";
    for verified in [json!(false), json!("true"), json!(1), Value::Null] {
        refuses_claims(json!({"email_verified": verified}), 403, words).await;
    }
    refuses_claims(json!({"email": null}), 403, words).await;
}

#[tokio::test]
async fn an_address_of_a_domain_that_is_not_the_organizations_is_refused() {
    let words = "the organization has not proven the domain of your e-mail address, so its provider cannot vouch for it";
    for email in [
        "owner@globex.test",
        "ada@sub.acme.test",
        "ada@acme.test.evil.test",
    ] {
        refuses_claims(json!({"email": email}), 403, words).await;
    }
}

#[tokio::test]
async fn a_provider_signs_nobody_in_to_the_domain_of_another_organization() {
    let scene = with_ada().await;
    // Globex has a provider of its own, which claims to know Ada.
    let globex = scene.app.signup("globex").await;
    scene.app.set_plan(&globex, "enterprise").await;
    let evil = Peer::start(scene.app.clock.clone()).await;
    let mut body = provider(evil.issuer());
    body["provisions_members"] = true.into();
    globex.create(PROVIDERS, body).await;
    let start = json!({"organization": "globex"});
    let begun = scene.app.anonymous().act(START, start).await;
    let (code, state) = evil.authorize(&begun.text("/redirect_url"));
    let body = json!({"code": code, "state": state, "attempt_key": begun.text("/attempt_key")});
    let words = "the organization has not proven the domain of your e-mail address, so its provider cannot vouch for it";
    post(&scene, body).await.expect_error(403, words);
    // Her address leads to the provider of her organization alone.
    let begun = scene.begin().await;
    assert!(begun.redirect_url.starts_with(scene.peer.issuer()));
}

#[tokio::test]
async fn new_keys_are_found_and_old_ones_refused() {
    let scene = with_ada().await;
    scene.sign_in().await.expect_status(200);
    scene.peer.rotate("two");
    scene.app.clock.advance(std::time::Duration::from_secs(60));
    scene.sign_in().await.expect_status(200);
    assert_eq!(scene.peer.key_requests(), 2);
    // Signed by a key that is published no more.
    scene.peer.header(json!({"kid": "one"}));
    scene.app.clock.advance(std::time::Duration::from_secs(60));
    let words = "the ID token is signed by an unknown key";
    scene.sign_in().await.expect_error(401, words);
}

#[tokio::test]
async fn invented_key_ids_make_nobody_hammer_the_provider() {
    let scene = with_ada().await;
    scene.sign_in().await.expect_status(200);
    let words = "the ID token is signed by an unknown key";
    for number in 0..5 {
        scene
            .peer
            .header(json!({"kid": format!("invented-{number}")}));
        scene.sign_in().await.expect_error(401, words);
    }
    assert_eq!(scene.peer.key_requests(), 1);
}

#[tokio::test]
async fn a_key_that_the_provider_replaced_under_the_same_name_verifies_nothing() {
    let scene = with_ada().await;
    scene.sign_in().await.expect_status(200);
    scene.peer.rotate("one");
    let words = "the signature of the ID token is wrong";
    scene.sign_in().await.expect_error(401, words);
}

#[tokio::test]
async fn a_provider_that_is_slow_large_or_leads_elsewhere_cannot_be_used() {
    let scene = with_ada().await;
    let elsewhere = Trouble::Redirect("http://169.254.169.254/latest".to_owned());
    for (trouble, reason) in [
        (Trouble::Slow, "no answer in time"),
        (Trouble::Huge, "its answer is too large"),
        (elsewhere, "it answers with an error"),
        (Trouble::Error, "it answers with an error"),
    ] {
        scene.peer.trouble(Some(trouble));
        let words = format!("the sign-in provider cannot be used: {reason}");
        scene.sign_in().await.expect_error(502, &words);
    }
    scene.peer.trouble(None);
    scene.sign_in().await.expect_status(200);
}

#[tokio::test]
async fn a_provider_leads_to_no_private_address() {
    let scene = with_ada().await;
    for endpoint in ["token_endpoint", "jwks_uri", "userinfo_endpoint"] {
        for address in [
            "http://10.0.0.1/x",
            "http://169.254.169.254/latest",
            "file:///etc/passwd",
        ] {
            scene.app.clock.advance(std::time::Duration::from_secs(600));
            scene.peer.document(json!({endpoint: address}));
            let begun = scene.app.anonymous();
            let begun = begun.post(START, json!({"email": "ada@acme.test"})).await;
            begun.expect_error(
                502,
                "the sign-in provider cannot be used: an address of it must not be called",
            );
        }
        scene
            .peer
            .document(json!({endpoint: format!("{}/x", scene.peer.issuer())}));
    }
}

#[tokio::test]
async fn user_info_about_somebody_else_is_refused() {
    let scene = with_ada().await;
    scene
        .peer
        .claim(json!({"email": null, "email_verified": null}));
    let info = |sub: &str| json!({"sub": sub, "email": "ada@acme.test", "email_verified": true});
    scene.peer.user_info(info("subject-of-eve"));
    let words = "the sign-in provider cannot be used: its user info is about somebody else";
    scene.sign_in().await.expect_error(502, words);
    scene.peer.user_info(info("subject-of-ada"));
    scene.sign_in().await.expect_status(200);
}

#[tokio::test]
async fn whoever_gets_a_used_address_is_not_taken_for_its_former_holder() {
    let scene = with_ada().await;
    scene.sign_in().await.expect_status(200);
    scene.peer.claim(json!({"sub": "subject-of-another-ada"}));
    let words = "the provider has signed somebody else in with this e-mail address: ask an owner of the organization";
    scene.sign_in().await.expect_error(403, words);
}

#[tokio::test]
async fn nobody_learns_whether_an_address_has_an_account() {
    let scene = with_ada().await;
    let start = async |body: Value| scene.app.anonymous().post(START, body).await;
    for body in [
        json!({"email": "nobody@globex.test"}),
        json!({"organization": "no-such"}),
        json!({"email": "owner@acme.example"}),
    ] {
        let unknown = start(body).await;
        unknown.expect_error(404, "sign-in provider not found");
    }
    for email in ["ada@acme.test", "nobody@acme.test"] {
        start(json!({"email": email})).await.expect_status(200);
    }
    let neither = start(json!({})).await;
    neither.expect_error(400, "email or organization is required");
}

#[tokio::test]
async fn sign_ins_that_are_begun_are_bounded_for_each_organization() {
    let scene = Scene::with(json!({}), &[("RATE_PROVIDER_SIGN_IN", "2")]).await;
    for _ in 0..2 {
        scene.begin().await;
    }
    let begun = scene.app.anonymous();
    let body = json!({"email": "ada@acme.test"});
    let refused = begun.post(START, body).await;
    refused.expect_error(429, "rate limit exceeded");
}
