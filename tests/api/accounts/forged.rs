//! Access and refresh tokens that somebody else made.

use aws_lc_rs::hmac;
use data_encoding::BASE64URL_NOPAD;
use harness::App;
use serde_json::json;

const SECRET: &str = "a secret of tests with more than 32 bytes";

async fn assert_refused(app: &App, forged: &str) {
    let refused = "invalid or expired token";
    let caller = app.anonymous().with_token(forged);
    let answer = caller.get("/v1/projects").await;
    answer.expect_error(401, refused);
    let body = json!({"refresh_token": forged});
    let answer = app.anonymous().post("/v1/auth/refresh", body).await;
    answer.expect_error(401, refused);
}

#[tokio::test]
async fn a_token_that_we_did_not_sign_is_refused() {
    const UNSIGNED_HEADER: &str = "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0";
    let (app, owner) = App::with_owner_and(&[("JWT_SECRET", SECRET)]).await;
    let parts: Vec<_> = owner.access_token.split('.').collect();
    let (claims, signature) = (parts[1], parts[2]);
    for forged in [
        format!("{UNSIGNED_HEADER}.{claims}."),
        format!("{UNSIGNED_HEADER}.{claims}.{signature}"),
        format!("{}.{claims}.{}", parts[0], "A".repeat(signature.len())),
        format!("{}.{claims}", parts[0]),
    ] {
        assert_refused(&app, &forged).await;
    }
}

#[tokio::test]
async fn a_token_that_our_secret_signed_by_another_algorithm_is_refused() {
    let (app, owner) = App::with_owner_and(&[("JWT_SECRET", SECRET)]).await;
    let claims = owner.access_token.split('.').nth(1).unwrap();
    let signed = |name: &str, algorithm: hmac::Algorithm| {
        let header = json!({"alg": name, "typ": "JWT"}).to_string();
        let signed = format!("{}.{claims}", BASE64URL_NOPAD.encode(header.as_bytes()));
        let key = hmac::Key::new(algorithm, SECRET.as_bytes());
        let tag = hmac::sign(&key, signed.as_bytes());
        format!("{signed}.{}", BASE64URL_NOPAD.encode(tag.as_ref()))
    };
    let ours = signed("HS256", hmac::HMAC_SHA256);
    let caller = app.anonymous().with_token(&ours);
    caller.get("/v1/projects").await.expect_status(200);
    for (name, algorithm) in [
        ("HS384", hmac::HMAC_SHA384),
        ("HS512", hmac::HMAC_SHA512),
        ("RS256", hmac::HMAC_SHA256),
        ("none", hmac::HMAC_SHA256),
    ] {
        assert_refused(&app, &signed(name, algorithm)).await;
    }
}
