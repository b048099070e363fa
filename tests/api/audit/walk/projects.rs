//! Projects and all that is in them.

use harness::User;
use serde_json::{Value, json};

use super::{Refused, States, Step, Walk};

const PROJECT: &str = "PUT /v1/projects/{projectID}";
const ENVIRONMENT: &str = "PUT /v1/projects/{projectID}/environments/{envID}";

impl Walk {
    pub(super) async fn projects(&mut self, owner: &User) {
        let project = self
            .creates(
                owner,
                "POST /v1/projects",
                "/v1/projects",
                json!({"name": "Shop"}),
                "project.created",
            )
            .await;
        let base = format!("/v1/projects/{project}");
        self.changes(
            owner,
            PROJECT,
            &base,
            json!({"name": "Store"}),
            "project.updated",
        )
        .await;
        let mut envs = Vec::new();
        for name in ["Dev", "Live"] {
            envs.push(
                self.creates(
                    owner,
                    "POST /v1/projects/{projectID}/environments",
                    &format!("{base}/environments"),
                    json!({"name": name}),
                    "environment.created",
                )
                .await,
            );
        }
        let env = format!("{base}/environments/{}", envs[0]);
        self.changes(
            owner,
            ENVIRONMENT,
            &env,
            json!({"slug": "devel"}),
            "environment.updated",
        )
        .await;
        self.flags(owner, &base, &envs).await;
        self.segments(owner, &base).await;
        self.api_keys(owner, &base, &envs[0]).await;
        self.deletes(
            owner,
            "DELETE /v1/projects/{projectID}/environments/{envID}",
            &env,
            "environment.deleted",
        )
        .await;
        self.deletes(
            owner,
            "DELETE /v1/projects/{projectID}",
            &base,
            "project.deleted",
        )
        .await;
    }

    async fn flags(&mut self, owner: &User, base: &str, envs: &[String]) {
        const FLAG: &str = "PUT /v1/projects/{projectID}/flags/{flagKey}";
        const STATE: &str = "PUT /v1/projects/{projectID}/flags/{flagKey}/environments/{envID}";
        let body = json!({"key": "a-flag", "name": "A flag"});
        let path = format!("{base}/flags");
        self.creates(
            owner,
            "POST /v1/projects/{projectID}/flags",
            &path,
            body,
            "flag.created",
        )
        .await;
        let flag = format!("{base}/flags/a-flag");
        self.changes(
            owner,
            FLAG,
            &flag,
            json!({"name": "B flag"}),
            "flag.updated",
        )
        .await;
        let state = |env: &str| format!("{flag}/environments/{env}");
        // The first creates the state, the second changes it.
        for enabled in [false, true] {
            let body = json!({"enabled": enabled, "percentage_rollout": 5000});
            self.changes(owner, STATE, &state(&envs[0]), body, "flag.state_updated")
                .await;
        }
        let body = json!({"source_env_id": envs[0], "target_env_id": envs[1]});
        self.acts(
            owner,
            "POST /v1/projects/{projectID}/flags/{flagKey}/promote",
            &format!("{flag}/promote"),
            body,
            "flag.promoted",
            &state(&envs[1]),
        )
        .await;
        let body = json!({"env_id": envs[0]});
        self.acts(
            owner,
            "POST /v1/projects/{projectID}/flags/{flagKey}/kill",
            &format!("{flag}/kill"),
            body,
            "flag.killed",
            &state(&envs[0]),
        )
        .await;
        // The state as it was made: version 3, after the flag was made and renamed.
        let body = json!({"env_id": envs[0], "version": 3});
        self.acts(
            owner,
            "POST /v1/projects/{projectID}/flags/{flagKey}/rollback",
            &format!("{flag}/rollback"),
            body,
            "flag.rolled_back",
            &state(&envs[0]),
        )
        .await;
        self.approvals(owner, &flag, &envs[0]).await;
        let body = json!({
            "project_id": base.trim_start_matches("/v1/projects/"),
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
        self.deletes(
            owner,
            "DELETE /v1/projects/{projectID}/flags/{flagKey}",
            &flag,
            "flag.deleted",
        )
        .await;
    }

    async fn segments(&mut self, owner: &User, base: &str) {
        const SEGMENT: &str = "PUT /v1/projects/{projectID}/segments/{segmentKey}";
        let body = json!({"key": "a-segment", "name": "A segment", "rules": []});
        let path = format!("{base}/segments");
        self.creates(
            owner,
            "POST /v1/projects/{projectID}/segments",
            &path,
            body,
            "segment.created",
        )
        .await;
        let segment = format!("{base}/segments/a-segment");
        self.changes(
            owner,
            SEGMENT,
            &segment,
            json!({"match_type": "any"}),
            "segment.updated",
        )
        .await;
        self.deletes(
            owner,
            "DELETE /v1/projects/{projectID}/segments/{segmentKey}",
            &segment,
            "segment.deleted",
        )
        .await;
    }

    /// A key is shown by lists alone, so its states are looked at here.
    async fn api_keys(&mut self, owner: &User, base: &str, env: &str) {
        let list = format!("/v1/environments/{env}/api-keys");
        let in_project = format!("{base}/environments/{env}/api-keys");
        for (endpoint, path) in [
            ("POST /v1/environments/{envID}/api-keys", &list),
            (
                "POST /v1/projects/{projectID}/environments/{envID}/api-keys",
                &in_project,
            ),
        ] {
            let body = json!({"name": "a key"});
            let (_, entries) = self
                .step(key_step(
                    owner,
                    endpoint,
                    path,
                    body,
                    201,
                    &["api_key.created"],
                ))
                .await;
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

        let before = listed[0].clone();
        let (revoke, writes) = ("DELETE /v1/api-keys/{keyID}", ["api_key.revoked"]);
        let (_, entries) = self
            .step(key_step(owner, revoke, &item, Value::Null, 204, &writes))
            .await;
        let after = &keys(owner, &list).await[0];
        assert_eq!((&entries[0].before, &entries[0].after), (&before, after));
    }

    /// A step that makes something and answers it; gives its id.
    pub(super) async fn creates(
        &mut self,
        owner: &User,
        endpoint: &'static str,
        path: &str,
        body: Value,
        action: &str,
    ) -> String {
        let step = Step {
            endpoint,
            path: path.to_owned(),
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
        path: &str,
        body: Value,
        action: &str,
    ) {
        let refused = json!([]);
        self.step(Step {
            endpoint,
            path: path.to_owned(),
            by: Some(owner),
            body,
            status: 200,
            refused: Some(Refused::Body(refused, 400)),
            writes: &[action],
            states: States::Of(path.to_owned()),
        })
        .await;
    }

    /// A step that changes what another path shows.
    async fn acts(
        &mut self,
        owner: &User,
        endpoint: &'static str,
        path: &str,
        body: Value,
        action: &str,
        shown: &str,
    ) {
        self.step(Step {
            endpoint,
            path: path.to_owned(),
            by: Some(owner),
            body,
            status: 200,
            refused: Some(Refused::Body(json!({}), 400)),
            writes: &[action],
            states: States::Of(shown.to_owned()),
        })
        .await;
    }

    /// A step after which its path shows nothing.
    pub(super) async fn deletes(
        &mut self,
        owner: &User,
        endpoint: &'static str,
        path: &str,
        action: &str,
    ) {
        self.step(Step {
            endpoint,
            path: path.to_owned(),
            by: Some(owner),
            body: Value::Null,
            status: 204,
            refused: None,
            writes: &[action],
            states: States::Of(path.to_owned()),
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
