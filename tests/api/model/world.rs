//! The service, beside the model.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use futures_util::future::join_all;
use harness::{App, Caller, Receiver, Response, User};
use serde_json::{Value, json};
use std::time::Duration;

use super::{
    contract::Model,
    names::Names,
    operations::{Actor, FLAGS, Operation, Role, Step, USERS, env_slug, flag_key, user_key},
};

pub struct World {
    app: App,
    pub(super) owner: User,
    others: [Caller; 5],
    pub(super) names: Names,
    /// By environment and what made it, an SDK.
    sdks: BTreeMap<(u8, usize), Caller>,
    /// By the step that made them, SDKs with keys that come and go.
    keys: BTreeMap<usize, Caller>,
    /// Entries of the audit log.
    pub(super) seen: HashSet<String>,
    /// The types of events, in their order.
    pub(super) events: Vec<String>,
    pub(super) event_types: BTreeSet<String>,
    pub(super) receiver: Receiver,
}

impl World {
    pub async fn new() -> Self {
        let settings = [
            ("WEBHOOK_ALLOWED_CIDRS", "127.0.0.0/8"),
            ("RATE_MANAGEMENT", "0"),
        ];
        let app = App::start_with(&settings).await;
        let owner = app.proven("acme").await;
        app.set_plan(&owner, "enterprise").await;
        let project = owner.default_project().await;
        let [admin, developer, viewer] =
            ["admin", "developer", "viewer"].map(|role| app.member(&owner, role));
        let (admin, developer, viewer) = tokio::join!(admin, developer, viewer);
        let token = json!({"name": "reader", "read_only": true});
        let reader = owner.create("/v1/me/tokens", token).await.text("/token");
        let reader = app.anonymous().with_token(&reader);
        let stranger = app.signup("umbrella").await;
        let mut roles = Vec::new();
        for role in Role::ALL {
            if let Some(keys) = role.keys() {
                let role = json!({"name": format!("{role:?}"), "permissions": keys});
                roles.push(owner.create("/v1/roles", role).await.text("/id"));
            }
        }
        let users = [
            (Actor::Owner, &owner),
            (Actor::Admin, &admin),
            (Actor::Developer, &developer),
        ];
        let users = users.map(|(actor, user)| (user.id.clone(), actor));
        let receiver = Receiver::start();
        let types = owner.get("/v1/webhooks/event-types").await;
        let types = types.body["data"].as_array().expect("types");
        let types = types.iter().filter_map(|one| one["type"].as_str());
        let event_types = types.map(str::to_owned).collect();
        let webhook = json!({"name": "All", "url": receiver.url("/")});
        owner.create("/v1/webhooks", webhook).await;
        let caller = |user: &User| Caller::clone(user);
        let mut world = Self {
            others: [
                caller(&admin),
                caller(&developer),
                caller(&viewer),
                reader,
                caller(&stranger),
            ],
            names: Names {
                project: project.id,
                developer: owner.member_id_of(&developer.email).await,
                users: users.into(),
                roles,
                envs: BTreeMap::new(),
                made: BTreeMap::new(),
                clock: app.clock.clone(),
            },
            sdks: BTreeMap::new(),
            keys: BTreeMap::new(),
            seen: HashSet::new(),
            events: Vec::new(),
            event_types,
            receiver,
            app,
            owner,
        };
        world.differences(&Model::default()).await;
        world.news().await;
        world.events = vec!["api_key.created".to_owned(); 3];
        world
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

    /// Lets a second pass, so that what happens next is later than all before.
    pub fn tick(&self) {
        self.app.clock.advance(Duration::from_secs(1));
    }

    /// Those of the models that edges serve, once they serve one: nobody waits for what fires.
    pub async fn served(&mut self, models: Vec<Model>) -> Result<Vec<Model>, String> {
        let mut found = Vec::new();
        for _ in 0..1_000 {
            let mut served = Vec::new();
            found.clear();
            for model in &models {
                match self.differences(model).await {
                    none if none.is_empty() => served.push(model.clone()),
                    some => found.extend(some),
                }
            }
            if !served.is_empty() {
                return Ok(served);
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Err(format!("after what was due: {}", found.join("; ")))
    }

    pub async fn send(&self, step: &Step) -> Response {
        step.send(self.caller(step.actor), &self.names).await
    }

    /// Remembers what a step made.
    pub fn note(&mut self, step: &Step, answer: &Response) {
        let Some(id) = ["/id", "/new_key_id"]
            .into_iter()
            .find_map(|name| answer.body.pointer(name)?.as_str())
        else {
            return;
        };
        match step.operation {
            Operation::Request { .. } | Operation::Draft(_) => {}
            Operation::CreateKey(_) | Operation::RotateKey { .. } => {
                let text = &answer.body;
                let text = text["key"].as_str().or(text["new_key"].as_str());
                let sdk = self.app.anonymous().with_key(text.expect("a key"));
                self.keys.insert(step.number, sdk);
            }
            _ => return,
        }
        self.names.made.insert(step.number, id.to_owned());
    }

    /// Where what a step answered is shown again.
    fn shown_at(&self, step: &Step) -> Option<String> {
        let flag = |flag: &u8| {
            format!(
                "/v1/projects/{}/flags/{}",
                self.names.project,
                flag_key(*flag)
            )
        };
        let env = |env: &u8| format!("environments/{}", env_slug(*env));
        let set = |set: &usize| {
            let id = self.names.made(*set);
            format!("/v1/projects/{}/change-sets/{id}", self.names.project)
        };
        Some(match &step.operation {
            Operation::CreateFlag { flag: of, .. } | Operation::UpdateFlag { flag: of, .. } => {
                flag(of)
            }
            Operation::SetState {
                flag: of, env: at, ..
            }
            | Operation::Schedule {
                flag: of, env: at, ..
            }
            | Operation::Promote {
                flag: of, to: at, ..
            } => {
                format!("{}/{}", flag(of), env(at))
            }
            Operation::CreateEnvironment(at) | Operation::Protect { env: at, .. } => {
                format!("/v1/projects/{}/{}", self.names.project, env(at))
            }
            Operation::Request { .. } => format!("/v1/approvals/{}", self.names.made(step.number)),
            Operation::Review { request, .. } | Operation::Withdraw(request) => {
                format!("/v1/approvals/{}", self.names.made(*request))
            }
            Operation::Draft(_) => set(&step.number),
            Operation::Ask(of)
            | Operation::Judge { set: of, .. }
            | Operation::ApplySet { set: of, .. }
            | Operation::Reopen(of) => set(of),
            _ => return None,
        })
    }

    /// How an answer differs from what is shown afterwards.
    pub async fn misshown(&self, step: &Step, answer: &Response) -> Option<String> {
        let path = self.shown_at(step).filter(|_| answer.status < 300)?;
        let shown = self.owner.get(&path).await;
        let (mut told, shown) = (answer.body.clone(), shown.body);
        // These are told once.
        told.as_object_mut().map(|told| told.remove("warnings"));
        (told != shown).then(|| format!("{step:?} answered {told}, but {path} is {shown}"))
    }

    /// What differs from the model at the edge and in the API.
    pub async fn differences(&mut self, model: &Model) -> Vec<String> {
        let mut found = self.listed(model).await;
        if !found.is_empty() {
            return found;
        }
        self.meet(model).await;
        let asked = model.envs.iter().flat_map(|(env, found)| {
            let sdk = &self.sdks[&(*env, found.made_by)];
            (0..USERS).map(move |user| (*env, sdk, user))
        });
        let answers =
            asked.map(|(env, sdk, user)| async move { (env, user, evaluate(sdk, user).await) });
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
        let keys = self.keys.iter();
        let answers = keys.map(|(number, sdk)| async move { (*number, evaluate(sdk, 0).await) });
        for (number, answer) in join_all(answers).await {
            let expected = if model.takes(number) { 200 } else { 401 };
            if answer.status != expected {
                let status = answer.status;
                found.push(format!(
                    "key {number}: {expected}, but the edge says {status}"
                ));
            }
        }
        found
    }

    /// Gets a key for each environment that is new.
    async fn meet(&mut self, model: &Model) {
        for (env, found) in &model.envs {
            let made = (*env, found.made_by);
            if !self.sdks.contains_key(&made) {
                let slug = env_slug(*env);
                let path = format!("/v1/projects/{}/environments/{slug}", self.names.project);
                let id = self.owner.get(&path).await.text("/id");
                let key = self.owner.api_key(&id).await;
                self.events.push("api_key.created".to_owned());
                self.names.envs.insert(*env, id);
                self.sdks.insert(made, self.app.anonymous().with_key(&key));
            }
        }
    }

    async fn listed(&self, model: &Model) -> Vec<String> {
        let flags = model.flags.iter().filter(|(_, flag)| !flag.is_archived);
        let flags = flags.map(|(flag, _)| flag_key(*flag));
        let segments = model.segments.keys().map(|it| format!("segment-{it}"));
        let envs = model.envs.keys().map(|env| env_slug(*env));
        let requests = model.requests.iter().map(|(number, request)| {
            let (id, approvals) = (self.names.made(*number), request.approvals());
            format!("{id} {} by {approvals}", request.status)
        });
        let sets = model.sets.iter().map(|(number, set)| {
            let id = self.names.made(*number);
            format!("{id} {} by {}", set.status, set.reviews)
        });
        let project = format!("/v1/projects/{}", self.names.project);
        let lists: [(_, Line, Vec<String>); 5] = [
            (
                format!("{project}/flags"),
                |it| it["key"].clone(),
                flags.collect(),
            ),
            (
                format!("{project}/segments"),
                |it| it["key"].clone(),
                segments.collect(),
            ),
            (
                format!("{project}/environments"),
                |it| it["slug"].clone(),
                envs.collect(),
            ),
            (
                "/v1/approvals".to_owned(),
                |it| line(it, "approvals"),
                requests.collect(),
            ),
            (
                format!("{project}/change-sets"),
                |it| line(it, "reviews"),
                sets.collect(),
            ),
        ];
        let mut found = Vec::new();
        for (list, line, mut expected) in lists {
            let answer = self.others[2].get(&format!("{list}?limit=100")).await;
            let data = answer.body["data"].as_array().cloned().unwrap_or_default();
            let told = data.iter().map(line);
            let mut told: Vec<_> = told
                .filter_map(|it| it.as_str().map(str::to_owned))
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

/// What of a listed thing is compared.
type Line = fn(&Value) -> Value;

/// A request or a change set: its status, and how many have spoken.
fn line(shown: &Value, spoken: &str) -> Value {
    let spoken = shown[spoken].as_array().map_or(0, Vec::len);
    let text = |name: &str| shown[name].as_str().unwrap_or_default().to_owned();
    json!(format!("{} {} by {spoken}", text("id"), text("status")))
}

async fn evaluate(sdk: &Caller, user: u8) -> Response {
    let keys: Vec<_> = (0..FLAGS).map(flag_key).collect();
    let body = json!({"flag_keys": keys, "context": {"key": user_key(user)}});
    sdk.post("/v1/evaluate/bulk", body).await
}
