//! An identity provider: whoever holds a SCIM token of an organization.

use std::ops::Deref;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    app::App,
    caller::{Caller, Response},
    user::User,
};

/// The schema of users.
pub const USER: &str = "urn:ietf:params:scim:schemas:core:2.0:User";

/// The path of users.
pub const USERS: &str = "/v1/scim/Users";

/// Calls carry the SCIM token.
#[derive(Clone)]
pub struct IdentityProvider {
    caller: Caller,
    pub token_id: String,
    /// The text of the token.
    pub token: String,
}

impl App {
    /// An identity provider of the user's organization, which is on Enterprise from then on.
    pub async fn identity_provider(&self, owner: &User) -> IdentityProvider {
        self.set_plan(owner, "enterprise").await;
        let made = owner.post("/v1/scim/tokens", json!({})).await;
        made.expect_status(201);
        let token = made.text("/token");
        IdentityProvider {
            caller: self.anonymous().with_token(&token),
            token_id: made.text("/id"),
            token,
        }
    }
}

impl IdentityProvider {
    /// Provisions somebody by their address; the id.
    pub async fn provision(&self, email: &str) -> String {
        let answer = self.post(USERS, user(email)).await;
        assert!(answer.status < 300, "{:#}", answer.body);
        answer.text("/id")
    }

    /// Sends a body as SCIM clients do.
    pub async fn send_scim(&self, method: Method, path: &str, body: &Value) -> Response {
        let request = self.request(method, path);
        let request = request.header("content-type", "application/scim+json");
        self.send(request.body(body.to_string())).await
    }

    /// Says that somebody is active, or not.
    pub async fn set_active(&self, id: &str, active: bool) -> Response {
        let body = json!({"active": active});
        self.put(&format!("{USERS}/{id}"), body).await
    }
}

impl Deref for IdentityProvider {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

/// A body for somebody who is known by their address.
#[must_use]
pub fn user(email: &str) -> Value {
    json!({"schemas": [USER], "userName": email, "emails": [{"value": email, "primary": true}]})
}

impl Response {
    /// Asserts a refusal in the form of SCIM. An empty type is none.
    #[track_caller]
    pub fn expect_scim_error(&self, status: u16, scim_type: &str, detail: &str) -> &Self {
        let mut body = json!({
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
            "status": status.to_string(),
            "detail": detail,
        });
        if !scim_type.is_empty() {
            body["scimType"] = scim_type.into();
        }
        self.expect(status, body);
        assert_eq!(self.header("content-type"), "application/scim+json");
        self
    }
}
