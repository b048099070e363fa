//! Projects and all that is in them.

use harness::User;
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk};

impl Walk {
    pub(super) async fn projects(&mut self, owner: &User) {
        let body = json!({"name": "Shop"});
        let project = self
            .creates(owner, "POST /v1/projects", body, "project.created")
            .await;
        self.ids.insert("projectID", project);
        let endpoint = "PUT /v1/projects/{projectID}";
        let body = json!({"name": "Store"});
        self.changes(owner, endpoint, body, "project.updated").await;
        let mut envs = Vec::new();
        for name in ["Dev", "Live"] {
            let endpoint = "POST /v1/projects/{projectID}/environments";
            let body = json!({"name": name});
            let made = self.creates(owner, endpoint, body, "environment.created");
            envs.push(made.await);
        }
        self.ids.insert("envID", envs[0].clone());
        let endpoint = "PUT /v1/projects/{projectID}/environments/{envID}";
        let body = json!({"slug": "devel"});
        self.changes(owner, endpoint, body, "environment.updated")
            .await;
        let endpoint = "PUT /v1/projects/{projectID}/environments/{envID}/sampling";
        let action = "environment.sampling_changed";
        self.changes(owner, endpoint, json!({"enabled": true}), action)
            .await;
        let endpoint = "POST /v1/projects/{projectID}/environments/{envID}/what-if";
        let draft = json!({"flags": [{"key": "b-flag", "name": "B flag"}]});
        self.step(Step {
            endpoint,
            path: self.path(endpoint),
            by: Some(owner),
            body: json!({"changes": draft, "examples": 1, "wait_seconds": 0}),
            status: 201,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &["environment.examples_shown"],
            states: States::Any,
        })
        .await;
        self.flags(owner, &envs).await;
        self.segments(owner).await;
        self.change_sets(owner).await;
        self.grants(owner).await;
        self.api_keys(owner).await;
        let endpoint = "DELETE /v1/projects/{projectID}/environments/{envID}";
        self.deletes(owner, endpoint, "environment.deleted").await;
        let endpoint = "DELETE /v1/projects/{projectID}";
        self.deletes(owner, endpoint, "project.deleted").await;
    }

    async fn flags(&mut self, owner: &User, envs: &[String]) {
        let endpoint = "POST /v1/projects/{projectID}/flags";
        let body = json!({"key": "a-flag", "name": "A flag"});
        self.creates(owner, endpoint, body, "flag.created").await;
        self.ids.insert("flagKey", "a-flag".to_owned());
        let endpoint = "PUT /v1/projects/{projectID}/flags/{flagKey}";
        let body = json!({"name": "B flag"});
        self.changes(owner, endpoint, body, "flag.updated").await;
        self.states(owner, envs).await;
        let flag = self.path("/v1/projects/{projectID}/flags/{flagKey}");
        self.approvals(owner, &flag, &envs[0]).await;
        let body = json!({
            "project_id": self.ids["projectID"],
            "env_id": envs[0],
            "flag_key": "a-flag",
            "context": {"key": "somebody"},
        });
        self.step(Step {
            endpoint: "POST /v1/explain",
            path: "/v1/explain".to_owned(),
            by: Some(owner),
            body,
            status: 200,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &[],
            states: States::Any,
        })
        .await;
        let endpoint = "POST /v1/projects/{projectID}/bulk";
        self.step(Step {
            endpoint,
            path: self.path(endpoint),
            by: Some(owner),
            body: json!({"keys": ["a-flag"], "action": "tag", "tag": "a-tag"}),
            status: 200,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &["flag.updated"],
            states: States::Of(flag.clone()),
        })
        .await;
        let endpoint = "POST /v1/projects/{projectID}/content";
        self.step(Step {
            endpoint,
            path: self.path(endpoint),
            by: Some(owner),
            body: json!({"flags": [{"key": "a-flag", "description": "as in a file"}]}),
            status: 200,
            refused: Some(Refused::Body(json!({"flags": [{}]}), 400)),
            writes: &["flag.updated"],
            states: States::Of(flag.clone()),
        })
        .await;
        self.references(owner).await;
        for (endpoint, action) in [
            (
                "POST /v1/projects/{projectID}/flags/{flagKey}/archive",
                "flag.archived",
            ),
            (
                "POST /v1/projects/{projectID}/flags/{flagKey}/restore",
                "flag.restored",
            ),
        ] {
            self.step(Step {
                endpoint,
                path: self.path(endpoint),
                by: Some(owner),
                body: Value::Null,
                status: 204,
                refused: None,
                writes: &[action],
                states: States::Of(flag.clone()),
            })
            .await;
        }
        let endpoint = "POST /v1/projects/{projectID}/flags/{flagKey}/archive";
        let answer = owner.post(&self.path(endpoint), Value::Null).await;
        answer.expect(204, Value::Null);
        let endpoint = "DELETE /v1/projects/{projectID}/flags/{flagKey}";
        self.deletes(owner, endpoint, "flag.deleted").await;
    }

    async fn states(&mut self, owner: &User, envs: &[String]) {
        let endpoint = "PUT /v1/projects/{projectID}/flags/{flagKey}/environments/{envID}";
        // The first creates the state, the second changes it.
        for enabled in [false, true] {
            let body = json!({"enabled": enabled, "percentage_rollout": 5000});
            self.changes(owner, endpoint, body, "flag.state_updated")
                .await;
        }
        for (endpoint, body, action, env) in [
            (
                "POST /v1/projects/{projectID}/flags/{flagKey}/promote",
                json!({"source_env_id": envs[0], "target_env_id": envs[1]}),
                "flag.promoted",
                &envs[1],
            ),
            // The state as it was made: version 3, after the flag was made and renamed.
            (
                "POST /v1/projects/{projectID}/flags/{flagKey}/rollback",
                json!({"env_id": envs[0], "version": 3}),
                "flag.rolled_back",
                &envs[0],
            ),
            (
                "POST /v1/projects/{projectID}/flags/{flagKey}/kill",
                json!({"env_id": envs[0]}),
                "flag.killed",
                &envs[0],
            ),
        ] {
            let flag = self.path("/v1/projects/{projectID}/flags/{flagKey}");
            self.step(Step {
                endpoint,
                path: self.path(endpoint),
                by: Some(owner),
                body,
                status: 200,
                refused: Some(Refused::Body(json!({}), 400)),
                writes: &[action],
                states: States::Of(format!("{flag}/environments/{env}")),
            })
            .await;
        }
    }

    async fn segments(&mut self, owner: &User) {
        let endpoint = "POST /v1/projects/{projectID}/segments";
        let body = json!({"key": "a-segment", "name": "A segment", "rules": []});
        self.creates(owner, endpoint, body, "segment.created").await;
        self.ids.insert("segmentKey", "a-segment".to_owned());
        let endpoint = "PUT /v1/projects/{projectID}/segments/{segmentKey}";
        let body = json!({"match_type": "any"});
        self.changes(owner, endpoint, body, "segment.updated").await;
        let endpoint = "DELETE /v1/projects/{projectID}/segments/{segmentKey}";
        self.deletes(owner, endpoint, "segment.deleted").await;
    }

    /// What is left of a grant is shown with it, and not in its entries.
    async fn grants(&mut self, owner: &User) {
        let member = self.app.member(owner, "developer").await;
        let holder = owner.member_id_of(&member.email).await;
        let body = json!({
            "name": "A grant",
            "env_id": self.ids["envID"],
            "holder": {"kind": "member", "id": holder},
            "max_raise": 1000,
        });
        let mut renamed = body.clone();
        renamed["name"] = json!("B grant");
        for (endpoint, body, status, action) in [
            (
                "POST /v1/projects/{projectID}/grants",
                body,
                201,
                "grant.created",
            ),
            (
                "PUT /v1/projects/{projectID}/grants/{grantID}",
                renamed,
                200,
                "grant.updated",
            ),
            (
                "DELETE /v1/projects/{projectID}/grants/{grantID}",
                Value::Null,
                204,
                "grant.deleted",
            ),
        ] {
            let reads_body = !body.is_null();
            let step = Step {
                endpoint,
                path: self.path(endpoint),
                by: Some(owner),
                body,
                status,
                refused: reads_body.then(|| Refused::Body(json!({}), 400)),
                writes: &[action],
                states: States::Any,
            };
            let (answer, _) = self.step(step).await;
            if status == 201 {
                self.ids.insert("grantID", answer.text("/id"));
            }
        }
    }

    /// A key is shown by lists alone, so its states are looked at here.
    async fn api_keys(&mut self, owner: &User) {
        let list = self.path("/v1/environments/{envID}/api-keys");
        for endpoint in [
            "POST /v1/environments/{envID}/api-keys",
            "POST /v1/projects/{projectID}/environments/{envID}/api-keys",
        ] {
            let (path, body) = (self.path(endpoint), json!({"name": "a key"}));
            let creation = key_step(owner, endpoint, &path, body, 201, &["api_key.created"]);
            let (_, entries) = self.step(creation).await;
            let listed = keys(owner, &list).await;
            assert_eq!(
                (&entries[0].before, &entries[0].after),
                (&Value::Null, listed.last().expect("a key"))
            );
        }

        let old = keys(owner, &list).await[0].clone();
        let item = format!("/v1/api-keys/{}", old["id"].as_str().expect("an id"));
        let (rotate, path) = ("POST /v1/api-keys/{keyID}/rotate", format!("{item}/rotate"));
        let writes = ["api_key.created", "api_key.rotated"];
        let body = json!({"grace_period_hours": 1});
        let (_, entries) = self
            .step(key_step(owner, rotate, &path, body, 200, &writes))
            .await;
        let listed = keys(owner, &list).await;
        assert_eq!(
            (&entries[0].before, &entries[0].after),
            (&Value::Null, &listed[2])
        );
        assert_eq!((&entries[1].before, &entries[1].after), (&old, &listed[0]));

        self.rehearses(owner, &listed[0]["id"]).await;

        let before = listed[0].clone();
        let (revoke, writes) = ("DELETE /v1/api-keys/{keyID}", ["api_key.revoked"]);
        let (_, entries) = self
            .step(key_step(owner, revoke, &item, Value::Null, 204, &writes))
            .await;
        let after = &keys(owner, &list).await[0];
        assert_eq!((&entries[0].before, &entries[0].after), (&before, after));
    }

    async fn rehearses(&mut self, owner: &User, key: &Value) {
        let begin = "POST /v1/projects/{projectID}/environments/{envID}/rehearsals";
        let path = self.path(begin);
        let body = json!({"api_key_id": key});
        let writes = ["api_key.rehearsal_started"];
        let (begun, entries) = self
            .step(key_step(owner, begin, &path, body, 201, &writes))
            .await;
        assert_eq!(
            (&entries[0].before, &entries[0].after),
            (&Value::Null, &begun.body)
        );
        let stop = "POST /v1/projects/{projectID}/environments/{envID}/rehearsals/stop";
        let path = self.path(stop);
        let writes = ["api_key.rehearsal_stopped"];
        let step = key_step(owner, stop, &path, Value::Null, 200, &writes);
        let (stopped, entries) = self.step(step).await;
        assert_eq!(
            (&entries[0].before, &entries[0].after),
            (&begun.body, &stopped.body)
        );
    }

    /// A step that makes something and answers it; gives its id.
    pub(super) async fn creates(
        &mut self,
        owner: &User,
        endpoint: &'static str,
        body: Value,
        action: &str,
    ) -> String {
        let step = Step {
            endpoint,
            path: self.path(endpoint),
            by: Some(owner),
            body,
            status: 201,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &[action],
            states: States::Created,
        };
        self.step(step).await.0.text("/id")
    }

    /// A step that changes what its path shows.
    pub(super) async fn changes(
        &mut self,
        owner: &User,
        endpoint: &'static str,
        body: Value,
        action: &str,
    ) {
        self.step(Step {
            endpoint,
            path: self.path(endpoint),
            by: Some(owner),
            body,
            status: 200,
            refused: Some(Refused::Body(json!([]), 400)),
            writes: &[action],
            states: States::Of(self.path(endpoint)),
        })
        .await;
    }

    /// A step after which its path shows nothing.
    pub(super) async fn deletes(&mut self, owner: &User, endpoint: &'static str, action: &str) {
        self.step(Step {
            endpoint,
            path: self.path(endpoint),
            by: Some(owner),
            body: Value::Null,
            status: 204,
            refused: None,
            writes: &[action],
            states: States::Of(self.path(endpoint)),
        })
        .await;
    }
}

fn key_step<'a>(
    owner: &'a User,
    endpoint: &'static str,
    path: &str,
    body: Value,
    status: u16,
    writes: &'a [&'a str],
) -> Step<'a> {
    let refused = (!body.is_null()).then(|| Refused::Body(json!([]), 400));
    Step {
        endpoint,
        path: path.to_owned(),
        by: Some(owner),
        body,
        status,
        refused,
        writes,
        states: States::Any,
    }
}

async fn keys(owner: &User, path: &str) -> Vec<Value> {
    let answer = owner.get(path).await;
    answer.body["data"].as_array().expect("a list").clone()
}
