//! What members may do in these tests, and how it is drawn and sent.

use harness::{Caller, Response};
use rand::{Rng, RngExt, rngs::StdRng};
use serde_json::{Value, json};

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Actor {
    Owner,
    Admin,
    Developer,
    Viewer,
    /// A read-only token of the owner.
    Reader,
    /// The owner of another organization.
    Stranger,
}

impl Actor {
    pub const ALL: [Self; 6] = [
        Self::Owner,
        Self::Admin,
        Self::Developer,
        Self::Viewer,
        Self::Reader,
        Self::Stranger,
    ];
}

/// Flags, segments and environments are few, so that sequences meet again what they made.
pub const FLAGS: u8 = 4;
pub const SEGMENTS: u8 = 2;
/// Of these, the first three are there when the project is made.
pub const ENVIRONMENTS: u8 = 5;
pub const USERS: u8 = 2;
const VALUES: u8 = 3;

#[derive(Clone, Debug)]
pub enum Operation {
    CreateFlag {
        flag: u8,
        default: u8,
        requires: Option<u8>,
    },
    UpdateFlag {
        flag: u8,
        default: u8,
        requires: Option<u8>,
    },
    Archive(u8),
    Restore(u8),
    DeleteFlag(u8),
    SetState {
        flag: u8,
        env: u8,
        state: State,
    },
    Kill {
        flag: u8,
        env: u8,
    },
    Promote {
        flag: u8,
        from: u8,
        to: u8,
    },
    CreateSegment {
        segment: u8,
        user: u8,
    },
    UpdateSegment {
        segment: u8,
        user: u8,
    },
    DeleteSegment(u8),
    CreateEnvironment(u8),
    DeleteEnvironment(u8),
    Protect {
        env: u8,
        protected: bool,
    },
}

/// A flag in an environment: whether it is on, what it serves, and a segment whose users get `rule` instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub enabled: bool,
    pub value: Option<u8>,
    pub segment: Option<u8>,
}

#[derive(Clone, Debug)]
pub struct Step {
    pub actor: Actor,
    pub operation: Operation,
}

impl Step {
    pub fn draw(rng: &mut StdRng) -> Self {
        // Whoever may do most acts most often.
        let actor = match rng.random_range(0..10) {
            0..5 => Actor::Owner,
            5..8 => Actor::Developer,
            _ => Actor::ALL[rng.random_range(0..Actor::ALL.len())],
        };
        let operation = draw(rng);
        Self { actor, operation }
    }

    /// Sends it as `caller`, who is the actor.
    pub async fn send(&self, caller: &Caller, project: &str) -> Response {
        let project = format!("/v1/projects/{project}");
        let flag = |flag: u8| format!("{project}/flags/{}", flag_key(flag));
        let segment = |segment: u8| format!("{project}/segments/{}", segment_key(segment));
        match &self.operation {
            &Operation::CreateFlag {
                flag,
                default,
                requires,
            } => {
                let body = json!({"key": flag_key(flag), "name": "Flag", "flag_type": "string", "default_value": value(default),
                                  "prerequisites": required(requires)});
                caller.post(&format!("{project}/flags"), body).await
            }
            &Operation::UpdateFlag {
                flag: of,
                default,
                requires,
            } => {
                let body =
                    json!({"default_value": value(default), "prerequisites": required(requires)});
                caller.put(&flag(of), body).await
            }
            Operation::Archive(of) => caller.post(&(flag(*of) + "/archive"), Value::Null).await,
            Operation::Restore(of) => caller.post(&(flag(*of) + "/restore"), Value::Null).await,
            Operation::DeleteFlag(of) => caller.delete(&flag(*of)).await,
            Operation::SetState {
                flag: of,
                env,
                state,
            } => {
                let rules = state.segment.map(
                    |segment| json!({"segment_keys": [segment_key(segment)], "value": "rule"}),
                );
                let body = json!({"enabled": state.enabled, "default_value": state.value.map(value),
                                  "rules": Vec::from_iter(rules)});
                let path = format!("{}/environments/{}", flag(*of), env_slug(*env));
                caller.put(&path, body).await
            }
            &Operation::Kill { flag: of, env } => {
                let body = json!({"env_id": env_slug(env)});
                caller.post(&(flag(of) + "/kill"), body).await
            }
            &Operation::Promote { flag: of, from, to } => {
                let body = json!({"source_env_id": env_slug(from), "target_env_id": env_slug(to)});
                caller.post(&(flag(of) + "/promote"), body).await
            }
            &Operation::CreateSegment { segment, user } => {
                let body =
                    json!({"key": segment_key(segment), "name": "Segment", "rules": [is(user)]});
                caller.post(&format!("{project}/segments"), body).await
            }
            &Operation::UpdateSegment { segment: of, user } => {
                caller.put(&segment(of), json!({"rules": [is(user)]})).await
            }
            Operation::DeleteSegment(of) => caller.delete(&segment(*of)).await,
            Operation::CreateEnvironment(env) => {
                let slug = env_slug(*env);
                let body = json!({"name": slug, "slug": slug});
                caller.post(&format!("{project}/environments"), body).await
            }
            Operation::Protect { env, protected } => {
                let path = format!("{project}/environments/{}", env_slug(*env));
                caller.put(&path, json!({"protected": protected})).await
            }
            Operation::DeleteEnvironment(env) => {
                let path = format!("{project}/environments/{}", env_slug(*env));
                caller.delete(&path).await
            }
        }
    }
}

fn draw(rng: &mut StdRng) -> Operation {
    let flag = rng.random_range(0..FLAGS);
    let env = rng.random_range(0..ENVIRONMENTS);
    let segment = rng.random_range(0..SEGMENTS);
    let user = rng.random_range(0..USERS);
    let default = rng.random_range(0..VALUES);
    let requires = maybe(rng, 3, FLAGS);
    match rng.random_range(0..22) {
        0..3 => Operation::CreateFlag {
            flag,
            default,
            requires,
        },
        3..5 => Operation::UpdateFlag {
            flag,
            default,
            requires,
        },
        5 => Operation::Archive(flag),
        6 => Operation::Restore(flag),
        7 => Operation::DeleteFlag(flag),
        8..12 => Operation::SetState {
            flag,
            env,
            state: State {
                enabled: rng.random_ratio(3, 4),
                value: maybe(rng, 2, VALUES),
                segment: maybe(rng, 2, SEGMENTS),
            },
        },
        12 => Operation::Kill { flag, env },
        13 => Operation::Promote {
            flag,
            from: env,
            to: rng.random_range(0..ENVIRONMENTS),
        },
        14 | 15 => Operation::CreateSegment { segment, user },
        16 => Operation::UpdateSegment { segment, user },
        17 => Operation::DeleteSegment(segment),
        18 => Operation::CreateEnvironment(env),
        19 | 20 => Operation::Protect {
            env,
            protected: rng.random_ratio(1, 2),
        },
        _ => Operation::DeleteEnvironment(rng.random_range(2..ENVIRONMENTS)),
    }
}

/// One time in `chances` nothing, else one of so many.
fn maybe(rng: &mut impl Rng, chances: u32, of: u8) -> Option<u8> {
    rng.random_ratio(1, chances)
        .then(|| rng.random_range(0..of))
}

fn required(flag: Option<u8>) -> Vec<String> {
    flag.map(flag_key).into_iter().collect()
}

fn is(user: u8) -> Value {
    json!({"attribute": "key", "operator": "eq", "values": [user_key(user)]})
}

pub fn flag_key(flag: u8) -> String {
    format!("flag-{flag}")
}

fn segment_key(segment: u8) -> String {
    format!("segment-{segment}")
}

pub fn user_key(user: u8) -> String {
    format!("user-{user}")
}

pub fn value(value: u8) -> String {
    format!("v{value}")
}

pub fn env_slug(env: u8) -> String {
    match env {
        0 => "dev".to_owned(),
        1 => "staging".to_owned(),
        2 => "production".to_owned(),
        other => format!("extra-{other}"),
    }
}
