//! SCIM: tokens, which members make, and users, whom an identity provider keeps.

use harness::scim::{USERS, user};
use harness::{IdentityProvider, Response, User};
use reqwest::Method;
use serde_json::{Value, json};

use super::{Entry, Pace, Refused, States, Step, Walk, database};

impl Walk {
    pub(super) async fn scim(&mut self, owner: &User) {
        let stranger = self.stranger.clone();
        let stranger = self.app.identity_provider(&stranger).await;
        let provider = self.app.identity_provider(owner).await;
        self.secrets
            .extend([&stranger, &provider].map(|it| it.token.clone()));
        self.scim_tokens(owner).await;

        let ada = "ada@provisioned.test";
        let (made, entries) = self
            .provider_does(
                &provider,
                Method::POST,
                USERS,
                user(ada),
                201,
                "provisioned",
            )
            .await;
        assert_eq!(entries[0].before, Value::Null);
        assert_eq!(entries[0].after, state(&made.body));
        let path = format!("{USERS}/{}", made.text("/id"));
        self.strangers_user(&stranger, &path).await;

        let mut before = made;
        for (method, body, writes) in [
            (Method::PUT, json!({"externalId": "7"}), "updated"),
            (Method::PUT, json!({"active": false}), "deactivated"),
            (Method::PUT, json!({"active": true}), "provisioned"),
            (
                Method::PATCH,
                operation("name.givenName", json!("Ada")),
                "updated",
            ),
            (
                Method::PATCH,
                operation("active", json!("False")),
                "deactivated",
            ),
        ] {
            let (after, entries) = self
                .provider_does(&provider, method, &path, body, 200, writes)
                .await;
            assert_eq!(entries[0].before, state(&before.body));
            assert_eq!(entries[0].after, state(&after.body));
            before = after;
        }
        let (_, entries) = self
            .provider_does(
                &provider,
                Method::DELETE,
                &path,
                Value::Null,
                204,
                "removed",
            )
            .await;
        assert_eq!(entries[0].before, state(&before.body));
        assert_eq!(entries[0].after, Value::Null);
    }

    async fn scim_tokens(&mut self, owner: &User) {
        let (token, entries) = self
            .step(Step {
                endpoint: "POST /v1/scim/tokens",
                path: "/v1/scim/tokens".to_owned(),
                by: Some(owner),
                body: json!({"name": "Okta"}),
                status: 201,
                refused: Some(Refused::Body(json!({"expires_in_days": 0}), 400)),
                writes: &["scim.token_created"],
                states: States::Any,
            })
            .await;
        let mut shown = token.body.clone();
        shown.as_object_mut().expect("a token").remove("token");
        assert_eq!(entries[0].after, shown);
        let (_, entries) = self
            .step(Step {
                endpoint: "DELETE /v1/scim/tokens/{tokenID}",
                path: format!("/v1/scim/tokens/{}", token.text("/id")),
                by: Some(owner),
                body: Value::Null,
                status: 204,
                refused: None,
                writes: &["scim.token_revoked"],
                states: States::Any,
            })
            .await;
        assert_eq!(entries[0].before, shown);
    }

    /// Another organization's provider changes nothing of a user, and nothing is told.
    async fn strangers_user(&self, stranger: &IdentityProvider, path: &str) {
        let known = database::entries(self.app.pool()).await;
        for (method, body) in [
            (Method::PUT, json!({"active": false})),
            (Method::PATCH, operation("active", json!(false))),
            (Method::DELETE, Value::Null),
        ] {
            let answer = stranger.send_scim(method, path, &body).await;
            answer.expect_status(404);
        }
        assert_eq!(database::entries(self.app.pool()).await, known);
    }

    /// Refuses, fails and takes what a provider does; gives the answer and the one entry.
    async fn provider_does(
        &mut self,
        provider: &IdentityProvider,
        method: Method,
        path: &str,
        body: Value,
        status: u16,
        happened: &str,
    ) -> (Response, Vec<Entry>) {
        let endpoint = match path {
            USERS => format!("{method} {USERS}"),
            _ => format!("{method} {USERS}/{{userID}}"),
        };
        let pool = self.app.pool();
        let known = database::entries(pool).await;
        let anonymous = self.app.anonymous();
        let refused = anonymous
            .send(anonymous.request(method.clone(), path))
            .await;
        refused.expect_status(401);
        if method != Method::DELETE {
            let nonsense = json!({"schemas": [], "active": "perhaps"});
            let refused = provider.send_scim(method.clone(), path, &nonsense).await;
            refused.expect_status(400);
        }
        assert_eq!(database::entries(pool).await, known);
        if self.pace == Pace::Thorough {
            let contents = database::contents(pool).await;
            database::fail_commits_with_entries(pool, true).await;
            let failed = provider.send_scim(method.clone(), path, &body).await;
            database::fail_commits_with_entries(pool, false).await;
            failed.expect_scim_error(500, "", "internal server error");
            assert_eq!(database::contents(pool).await, contents, "{endpoint}");
        }

        let answer = provider.send_scim(method, path, &body).await;
        assert_eq!(answer.status, status, "{endpoint}: {}", answer.body);
        let entries = database::entries(pool).await.split_off(known.len());
        let [entry] = &entries[..] else {
            panic!("{endpoint}: {entries:?}");
        };
        assert_eq!(entry.action, format!("scim.user_{happened}"), "{endpoint}");
        assert_eq!(entry.actor_type, "scim", "{endpoint}");
        assert_eq!(entry.actor_id.as_ref(), Some(&provider.token_id));
        assert_eq!(entry.resource_type, "scim", "{endpoint}");
        assert_eq!((&entry.ip_address, &entry.project_id), (&None, &None));
        let stored = database::stored_secrets(pool).await;
        self.secrets.extend(stored);
        self.walked.insert(endpoint, true);
        (answer, entries)
    }
}

fn operation(path: &str, value: Value) -> Value {
    json!({"Operations": [{"op": "replace", "path": path, "value": value}]})
}

/// What the trail keeps of a user.
fn state(shown: &Value) -> Value {
    let mut state = shown.clone();
    let fields = state.as_object_mut().expect("a user");
    fields.remove("schemas");
    fields.remove("meta");
    state
}
