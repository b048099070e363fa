//! What edges say that a draft would change, against what it changed once it was saved: two organizations, two edges, one of them below
//! a relay.

mod examples;

use futures_util::{StreamExt as _, stream};
use harness::{Caller, Edge, User, eventually};
use protocol::eval::{Context, Environment, Evaluator, Scratch};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};
use serde_json::{Value, json};

use crate::{relays, scene::Scene, sdk::fetch};

const FLAGS: [&str; 5] = ["f0", "f1", "f2", "f3", "f4"];
const PLANS: [&str; 5] = ["free", "free", "free", "pro", "team"];

/// Requests of an organization; more than edges keep.
const REQUESTS: usize = 8_000;

/// Questions that an organization may ask in an hour, nearly.
const DRAFTS: usize = 50;

struct Asked {
    flag: &'static str,
    key: String,
    plan: &'static str,
}

struct Org {
    owner: User,
    project: String,
    /// At both edges.
    sdks: [Caller; 2],
    requests: Vec<Asked>,
}

impl Org {
    /// Flags that are on for all, traffic that is sampled, and its answers.
    async fn start(owner: User, edges: [&Edge; 2], keys: &str, random: &mut StdRng) -> Self {
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        for key in FLAGS {
            let flag =
                json!({"key": key, "name": key, "flag_type": "string", "default_value": "off"});
            owner.create(&flags, flag).await;
            let state = json!({"enabled": true, "default_value": "a"});
            let path = format!("{flags}/{key}/environments/dev");
            owner.change(&path, state).await;
        }
        let sampling = format!("/v1/projects/{}/environments/dev/sampling", project.id);
        let kept = json!({"enabled": true, "attributes": ["plan"], "keys": keys});
        owner.change(&sampling, kept).await;
        let requests = (0..REQUESTS).map(|_| Asked {
            flag: FLAGS.choose(random).unwrap(),
            key: format!("user-{}", random.random_range(0..3_000)),
            plan: PLANS.choose(random).unwrap(),
        });
        let org = Self {
            owner,
            project: project.id,
            sdks: edges.map(|edge| edge.with_key(&key)),
            requests: requests.collect(),
        };
        org.is_sampled().await;
        let asking = org.requests.iter().enumerate();
        let asking =
            asking.map(|(place, asked)| org.sdks[place % 2].act("/v1/evaluate", asked.body()));
        stream::iter(asking)
            .buffer_unordered(32)
            .collect::<Vec<_>>()
            .await;
        org
    }

    /// Waits until every edge answers a question, which is asked about a flag that nobody has asked for.
    async fn is_sampled(&self) {
        eventually("all edges sample", || async {
            let answer = self.ask("f0", &json!({"enabled": false})).await?;
            (answer["edges"]["answered"] == answer["edges"]["asked"]).then_some(())
        })
        .await;
    }

    /// What a state would change; `None` if it is the stored one.
    async fn ask(&self, flag: &str, state: &Value) -> Option<Value> {
        let path = format!("/v1/projects/{}/environments/dev/what-if", self.project);
        let flag = json!({"key": flag, "states": {"dev": state}});
        let body = json!({"changes": {"flags": [flag]}, "wait_seconds": 5});
        let asked = self.owner.post(&path, body).await;
        if asked.status == 400 {
            let words = "the draft changes nothing that is served in the environment";
            asked.expect_error(400, words);
            return None;
        }
        asked.expect_status(201);
        let one = format!("{path}/{}", asked.text("/id"));
        let ended = eventually("the question ends", || async {
            let answer = self.owner.get(&one).await.body;
            (answer["is_open"] == false).then_some(answer)
        });
        Some(ended.await)
    }

    async fn save(&self, flag: &str, state: Value) {
        let path = format!(
            "/v1/projects/{}/flags/{flag}/environments/dev",
            self.project
        );
        self.owner.change(&path, state).await;
    }

    /// The value of each request for a flag, in its order, by what the edge below the relay serves.
    async fn answers(&self, flag: &str) -> Vec<String> {
        let environment = fetch(&self.sdks[1]).await;
        let asked = self.requests.iter().filter(|asked| asked.flag == flag);
        asked.map(|asked| asked.answer(&environment)).collect()
    }
}

impl Asked {
    fn body(&self) -> Value {
        let context = json!({"key": self.key, "attributes": {"plan": self.plan}});
        json!({"flag_key": self.flag, "context": context})
    }

    fn answer(&self, environment: &Environment) -> String {
        let mut context = Context::new(&*self.key);
        let plan = (
            "plan".into(),
            protocol::eval::Attribute::Text(self.plan.into()),
        );
        context.attributes = [plan].into_iter().collect();
        let mut scratch = Scratch::new();
        let flag = environment.flag(self.flag).unwrap();
        let mut evaluator = Evaluator::new(environment, &context, &mut scratch);
        evaluator.evaluate(flag).value_json.to_owned()
    }
}

/// A state that a person could save.
fn draft(random: &mut StdRng) -> Value {
    let share = random.random_range(0..=10_000);
    let value = ["a", "b", "c"].choose(random).unwrap();
    let plan = PLANS.choose(random).unwrap();
    let rule = json!({
        "conditions": [{"attribute": "plan", "operator": "eq", "values": [plan]}],
        "percentage": share,
        "value": value,
    });
    match random.random_range(0..4) {
        0 => json!({"default_value": value}),
        1 => json!({"percentage_rollout": share}),
        2 => json!({"rules": [rule]}),
        _ => json!({"rules": [rule], "percentage_rollout": null, "default_value": value}),
    }
}

#[tokio::test]
async fn of_a_hundred_drafts_the_true_change_lies_in_the_interval_of_95() {
    let mut scene = Scene::start().await;
    let (_relay, leaf) = relays::one_level(&mut scene).await;
    let mut random = StdRng::seed_from_u64(40);
    let (mut inside, mut unsure, mut told) = (0, 0, Vec::new());
    for keys in ["plain", "hashed"] {
        let owner = scene.stack.signup(keys).await;
        let org = Org::start(owner, [&scene.edge, &leaf], keys, &mut random).await;
        let mut drafts = 0;
        while drafts < DRAFTS {
            let flag = FLAGS.choose(&mut random).unwrap();
            let state = draft(&mut random);
            let before = org.answers(flag).await;
            let Some(answer) = org.ask(flag, &state).await else {
                continue;
            };
            drafts += 1;
            org.save(flag, state.clone()).await;
            let after = org.answers(flag).await;
            let changed = before
                .iter()
                .zip(&after)
                .filter(|(before, after)| before != after);
            let truth = ratio(changed.count(), before.len());
            let of_interval = |end: &str| answer["interval"][end].as_f64().unwrap();
            let (low, high) = (of_interval("low"), of_interval("high"));
            assert!(high - low < 0.25, "{answer}");
            unsure += usize::from(low < high && truth > 0.0 && truth < 1.0);
            if (low..=high).contains(&truth) {
                inside += 1;
            } else {
                told.push(format!(
                    "{keys} {flag} {state}: {truth}, not in {low} to {high}"
                ));
            }
        }
    }
    assert!(inside >= 95, "{inside}: {told:#?}");
    assert!(
        unsure >= 20,
        "too many drafts change all or nothing: {unsure}"
    );
}

#[expect(clippy::cast_precision_loss, reason = "thousands")]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole as f64
}
