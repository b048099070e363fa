//! SCIM: an identity provider keeps the members of an organization.

mod adoption;
mod authority;
mod changes;
mod clients;
mod compliance;
mod creation;
mod deactivation;
mod discovery;
mod errors;
mod lists;
mod patches;
mod races;
mod removal;
mod takeover;
mod tokens;

use harness::scim::{USER, USERS};
use harness::user::PASSWORD;
use harness::{App, IdentityProvider, Response, User};
use serde_json::{Value, json};

const ADA: &str = "ada@example.com";

/// An organization with an identity provider.
struct Scene {
    app: App,
    owner: User,
    provider: IdentityProvider,
}

impl Scene {
    async fn set() -> Self {
        Self::set_with(&[]).await
    }

    async fn set_with(settings: &[(&str, &str)]) -> Self {
        let (app, owner) = App::with_owner_and(settings).await;
        let provider = app.identity_provider(&owner).await;
        Self {
            app,
            owner,
            provider,
        }
    }

    fn parts(&self) -> (&App, &User, &IdentityProvider) {
        (&self.app, &self.owner, &self.provider)
    }

    /// Another organization with an identity provider.
    async fn another(&self, name: &str) -> (User, IdentityProvider) {
        let owner = self.app.signup(name).await;
        let provider = self.app.identity_provider(&owner).await;
        (owner, provider)
    }

    /// The member of this address, as the list of members shows them; `null` without one.
    async fn member(&self, email: &str) -> Value {
        member(&self.owner, email).await
    }
}

async fn member(owner: &User, email: &str) -> Value {
    let members = owner.get("/v1/members?limit=100").await;
    let all = members.body["data"].as_array().expect("a list");
    let found = all.iter().find(|member| member["email"] == email);
    found.cloned().unwrap_or_default()
}

fn path(id: &str) -> String {
    format!("{USERS}/{id}")
}

/// A user in an answer: what the test says, and what every user has.
fn shown(fields: Value) -> Value {
    let mut shown = json!({
        "schemas": [USER],
        "id": "[uuid]",
        "emails": [],
        "active": true,
        "meta": {"resourceType": "User", "created": "[time]", "lastModified": "[time]", "location": "[text]"},
    });
    for (name, value) in fields.as_object().expect("fields") {
        shown[name] = value.clone();
    }
    shown
}

/// A PATCH with these operations.
fn operations(operations: Value) -> Value {
    json!({"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": operations})
}

/// Proves an address and opens an account with it, or claims the one that waits.
async fn sign_up(app: &App, email: &str) -> Response {
    let anonymous = app.anonymous();
    let body = json!({"email": email, "password": PASSWORD, "name": "Ada", "org_name": "Engines"});
    anonymous.act("/v1/auth/initiate-signup", body).await;
    let otp = app.mail_to(email).await.code().to_owned();
    let body = json!({"email": email, "otp": otp});
    let answer = anonymous.post("/v1/auth/complete-signup", body).await;
    answer.expect_status(201).clone()
}
