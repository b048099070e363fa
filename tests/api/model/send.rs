//! How steps are sent.

use harness::{Caller, Response};
use serde_json::{Value, json};

use super::{
    names::Names,
    operations::{Edit, Operation, State, Step, env_slug, flag_key, segment_key, user_key, value},
};

impl Step {
    /// Sends it as `caller`, who is the actor.
    pub async fn send(&self, caller: &Caller, names: &Names) -> Response {
        let project = format!("/v1/projects/{}", names.project);
        let flag = |flag: u8| format!("{project}/flags/{}", flag_key(flag));
        let segment = |segment: u8| format!("{project}/segments/{}", segment_key(segment));
        let set = |set: usize| format!("{project}/change-sets/{}", names.made(set));
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
            &Operation::Schedule {
                flag: of,
                env,
                enable,
                after,
            } => {
                let path = format!("{}/environments/{}", flag(of), env_slug(env));
                let field = if enable {
                    "scheduled_enable_at"
                } else {
                    "scheduled_disable_at"
                };
                caller
                    .put(&path, json!({field: names.in_seconds(after)}))
                    .await
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
            Operation::Draft(edits) => {
                let flags: Vec<_> = edits.iter().map(Edit::body).collect();
                let set = json!({"name": "Set", "changes": {"flags": flags}});
                caller.post(&format!("{project}/change-sets"), set).await
            }
            Operation::Ask(of) => caller.post(&(set(*of) + "/request"), Value::Null).await,
            Operation::Judge { set: of, approve } => {
                let action = if *approve { "approve" } else { "reject" };
                let review = json!({"action": action});
                caller.post(&(set(*of) + "/review"), review).await
            }
            Operation::ApplySet { set: of, looks } => {
                let mut application = json!({});
                if *looks {
                    let diff = caller.get(&(set(*of) + "/diff")).await;
                    application["seen_version"] = diff.body["version"].clone();
                }
                caller.post(&(set(*of) + "/apply"), application).await
            }
            Operation::Reopen(of) => caller.post(&(set(*of) + "/reopen"), Value::Null).await,
            Operation::DeleteSet(of) => caller.delete(&set(*of)).await,
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

impl Edit {
    fn body(&self) -> Value {
        let mut body =
            json!({"key": flag_key(self.flag), "states": {env_slug(self.env): self.state.body()}});
        if let Some(default) = self.default {
            body["default_value"] = json!(value(default));
        }
        body
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
