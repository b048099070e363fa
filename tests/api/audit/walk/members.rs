//! Inviting, changing and removing a member, and what they may do in an environment.

use harness::User;
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk};

impl Walk {
    pub(super) async fn members(&mut self, owner: &User) {
        let (invited, _) = self
            .step(Step {
                endpoint: "POST /v1/members/invite",
                path: "/v1/members/invite".to_owned(),
                by: Some(owner),
                body: json!({"email": "bob@example.test", "role": "viewer"}),
                status: 201,
                refused: Some(Refused::Body(json!({"email": owner.email}), 409)),
                writes: &["member.invited"],
                states: States::Created,
            })
            .await;

        let path = format!("/v1/members/{}", invited.text("/id"));
        let (_, entries) = self
            .step(Step {
                endpoint: "PUT /v1/members/{memberID}",
                path: path.clone(),
                by: Some(owner),
                body: json!({"role": "developer"}),
                status: 204,
                refused: Some(Refused::Body(json!({"role": "editor"}), 400)),
                writes: &["member.role_changed"],
                states: States::Any,
            })
            .await;
        let mut member = invited.body.clone();
        member["role"] = json!("developer");
        assert_eq!(entries[0].before, invited.body);
        assert_eq!(entries[0].after, member);

        self.permissions(owner, &path).await;
        self.step(Step {
            endpoint: "DELETE /v1/members/{memberID}/sessions",
            path: format!("{path}/sessions"),
            by: Some(owner),
            body: Value::Null,
            status: 204,
            refused: None,
            writes: &["member.sessions_ended"],
            states: States::Any,
        })
        .await;
        let (_, entries) = self
            .step(Step {
                endpoint: "DELETE /v1/members/{memberID}",
                path: path.clone(),
                by: Some(owner),
                body: Value::Null,
                status: 204,
                refused: None,
                writes: &["member.removed"],
                states: States::Any,
            })
            .await;
        assert_eq!(entries[0].before, member);
    }

    async fn permissions(&mut self, owner: &User, member: &str) {
        let dev = owner.default_project().await.dev;
        let row = json!({"env_id": dev, "can_toggle": false, "can_edit_rules": true});
        let twice = json!({"permissions": [row, row]});
        let path = format!("{member}/permissions");
        self.step(Step {
            endpoint: "PUT /v1/members/{memberID}/permissions",
            path: path.clone(),
            by: Some(owner),
            body: json!({"permissions": [row]}),
            status: 200,
            refused: Some(Refused::Body(twice, 400)),
            writes: &["member.permissions_updated"],
            states: States::Of(path),
        })
        .await;
    }
}
