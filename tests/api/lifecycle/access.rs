//! What members and SDKs may do while their organization is deleted, until a login restores it.

use harness::access::protected;
use harness::{App, eventually};
use serde_json::json;

use super::{DELETED, LONG_TOKENS, free, soft_delete, with_free_owner};

#[tokio::test]
async fn every_endpoint_with_a_token_is_403_while_the_organization_is_deleted() {
    let (app, owner) = with_free_owner(&LONG_TOKENS).await;
    let viewer = app.member(&owner, "viewer").await;
    soft_delete(&app).await;
    let id = uuid::Uuid::nil().to_string();
    for row in protected() {
        let parts = row
            .path
            .split('/')
            .map(|part| if part.starts_with('{') { &*id } else { part });
        let path = parts.collect::<Vec<_>>().join("/");
        // Before the role, the plan, the path and the body.
        for caller in [&owner, &viewer] {
            let method = row.method.clone();
            let request = caller.request(method, &path);
            let request = request.header("content-type", "application/json").body("{");
            caller.send(request).await.expect_error(403, DELETED);
        }
    }
}

#[tokio::test]
async fn credentials_and_rates_come_before_the_deletion() {
    let settings = [LONG_TOKENS[0], LONG_TOKENS[1], ("RATE_MANAGEMENT", "2")];
    let app = App::start_with(&settings).await;
    let owner = free(&app, "acme").await;
    soft_delete(&app).await;
    let nobody = app.anonymous().with_token("nonsense");
    nobody.get("/v1/projects").await.expect_status(401);
    for _ in 0..2 {
        owner.get("/v1/projects").await.expect_error(403, DELETED);
    }
    let refused = owner.get("/v1/projects").await;
    refused.expect_error(429, "rate limit exceeded");
}

#[tokio::test]
async fn evaluation_goes_on_while_the_organization_is_deleted() {
    let (app, owner) = with_free_owner(&[]).await;
    let project = owner.default_project().await;
    let flag = json!({"key": "checkout", "name": "Checkout"});
    let flags = format!("/v1/projects/{}/flags", project.id);
    owner.create(&flags, flag).await;
    let sdk = app.anonymous().with_key(&owner.api_key(&project.dev).await);
    soft_delete(&app).await;
    let body = json!({"flag_key": "checkout", "context": {"key": "user-1"}});
    eventually("the flag is served", async || {
        let answer = sdk.post("/v1/evaluate", body.clone()).await;
        (answer.status == 200 && answer.body["reason"] != "NOT_FOUND").then_some(())
    })
    .await;
}
