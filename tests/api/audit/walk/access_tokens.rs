//! Access tokens of a member, and of service accounts.

use harness::{Response, User};
use serde_json::{Value, json};

use super::{Entry, Refused, States, Step, Walk};

/// What an entry shows of a token that was made: all but its text.
fn shown(made: &Response) -> Value {
    let mut shown = made.body.clone();
    let fields = shown.as_object_mut().expect("a token");
    fields.remove("token").expect("its text");
    shown
}

fn expect_made(entries: &[Entry], made: &Response) {
    let last = entries.last().expect("an entry");
    assert_eq!((&last.before, &last.after), (&Value::Null, &shown(made)));
}

impl Walk {
    pub(super) async fn access_tokens(&mut self, owner: &User) {
        let (made, entries) = self
            .step(Step {
                endpoint: "POST /v1/me/tokens",
                path: "/v1/me/tokens".to_owned(),
                by: Some(owner),
                body: json!({"name": "ci"}),
                status: 201,
                refused: Some(Refused::Body(json!({"name": "ci", "role": "root"}), 400)),
                writes: &["access_token.created"],
                states: States::Any,
            })
            .await;
        expect_made(&entries, &made);
        let (_, entries) = self
            .step(Step {
                endpoint: "DELETE /v1/me/tokens/{accessTokenID}",
                path: format!("/v1/me/tokens/{}", made.text("/id")),
                by: Some(owner),
                body: Value::Null,
                status: 204,
                refused: None,
                writes: &["access_token.revoked"],
                states: States::Any,
            })
            .await;
        assert_eq!(entries[0].before, shown(&made));
    }

    pub(super) async fn service_accounts(&mut self, owner: &User) {
        let (made, _) = self
            .step(Step {
                endpoint: "POST /v1/service-accounts",
                path: "/v1/service-accounts".to_owned(),
                by: Some(owner),
                body: json!({"name": "ci", "role": "developer"}),
                status: 201,
                refused: Some(Refused::Body(json!({"name": "ci"}), 400)),
                writes: &["service_account.created"],
                states: States::Created,
            })
            .await;
        let path = format!("/v1/service-accounts/{}", made.text("/id"));
        self.step(Step {
            endpoint: "PATCH /v1/service-accounts/{serviceAccountID}",
            path: path.clone(),
            by: Some(owner),
            body: json!({"name": "deploy"}),
            status: 200,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &["service_account.updated"],
            states: States::Of(path.clone()),
        })
        .await;
        self.tokens_of_account(owner, &format!("{path}/tokens"))
            .await;
        self.step(Step {
            endpoint: "DELETE /v1/service-accounts/{serviceAccountID}",
            path: path.clone(),
            by: Some(owner),
            body: Value::Null,
            status: 204,
            refused: None,
            writes: &["service_account.deleted"],
            states: States::Of(path),
        })
        .await;
    }

    async fn tokens_of_account(&mut self, owner: &User, path: &str) {
        let (made, entries) = self
            .step(Step {
                endpoint: "POST /v1/service-accounts/{serviceAccountID}/tokens",
                path: path.to_owned(),
                by: Some(owner),
                body: json!({"name": "ci"}),
                status: 201,
                refused: Some(Refused::Body(json!({}), 400)),
                writes: &["access_token.created"],
                states: States::Any,
            })
            .await;
        expect_made(&entries, &made);
        let token = format!("{path}/{}", made.text("/id"));
        let (rotated, entries) = self
            .step(Step {
                endpoint: "POST /v1/service-accounts/{serviceAccountID}/tokens/{accessTokenID}/rotate",
                path: format!("{token}/rotate"),
                by: Some(owner),
                body: json!({}),
                status: 201,
                refused: Some(Refused::Body(json!({"overlap_hours": -1}), 400)),
                writes: &["access_token.rotated", "access_token.created"],
                states: States::Any,
            })
            .await;
        assert_eq!(entries[0].before, shown(&made));
        expect_made(&entries, &rotated);
        self.step(Step {
            endpoint: "DELETE /v1/service-accounts/{serviceAccountID}/tokens/{accessTokenID}",
            path: token,
            by: Some(owner),
            body: Value::Null,
            status: 204,
            refused: None,
            writes: &["access_token.revoked"],
            states: States::Any,
        })
        .await;
    }
}
