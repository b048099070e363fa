//! The organization whose flags are evaluated: 40 % of them have a rollout alone, 30 % two conditions and a rollout, 20 % two
//! segments and a rollout, 10 % three variants; 90 % are enabled.
//!
//! Ten of them are made through the API, and the others are copies of these in the database: ten thousand requests would take
//! minutes.

use harness::user::DefaultProject;
use harness::{Caller, Stack, User, eventually};
use serde_json::{Value, json};
use sqlx::{Connection, PgConnection};

pub const SEGMENTS: usize = 10;
/// Flags of the mix that others are copied from.
const MODELS: usize = 10;

/// The organization.
pub struct Tenant {
    pub owner: User,
    pub project: DefaultProject,
    /// An API key of the development environment.
    pub key: String,
}

impl Tenant {
    /// Registers it, with the ten flags that others are copied from.
    pub async fn register(stack: &Stack, name: &str) -> Self {
        let owner = stack.signup(name).await;
        let project = owner.default_project().await;
        let key = owner.api_key(&project.dev).await;
        let tenant = Self {
            owner,
            project,
            key,
        };
        tenant.make_segments().await;
        for number in 0..MODELS {
            tenant.make_model(number).await;
        }
        tenant
    }

    /// The path of the project's flags.
    pub fn flags(&self) -> String {
        format!("/v1/projects/{}/flags", self.project.id)
    }

    /// The path of a flag's state in the development environment.
    pub fn state(&self, flag: &str) -> String {
        format!("{}/{flag}/environments/{}", self.flags(), self.project.dev)
    }

    /// Adds copies until the environment has so many flags, as one change of the project, and waits until a server has them.
    pub async fn grow(&self, stack: &Stack, flags: usize, server: &Caller) {
        let mut database = PgConnection::connect(stack.database().url())
            .await
            .expect("the database of the service answers");
        let last = i32::try_from(flags - 1).expect("a number of flags");
        sqlx::query(
            "WITH models AS (
                 SELECT * FROM flags WHERE project_id = $1::uuid AND key LIKE 'model-%'
             ), copies AS (
                 SELECT gen_random_uuid() AS id, models.id AS model, number, models.compiled_bytes
                 FROM models, generate_series($2::integer, $3::integer) AS number
                 WHERE models.key = 'model-' || number % $2
                   AND NOT EXISTS (SELECT FROM flags WHERE project_id = $1::uuid AND key = 'feature-' || number)
             ), drawn AS (
                 UPDATE projects
                 SET version = version + 1, flag_count = flag_count + (SELECT count(*) FROM copies),
                     shared_bytes = shared_bytes + (SELECT sum(compiled_bytes) FROM copies)
                 WHERE id = $1::uuid RETURNING version
             ), states AS (
                 SELECT flag_states.*, copies.id AS copy, copies.number
                 FROM flag_states JOIN copies ON flag_id = model WHERE env_id = $4::uuid
             ), touched AS (
                 UPDATE environments
                 SET version = drawn.version, changed_in = pg_current_xact_id(),
                     state_bytes = state_bytes + CASE WHEN id = $4::uuid THEN (SELECT sum(compiled_bytes) FROM states) ELSE 0 END
                 FROM drawn WHERE project_id = $1::uuid
             ), added AS (
                 INSERT INTO flags (id, org_id, project_id, key, name, description, flag_type, default_value, tags,
                                    prerequisites, mutual_exclusion_group, changed_version, compiled_bytes, created_at, updated_at)
                 SELECT copies.id, org_id, project_id, 'feature-' || number, name, description, flag_type, default_value, tags,
                        prerequisites, mutual_exclusion_group, version, models.compiled_bytes, now(), now()
                 FROM copies JOIN models ON models.id = model, drawn
             )
             INSERT INTO flag_states (id, org_id, flag_id, env_id, enabled, default_value, rules, percentage_rollout, variants,
                                      changed_version, compiled_bytes, created_at, updated_at)
             SELECT gen_random_uuid(), org_id, copy, env_id, number / 10 % 10 <> 9, default_value, rules, percentage_rollout,
                    variants, version, compiled_bytes, now(), now()
             FROM states, drawn",
        )
        .bind(&self.project.id)
        .bind(i32::try_from(MODELS).expect("ten"))
        .bind(last)
        .bind(&self.project.dev)
        .execute(&mut database)
        .await
        .expect("copies of flags");
        // As the server would by itself some time after such a load.
        sqlx::query("ANALYZE")
            .execute(&mut database)
            .await
            .expect("tables can be analysed");
        self.is_served(server, &key_of(flags - 1)).await;
    }

    /// Waits until a server knows a flag.
    pub async fn is_served(&self, server: &Caller, flag: &str) {
        let server = server.with_key(&self.key);
        eventually(&format!("{} knows {flag}", server.base()), async || {
            let question = json!({"flag_key": flag, "context": {"key": "user-1"}});
            let answer = server.post("/v1/evaluate", question).await;
            (answer.status == 200 && answer.body["reason"] != "NOT_FOUND").then_some(())
        })
        .await;
    }

    async fn make_segments(&self) {
        let path = format!("/v1/projects/{}/segments", self.project.id);
        for number in 0..SEGMENTS {
            let key = format!("segment-{number}");
            let rules = segment_rules(number);
            let segment = json!({"key": key, "name": key, "match_type": "any", "rules": rules});
            self.owner.create(&path, segment).await;
        }
    }

    async fn make_model(&self, number: usize) {
        let (flag_type, value) = match number {
            9 => ("ab", json!({})),
            _ => ("boolean", json!(false)),
        };
        let key = key_of(number);
        let flag = json!({"key": key, "name": key, "flag_type": flag_type, "default_value": value});
        self.owner.create(&self.flags(), flag).await;
        self.owner.change(&self.state(&key), state(number)).await;
    }
}

/// The key of a flag by its number.
pub fn key_of(number: usize) -> String {
    if number < MODELS {
        format!("model-{number}")
    } else {
        format!("feature-{number}")
    }
}

/// What a flag of the mix does, as the API takes it.
pub fn state(number: usize) -> Value {
    match number {
        0..4 => json!({"enabled": true, "default_value": true, "percentage_rollout": 5_000}),
        4..7 => {
            let rule = json!({
                "conditions": [
                    {"attribute": "plan", "operator": "in", "values": ["pro", "enterprise"]},
                    {"attribute": "country", "operator": "eq", "values": ["DE"]},
                ],
                "percentage": 5_000,
                "value": true,
            });
            json!({"enabled": true, "rules": [rule]})
        }
        7..9 => {
            let keys = [number, number - 7].map(|number| format!("segment-{number}"));
            let rule = json!({"segment_keys": keys, "percentage": 5_000, "value": true});
            json!({"enabled": true, "rules": [rule]})
        }
        _ => {
            let variant =
                |key, weight| json!({"key": key, "value": {"layout": key}, "weight": weight});
            let variants = [
                variant("control", 3_334),
                variant("wide", 3_333),
                variant("narrow", 3_333),
            ];
            json!({"enabled": true, "variants": variants})
        }
    }
}

/// Who is in a segment.
pub fn segment_rules(number: usize) -> Value {
    json!([
        {"attribute": "email", "operator": "endsWith", "values": [format!("@team{number}.test")]},
        {"attribute": "country", "operator": "in", "values": ["DE", "FR", "PL"]},
    ])
}

/// Somebody who asks, by number.
pub fn context(user: usize) -> Value {
    let country = ["DE", "US"][user % 2];
    let plan = ["pro", "free", "enterprise"][user % 3];
    json!({
        "key": format!("user-{user}"),
        "attributes": {"plan": plan, "country": country, "email": format!("user{user}@team{}.test", user % 20)},
    })
}
