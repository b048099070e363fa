//! What the service says of itself.

use harness::scim::USER;
use serde_json::json;

use super::Scene;

#[tokio::test]
async fn the_configuration_announces_what_works() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    provider.get("/v1/scim/ServiceProviderConfig").await.expect(
        200,
        json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
            "patch": {"supported": true},
            "bulk": {"supported": false, "maxOperations": 0, "maxPayloadSize": 0},
            "filter": {"supported": true, "maxResults": 100},
            "changePassword": {"supported": false},
            "sort": {"supported": false},
            "etag": {"supported": false},
            "authenticationSchemes": [{
                "type": "oauthbearertoken", "name": "[text]", "description": "[text]", "specUri": "[text]",
                "primary": true,
            }],
            "meta": {"resourceType": "ServiceProviderConfig", "location": "[text]"},
        }),
    );
}

#[tokio::test]
async fn users_are_the_only_resources() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let one = provider.get("/v1/scim/ResourceTypes/User").await;
    one.expect(
        200,
        json!({
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"],
            "id": "User", "name": "User", "description": "[text]", "endpoint": "/Users", "schema": USER,
            "meta": {"resourceType": "ResourceType", "location": "[text]"},
        }),
    );
    let list = provider.get("/v1/scim/ResourceTypes").await;
    assert_eq!(list.body["Resources"], json!([one.body]));
    assert_eq!(list.body["totalResults"], 1);
    let unknown = provider.get("/v1/scim/ResourceTypes/Group").await;
    unknown.expect_scim_error(404, "", "resource type not found");
}

#[tokio::test]
async fn the_schema_has_the_attributes_that_are_kept() {
    let scene = Scene::set().await;
    let provider = &scene.provider;
    let one = provider.get(&format!("/v1/scim/Schemas/{USER}")).await;
    one.expect_status(200);
    let attributes = one.body["attributes"].as_array().unwrap();
    let names: Vec<_> = attributes
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["userName", "externalId", "name", "emails", "active"]
    );
    let list = provider.get("/v1/scim/Schemas").await;
    assert_eq!(list.body["Resources"], json!([one.body]));
    let unknown = provider.get("/v1/scim/Schemas/urn:x").await;
    unknown.expect_scim_error(404, "", "schema not found");
}

#[tokio::test]
async fn searching_by_post_is_501() {
    let scene = Scene::set().await;
    let (app, _, provider) = scene.parts();
    for path in ["/v1/scim/.search", "/v1/scim/Users/.search"] {
        let words = "searching by POST is not supported";
        let answer = provider
            .post(path, json!({"filter": "active eq true"}))
            .await;
        answer.expect_scim_error(501, "", words);
        let answer = app.anonymous().post(path, json!({})).await;
        answer.expect_scim_error(401, "", "missing authorization header");
    }
}
