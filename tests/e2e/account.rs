//! `halyard account create`: the first account of an installation whose sign-up is closed.

use harness::Stack;
use harness::user::PASSWORD;
use serde_json::json;

#[tokio::test]
async fn an_operator_opens_the_first_account_where_sign_up_is_closed() {
    let stack = Stack::start_with(&[("SIGNUP", "closed"), ("DEFAULT_PLAN", "pro")]).await;
    let body =
        json!({"email": "ada@acme.test", "password": PASSWORD, "name": "Ada", "org_name": "Acme"});
    let anonymous = stack.anonymous();
    let refused = anonymous.post("/v1/auth/register", body).await;
    refused.expect_status(403);

    let create = |email: &'static str| {
        let account = ["account", "create", "--email", email];
        let names = ["--name", "Ada", "--org-name", "Acme"];
        [&account[..], &names].concat()
    };
    let told = stack.halyard(&create("ada@acme.test"));
    assert!(told.contains(", on pro\n"), "{told}");
    let (_, rest) = told.split_once("\npassword      ").expect("a password");
    let password = rest.split_whitespace().next().expect("a password");
    let login = json!({"email": "ada@acme.test", "password": password});
    let answer = anonymous.act("/v1/auth/login", login).await;
    let owner = anonymous.with_token(&answer.text("/tokens/access_token"));
    let me = owner.get("/v1/me").await;
    assert_eq!(me.text("/organization/plan"), "pro");

    let arguments = [create("eve@acme.test"), vec!["--password-stdin"]].concat();
    let told = stack
        .control
        .run_with_input(&arguments, &format!("{PASSWORD}\nmore\n"));
    assert!(!told.contains("password"), "{told}");
    let login = json!({"email": "eve@acme.test", "password": PASSWORD});
    anonymous.act("/v1/auth/login", login).await;

    let refused = stack.control.refused(&create("ada@acme.test"));
    assert!(refused.contains("email already registered"), "{refused}");
}
