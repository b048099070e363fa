//! Asking for approval about a flag that is named by its key.

use harness::Response;
use serde_json::{Value, json};

use super::{Setup, approve, expect_nothing_stored};

/// Asks with these names of the flag in place of its id.
async fn ask(setup: &Setup, names: Value) -> Response {
    let mut body = setup.asking("enable", &json!({}));
    body.as_object_mut().unwrap().remove("flag_id");
    for (name, value) in names.as_object().unwrap() {
        body[name] = value.clone();
    }
    setup.developer.post("/v1/approvals", body).await
}

#[tokio::test]
async fn a_flag_is_named_by_its_key_or_its_id_or_both() {
    let setup = Setup::new().await;
    let mut last = String::new();
    for names in [
        json!({"flag_key": "f"}),
        json!({"flag_key": "f", "flag_id": ""}),
        json!({"flag_id": setup.flag_id, "flag_key": null}),
        json!({"flag_key": "f", "flag_id": setup.flag_id}),
    ] {
        let asked = ask(&setup, names).await;
        asked.expect(201, setup.pending("enable", &json!({})));
        assert_eq!(asked.headers.get("x-ignored-fields"), None);
        last = format!("/v1/approvals/{}", asked.text("/id"));
    }
    approve(&setup.owner, &last).await.expect_status(200);
    assert_eq!(setup.state().await["enabled"], true);
}

#[tokio::test]
async fn a_key_is_looked_up_in_the_project_of_the_environment() {
    let setup = Setup::new().await;
    let other = setup
        .owner
        .post("/v1/projects", json!({"name": "Other"}))
        .await
        .text("/id");
    for key in ["f", "g"] {
        let flag = json!({"key": key, "name": "Another"});
        let flags = format!("/v1/projects/{other}/flags");
        setup.owner.create(&flags, flag).await;
    }
    let asked = ask(&setup, json!({"flag_key": "f"})).await;
    assert_eq!(asked.expect_status(201).body["flag_id"], setup.flag_id);
    let refused = ask(&setup, json!({"flag_key": "g"})).await;
    refused.expect_error(404, "flag not found");
}

#[tokio::test]
async fn a_key_that_no_flag_has_is_404() {
    let setup = Setup::new().await;
    for key in ["nowhere", "F", "no key", "ü", &"x".repeat(300)] {
        let refused = ask(&setup, json!({"flag_key": key})).await;
        refused.expect_error(404, "flag not found");
    }
    let stranger = setup.app.signup("globex").await;
    let foreign = stranger.default_project().await;
    let refused = ask(&setup, json!({"flag_key": "f", "env_id": foreign.dev})).await;
    refused.expect_error(404, "environment not found");
    expect_nothing_stored(&setup).await;
}

#[tokio::test]
async fn an_id_and_a_key_of_different_flags_are_400() {
    let setup = Setup::new().await;
    let flags = format!("/v1/projects/{}/flags", setup.project.id);
    let flag = json!({"key": "g", "name": "G"});
    setup.owner.create(&flags, flag).await;
    for key in ["g", "nowhere", "F"] {
        let names = json!({"flag_id": setup.flag_id, "flag_key": key});
        ask(&setup, names)
            .await
            .expect_error(400, "flag_id and flag_key must name the same flag");
    }
    expect_nothing_stored(&setup).await;
}

#[tokio::test]
async fn a_key_that_is_no_text_is_400() {
    let setup = Setup::new().await;
    for key in [json!(5), json!(["f"]), json!({"key": "f"})] {
        let refused = ask(&setup, json!({"flag_key": key})).await;
        refused.expect_error(400, "flag_key must be a string");
    }
    for blank in [json!(null), json!(""), json!(" ")] {
        let refused = ask(&setup, json!({"flag_key": blank})).await;
        refused.expect_error(400, "flag_id or flag_key is required");
    }
    expect_nothing_stored(&setup).await;
}
