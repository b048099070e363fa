//! The page's settings of a control plane.

use harness::Stack;
use serde_json::json;

use super::settings_of_the_page;

const SECRET: &str = "6f1c2a0d9be34b7f8a5d0e3c7b9a1f2e4d6c8b0a9f7e5d3c1b2a4f6e8d0c9b7a";

/// The settings of a control plane, but for those that the stack gives: its database and where it listens.
fn settings() -> Vec<(&'static str, String)> {
    let lines = settings_of_the_page().lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let all = lines.map(|line| line.split_once('=').expect("a setting"));
    let own = all.filter(|(name, _)| *name != "DATABASE_URL" && !name.ends_with("_ADDR"));
    own.map(|(name, value)| {
        let value = value.trim_matches('\'');
        // What the page leaves to its reader; and no mail leaves this machine.
        let value = value.replace('…', SECRET);
        (name, value.replace("@mail.example.com", "@127.0.0.1:9"))
    })
    .collect()
}

#[tokio::test]
async fn the_settings_of_the_page_start_a_control_plane_for_an_account_of_the_operator() {
    let settings = settings();
    assert_eq!(settings.len(), 9, "{settings:?}");
    let given: Vec<_> = settings.iter().map(|(name, it)| (*name, &**it)).collect();
    let stack = Stack::start_with(&given).await;
    let anonymous = stack.anonymous();
    let body = json!({
        "email": "eve@acme.test", "password": "Correct-horse-1", "name": "Eve", "org_name": "Eve",
    });
    let refused = anonymous.post("/v1/auth/register", body).await;
    refused.expect_status(403);

    let account = ["account", "create", "--email", "ada@acme.test"];
    let names = ["--name", "Ada", "--org-name", "Acme"];
    let told = stack.halyard(&[&account[..], &names].concat());
    let (_, rest) = told.split_once("\npassword      ").expect("a password");
    let password = rest.split_whitespace().next().expect("a password");
    let login = json!({"email": "ada@acme.test", "password": password});
    let answer = anonymous.act("/v1/auth/login", login).await;
    let owner = anonymous.with_token(&answer.text("/tokens/access_token"));
    let me = owner.get("/v1/me").await;
    assert_eq!(me.text("/organization/plan"), "enterprise");
}
