//! Whose requests the rate of signing in counts.

use harness::{App, Caller};
use reqwest::Method;
use serde_json::json;

#[tokio::test]
async fn the_sign_in_rate_counts_addresses_before_organizations() {
    let app = App::start_with(&[
        ("RATE_SIGN_IN", "2"),
        ("RATE_MANAGEMENT", "3"),
        ("TRUSTED_PROXIES", "127.0.0.0/8"),
    ])
    .await;
    let owner = app.signup("acme").await;
    let issue = async |caller: &Caller, address: &str| {
        let request = caller.request(Method::POST, "/v1/auth/one-time-token");
        let request = request.header("x-forwarded-for", address);
        caller.send(request).await
    };

    // A token that is not valid counts for its address all the same.
    let nobody = app.anonymous().with_token("nonsense");
    issue(&nobody, "198.51.100.1").await.expect_status(401);
    let last = issue(&owner, "198.51.100.1").await;
    last.expect_status(201);
    assert_eq!(last.header("x-ratelimit-limit"), "2");
    assert_eq!(last.header("x-ratelimit-remaining"), "0");
    let refused = issue(&owner, "198.51.100.1").await;
    refused.expect_error(429, "rate limit exceeded");

    // The refusal cost the organization nothing: two of its three calls are left.
    for address in ["198.51.100.2", "198.51.100.3"] {
        issue(&owner, address).await.expect_status(201);
    }
    let refused = issue(&owner, "198.51.100.4").await;
    refused.expect_error(429, "rate limit exceeded");
    assert_eq!(refused.header("x-ratelimit-remaining"), "1");
}

#[tokio::test]
async fn endpoints_of_second_factors_tell_the_rate_of_the_address() {
    let app = App::start_with(&[("RATE_SIGN_IN", "300"), ("RATE_MANAGEMENT", "6000")]).await;
    let owner = app.signup("acme").await;
    let mut answers = vec![owner.get("/v1/auth/mfa/status").await];
    for endpoint in ["enable", "verify", "disable"] {
        let path = format!("/v1/auth/mfa/{endpoint}");
        answers.push(owner.post(&path, json!({})).await);
    }
    for answer in answers {
        assert_eq!(answer.header("x-ratelimit-limit"), "300");
    }
}
