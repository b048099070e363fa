//! The service, beside the model.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use harness::{App, Caller, Setup, User};
use serde_json::json;

use super::{
    contract::{Model, Outcome},
    operations::{Actor, FLAGS, Step, USERS, env_slug, flag_key, user_key},
};

pub struct World {
    app: App,
    owner: User,
    others: [Caller; 5],
    project: String,
    /// By environment, an SDK.
    sdks: BTreeMap<u8, Caller>,
}

impl World {
    pub async fn new() -> Self {
        let Setup {
            app,
            owner,
            project,
        } = Setup::new().await;
        let [admin, developer, viewer] =
            ["admin", "developer", "viewer"].map(|role| app.member(&owner, role));
        let (admin, developer, viewer) = tokio::join!(admin, developer, viewer);
        let token = json!({"name": "reader", "read_only": true});
        let reader = owner.create("/v1/me/tokens", token).await.text("/token");
        let reader = app.anonymous().with_token(&reader);
        let stranger = app.signup("umbrella").await;
        let caller = |user: &User| Caller::clone(user);
        Self {
            others: [
                caller(&admin),
                caller(&developer),
                caller(&viewer),
                reader,
                caller(&stranger),
            ],
            project: project.id,
            sdks: BTreeMap::new(),
            app,
            owner,
        }
    }

    fn caller(&self, actor: Actor) -> &Caller {
        match actor {
            Actor::Owner => &self.owner,
            Actor::Admin => &self.others[0],
            Actor::Developer => &self.others[1],
            Actor::Viewer => &self.others[2],
            Actor::Reader => &self.others[3],
            Actor::Stranger => &self.others[4],
        }
    }

    /// The status of the answer.
    pub async fn take(&self, step: &Step) -> u16 {
        step.send(self.caller(step.actor), &self.project)
            .await
            .status
    }

    pub async fn recorded(&self) -> i64 {
        let entries =
            "SELECT COUNT(*) FROM audit_entries WHERE org_id = $1::uuid AND project_id = $2::uuid
                       AND resource_type <> 'api_key'";
        self.app
            .value(entries, &[&self.owner.org_id, &self.project])
            .await
    }

    /// What differs from the model at the edge and in the API.
    pub async fn differences(&mut self, model: &Model) -> Vec<String> {
        let mut found = self.listed(model).await;
        self.sdks.retain(|env, _| model.envs.contains_key(env));
        for env in model.envs.keys() {
            if !self.sdks.contains_key(env) {
                let path = format!(
                    "/v1/projects/{}/environments/{}",
                    self.project,
                    env_slug(*env)
                );
                let id = self.owner.get(&path).await.text("/id");
                let key = self.owner.api_key(&id).await;
                self.sdks.insert(*env, self.app.anonymous().with_key(&key));
            }
        }
        let asked = self
            .sdks
            .iter()
            .flat_map(|(env, sdk)| (0..USERS).map(move |user| (*env, sdk, user)));
        let answers = asked.map(|(env, sdk, user)| async move {
            let keys: Vec<_> = (0..FLAGS).map(flag_key).collect();
            let body = json!({"flag_keys": keys, "context": {"key": user_key(user)}});
            (env, user, sdk.post("/v1/evaluate/bulk", body).await)
        });
        for (env, user, answer) in join_all(answers).await {
            for flag in 0..FLAGS {
                let (value, reason) = model.answer(env, flag, user);
                let key = flag_key(flag);
                let result = &answer.body[&key];
                let told = (&result["value"], &result["reason"]);
                if told != (&value, &json!(reason)) {
                    found.push(format!(
                        "{key} for user {user} in {}: {value} {reason}, but the edge says {told:?} ({})",
                        env_slug(env),
                        answer.status,
                    ));
                }
            }
        }
        found
    }

    async fn listed(&self, model: &Model) -> Vec<String> {
        let mut found = Vec::new();
        let flags: Vec<_> = model
            .flags
            .iter()
            .filter(|(_, flag)| !flag.is_archived)
            .collect();
        let flags = flags.into_iter().map(|(flag, _)| flag_key(*flag)).collect();
        let segments = model
            .segments
            .keys()
            .map(|it| format!("segment-{it}"))
            .collect();
        let envs = model.envs.keys().map(|env| env_slug(*env)).collect();
        let lists: [(&str, &str, Vec<String>); 3] = [
            ("flags", "key", flags),
            ("segments", "key", segments),
            ("environments", "slug", envs),
        ];
        for (list, name, mut expected) in lists {
            let path = format!("/v1/projects/{}/{list}?limit=100", self.project);
            let answer = self.others[2].get(&path).await;
            let data = answer.body["data"].as_array().cloned().unwrap_or_default();
            let mut told: Vec<_> = data
                .iter()
                .filter_map(|one| one[name].as_str())
                .map(str::to_owned)
                .collect();
            told.sort();
            expected.sort();
            if told != expected {
                found.push(format!("{list}: {expected:?}, but the list is {told:?}"));
            }
        }
        found
    }
}

/// Whether a step ended as the model says.
pub fn compare(step: &Step, expected: Outcome, status: u16, recorded: i64) -> Option<String> {
    let told = Outcome {
        status,
        is_recorded: recorded == 1,
    };
    (told != expected || recorded > 1).then(|| {
        format!("{step:?}: {expected:?}, but {status} with {recorded} new entries of the audit log")
    })
}
