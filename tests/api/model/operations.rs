//! What members may do in these tests, and how it is sent.

use harness::{Caller, Response};
use serde_json::{Value, json};

use super::world::Names;

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
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
pub const VALUES: u8 = 3;

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
        approvals: u8,
    },
    /// Gives the developer a row for an environment.
    Permit {
        env: u8,
        toggle: bool,
        rules: bool,
    },
    /// Holds the developer to a custom role.
    Hold(Role),
    /// Asks for the approval of a state.
    Request {
        flag: u8,
        env: u8,
        state: State,
    },
    /// Requests, like keys, are named by the number of the step that made them.
    Review {
        request: usize,
        approve: bool,
        /// Whether the reviewer has looked at the state as it is.
        looks: bool,
    },
    Withdraw(usize),
    CreateKey(u8),
    RevokeKey(usize),
    RotateKey {
        key: usize,
        at_once: bool,
    },
}

/// What a developer may be held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Free,
    /// Everything that a developer may, but to switch flags by their states.
    NoToggles,
    /// Everything but kills and requests.
    NoKills,
    /// To read, and to ask for approval.
    Requests,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Free, Self::NoToggles, Self::NoKills, Self::Requests];

    /// `None`: without one.
    pub fn keys(self) -> Option<Vec<&'static str>> {
        const WRITING: [&str; 10] = [
            "flags.create",
            "flags.update",
            "flags.delete",
            "flags.toggle",
            "flags.edit_rules",
            "flags.promote",
            "flags.kill",
            "segments.write",
            "environments.create",
            "approvals.create",
        ];
        let without = |left_out: &[&str]| {
            let kept = WRITING.into_iter().filter(|key| !left_out.contains(key));
            Some(kept.collect())
        };
        match self {
            Self::Free => None,
            Self::NoToggles => without(&["flags.toggle"]),
            Self::NoKills => without(&["flags.kill", "approvals.create"]),
            Self::Requests => Some(vec!["flags.read", "approvals.create"]),
        }
    }
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
    /// What others call what it makes.
    pub number: usize,
    pub actor: Actor,
    pub operation: Operation,
}

impl Step {
    /// Sends it as `caller`, who is the actor.
    pub async fn send(&self, caller: &Caller, names: &Names) -> Response {
        let project = format!("/v1/projects/{}", names.project);
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
                let path = format!("{}/environments/{}", flag(*of), env_slug(*env));
                caller.put(&path, state.body()).await
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
            Operation::Protect {
                env,
                protected,
                approvals,
            } => {
                let path = format!("{project}/environments/{}", env_slug(*env));
                let body = json!({"protected": protected, "required_approvals": approvals});
                caller.put(&path, body).await
            }
            Operation::DeleteEnvironment(env) => {
                let path = format!("{project}/environments/{}", env_slug(*env));
                caller.delete(&path).await
            }
            &Operation::Permit { env, toggle, rules } => {
                let env_id = names.env(env);
                let row = json!({"env_id": env_id, "can_toggle": toggle, "can_edit_rules": rules});
                let path = format!("/v1/members/{}/permissions", names.developer);
                caller.put(&path, json!({"permissions": [row]})).await
            }
            Operation::Hold(role) => {
                let path = format!("/v1/members/{}", names.developer);
                let role = json!({"custom_role_id": names.role(*role)});
                caller.put(&path, role).await
            }
            Operation::Request { flag, env, state } => {
                let body = json!({"project_id": names.project, "flag_key": flag_key(*flag), "env_id": env_slug(*env),
                                  "change_type": "update_state", "payload": state.body()});
                caller.post("/v1/approvals", body).await
            }
            Operation::Review {
                request,
                approve,
                looks,
            } => {
                let path = format!("/v1/approvals/{}", names.made(*request));
                let action = if *approve { "approve" } else { "reject" };
                let mut review = json!({"action": action});
                if *looks {
                    let diff = caller.get(&format!("{path}/diff")).await;
                    review["current_version"] = diff.body["current_version"].clone();
                }
                caller.post(&format!("{path}/review"), review).await
            }
            Operation::Withdraw(request) => {
                let path = format!("/v1/approvals/{}/withdraw", names.made(*request));
                caller.post(&path, Value::Null).await
            }
            Operation::CreateKey(env) => {
                let path = format!("{project}/environments/{}/api-keys", env_slug(*env));
                caller.post(&path, json!({"name": "Key"})).await
            }
            Operation::RevokeKey(key) => {
                let path = format!("/v1/api-keys/{}", names.made(*key));
                caller.delete(&path).await
            }
            Operation::RotateKey { key, at_once } => {
                let path = format!("/v1/api-keys/{}/rotate", names.made(*key));
                let grace = if *at_once { 0 } else { 24 };
                let body = json!({"grace_period_hours": grace});
                caller.post(&path, body).await
            }
        }
    }
}

impl State {
    fn body(&self) -> Value {
        let rule = |segment| json!({"segment_keys": [segment_key(segment)], "value": "rule"});
        json!({"enabled": self.enabled, "default_value": self.value.map(value), "rules": Vec::from_iter(self.segment.map(rule))})
    }
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
