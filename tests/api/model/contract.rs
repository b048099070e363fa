//! The contract, as a model: what each operation answers, what it changes, and what is evaluated then.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    approvals::Request,
    operations::{Actor, Operation, Role, State, Step, value},
};

/// A project, and what its developer may do in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub envs: BTreeMap<u8, Env>,
    pub flags: BTreeMap<u8, Flag>,
    /// By number, the user that is in it.
    pub segments: BTreeMap<u8, u8>,
    pub role: Role,
    /// By the step that made it, as keys are.
    pub requests: BTreeMap<usize, Request>,
    pub keys: BTreeMap<usize, Key>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Env {
    /// Tells it from others of the same number, before and after it.
    pub made_by: usize,
    pub is_protected: bool,
    pub approvals: u8,
    /// What the developer may, `None` for everything: whether to toggle, and to edit rules.
    pub row: Option<(bool, bool)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    pub made_by: usize,
    pub default: u8,
    pub requires: Option<u8>,
    pub is_archived: bool,
    pub states: BTreeMap<u8, State>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The environment, and what made it.
    pub env: (u8, usize),
    pub is_revoked: bool,
    pub is_rotated: bool,
}

/// What is answered, and what the audit log has then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub status: u16,
    pub actions: Vec<&'static str>,
}

pub(super) type Answer = Result<Outcome, u16>;

fn refused(status: u16) -> Outcome {
    Outcome {
        status,
        actions: Vec::new(),
    }
}

pub(super) fn done(status: u16, action: &'static str) -> Answer {
    let actions = vec![action];
    Ok(Outcome { status, actions })
}

/// The same, if it changes anything.
fn done_if(changes: bool, status: u16, action: &'static str) -> Answer {
    if changes {
        done(status, action)
    } else {
        Ok(refused(status))
    }
}

const fn check(is_allowed: bool) -> Result<(), u16> {
    if is_allowed { Ok(()) } else { Err(403) }
}

/// What `can_toggle` and `can_edit_rules` guard.
const BOTH: (bool, bool) = (true, true);
const TOGGLE: (bool, bool) = (true, false);
const RULES: (bool, bool) = (false, true);

impl Env {
    const fn new(made_by: usize) -> Self {
        Self {
            made_by,
            is_protected: false,
            approvals: 1,
            row: None,
        }
    }

    fn lets(&self, actor: Actor, (toggle, rules): (bool, bool)) -> bool {
        let (can_toggle, can_edit_rules) = self.row.unwrap_or(BOTH);
        actor != Actor::Developer || ((can_toggle || !toggle) && (can_edit_rules || !rules))
    }
}

impl Default for Model {
    fn default() -> Self {
        let env = |number| (number, Env::new(usize::from(number) + 1_000_000));
        Self {
            envs: BTreeMap::from([0, 1, 2].map(env)),
            flags: BTreeMap::new(),
            segments: BTreeMap::new(),
            role: Role::Free,
            requests: BTreeMap::new(),
            keys: BTreeMap::new(),
        }
    }
}

impl Model {
    pub fn apply(&mut self, step: &Step) -> Outcome {
        let outcome = self.admit(step).and_then(|()| self.change(step));
        outcome.unwrap_or_else(refused)
    }

    /// What roles and their keys refuse before anything is looked up.
    fn admit(&self, step: &Step) -> Result<(), u16> {
        let needed = match step.operation {
            Operation::CreateFlag { .. } => &["flags.create"],
            Operation::UpdateFlag { .. } => &["flags.update"],
            Operation::Archive(_) | Operation::Restore(_) | Operation::DeleteFlag(_) => {
                &["flags.delete"]
            }
            Operation::SetState { .. } => &["flags.toggle", "flags.edit_rules"][..],
            Operation::Kill { .. } => &["flags.kill"],
            Operation::Promote { .. } => &["flags.promote"],
            Operation::CreateSegment { .. }
            | Operation::UpdateSegment { .. }
            | Operation::DeleteSegment(_) => &["segments.write"],
            Operation::CreateEnvironment(_) | Operation::Protect { .. } => &["environments.create"],
            Operation::Request { .. } | Operation::Withdraw(_) => &["approvals.create"],
            Operation::DeleteEnvironment(_)
            | Operation::Permit { .. }
            | Operation::Hold(_)
            | Operation::Review { .. }
            | Operation::CreateKey(_)
            | Operation::RevokeKey(_)
            | Operation::RotateKey { .. } => &[],
        };
        match step.actor {
            Actor::Owner | Actor::Admin => Ok(()),
            Actor::Viewer | Actor::Reader => Err(403),
            Actor::Stranger => Err(404),
            Actor::Developer => check(match self.role.keys() {
                None => !needed.is_empty(),
                Some(keys) => needed.iter().any(|needed| keys.contains(needed)),
            }),
        }
    }

    /// What it answers, or the status of the refusal.
    fn change(&mut self, step: &Step) -> Answer {
        let (actor, made_by) = (step.actor, step.number);
        match &step.operation {
            &Operation::CreateFlag {
                flag,
                default,
                requires,
            } => {
                if requires == Some(flag) {
                    return Err(400);
                }
                if self.flags.contains_key(&flag) {
                    return Err(409);
                }
                self.check_cycle(flag, requires)?;
                let made = Flag {
                    made_by,
                    default,
                    requires,
                    is_archived: false,
                    states: BTreeMap::new(),
                };
                self.flags.insert(flag, made);
                done(201, "flag.created")
            }
            &Operation::UpdateFlag {
                flag,
                default,
                requires,
            } => {
                if self.flags.contains_key(&flag) && requires == Some(flag) {
                    return Err(400);
                }
                let was = self.active(flag)?.clone();
                self.check_cycle(flag, requires)?;
                let requires_other = requires != was.requires;
                let is_conditional = requires.or(was.requires).is_some();
                let is_held = was.states.iter().any(|(env, state)| {
                    let own = state.enabled && state.value.is_some() && !is_conditional;
                    let has_effect =
                        (default != was.default && !own) || (requires_other && state.enabled);
                    has_effect && !self.lets_in(*env, actor, RULES)
                });
                check(!is_held)?;
                let now = Flag {
                    default,
                    requires,
                    ..was.clone()
                };
                let is_other = now != was;
                self.flags.insert(flag, now);
                done_if(is_other, 200, "flag.updated")
            }
            Operation::Archive(flag) => self.archive(*flag, true, actor),
            Operation::Restore(flag) => self.archive(*flag, false, actor),
            Operation::DeleteFlag(flag) => {
                let found = self.flags.get(flag).ok_or(404_u16)?;
                check(!self.is_held(found, actor, !found.is_archived))?;
                if !found.is_archived && found.states.values().any(|state| state.enabled) {
                    return Err(409);
                }
                self.flags.remove(flag);
                done(204, "flag.deleted")
            }
            Operation::SetState { flag, env, state } => {
                self.known(*flag, *env)?;
                let (stored, env_now) = (self.active(*flag)?.states.get(env), &self.envs[env]);
                let is_other = stored != Some(state);
                let keys = self.role.keys().filter(|_| actor == Actor::Developer);
                check(keys.is_none_or(|keys| keys.contains(&"flags.toggle")))?;
                check(env_now.lets(actor, BOTH) && !(env_now.is_protected && is_other))?;
                self.set(*flag, *env, state.clone());
                done_if(is_other, 200, "flag.state_updated")
            }
            Operation::Kill { flag, env } => {
                self.known(*flag, *env)?;
                let stored = self.active(*flag)?.states.get(env);
                let state = State {
                    enabled: false,
                    ..stored.cloned().unwrap_or_default()
                };
                check(self.envs[env].lets(actor, TOGGLE))?;
                self.set(*flag, *env, state);
                // Each call is recorded, also of a flag that is off.
                done(200, "flag.killed")
            }
            Operation::Promote { flag, from, to } => {
                if self.flags.contains_key(flag) && from == to {
                    return Err(400);
                }
                self.known(*flag, *from)?;
                self.known(*flag, *to)?;
                let found = self.flags.get(flag).ok_or(404_u16)?;
                let source = found.states.get(from).cloned().ok_or(404_u16)?;
                check(found.is_archived || self.lets_in(*to, actor, BOTH))?;
                self.active(*flag)?;
                self.set(*flag, *to, source);
                done(200, "flag.promoted")
            }
            &Operation::CreateSegment { segment, user } => {
                check(!self.is_segment_held(segment, actor))?;
                if self.segments.contains_key(&segment) {
                    return Err(409);
                }
                self.segments.insert(segment, user);
                done(201, "segment.created")
            }
            &Operation::UpdateSegment { segment, user } => {
                let was = *self.segments.get(&segment).ok_or(404_u16)?;
                check(was == user || !self.is_segment_held(segment, actor))?;
                self.segments.insert(segment, user);
                done_if(was != user, 200, "segment.updated")
            }
            Operation::DeleteSegment(segment) => {
                self.segments.get(segment).ok_or(404_u16)?;
                check(!self.is_segment_held(*segment, actor))?;
                self.segments.remove(segment);
                done(204, "segment.deleted")
            }
            Operation::CreateEnvironment(env) => {
                if self.envs.contains_key(env) {
                    return Err(409);
                }
                self.envs.insert(*env, Env::new(made_by));
                done(201, "environment.created")
            }
            Operation::DeleteEnvironment(env) => {
                check(!self.envs.get(env).ok_or(404_u16)?.is_protected)?;
                self.envs.remove(env);
                for flag in self.flags.values_mut() {
                    flag.states.remove(env);
                }
                done(204, "environment.deleted")
            }
            &Operation::Protect {
                env,
                protected,
                approvals,
            } => {
                let found = self.envs.get_mut(&env).ok_or(404_u16)?;
                check(actor != Actor::Developer)?;
                let was = found.clone();
                (found.is_protected, found.approvals) = (protected, approvals);
                done_if(*found != was, 200, "environment.updated")
            }
            &Operation::Permit { env, toggle, rules } => {
                let found = self.envs.get_mut(&env).ok_or(404_u16)?;
                let was = found.row.replace((toggle, rules));
                done_if(was != found.row, 200, "member.permissions_updated")
            }
            Operation::Hold(role) => {
                let was = std::mem::replace(&mut self.role, *role);
                done_if(was != *role, 204, "member.role_changed")
            }
            Operation::Request { flag, env, state } => {
                self.request(made_by, actor, (*flag, *env), state)
            }
            &Operation::Review {
                request,
                approve,
                looks,
            } => self.review(actor, request, approve, looks),
            Operation::Withdraw(request) => self.withdraw(actor, *request),
            Operation::CreateKey(env) => {
                let env = (*env, self.envs.get(env).ok_or(404_u16)?.made_by);
                self.keys.insert(made_by, Key::new(env));
                done(201, "api_key.created")
            }
            Operation::RevokeKey(key) => {
                self.usable(*key)?.is_revoked = true;
                done(204, "api_key.revoked")
            }
            &Operation::RotateKey { key, at_once } => {
                let old = self.usable(key)?;
                if old.is_rotated {
                    return Err(409);
                }
                (old.is_rotated, old.is_revoked) = (true, at_once);
                let new = Key::new(old.env);
                self.keys.insert(made_by, new);
                let actions = vec!["api_key.created", "api_key.rotated"];
                Ok(Outcome {
                    status: 200,
                    actions,
                })
            }
        }
    }

    pub(super) fn set(&mut self, flag: u8, env: u8, state: State) {
        let flag = self.flags.get_mut(&flag).expect("a flag");
        flag.states.insert(env, state);
    }

    /// Whether what needs this permission in an environment, and approval where that is protected, is let in.
    fn lets_in(&self, env: u8, actor: Actor, needed: (bool, bool)) -> bool {
        let env = &self.envs[&env];
        env.lets(actor, needed) && !env.is_protected
    }

    /// Whether a flag has states that keep it from ending, or from coming back: for want of a permission, or, if it `is_served`,
    /// where it is on and that is protected.
    fn is_held(&self, flag: &Flag, actor: Actor, is_served: bool) -> bool {
        flag.states.iter().any(|(env, state)| {
            let env = &self.envs[env];
            !env.lets(actor, BOTH) || (is_served && state.enabled && env.is_protected)
        })
    }

    /// No segment changes that rules name where that is protected.
    fn is_segment_held(&self, segment: u8, actor: Actor) -> bool {
        let flags = self.flags.values().filter(|flag| !flag.is_archived);
        let mut states = flags.flat_map(|flag| &flag.states);
        states
            .any(|(env, state)| state.segment == Some(segment) && !self.lets_in(*env, actor, RULES))
    }

    pub(super) fn known(&self, flag: u8, env: u8) -> Result<(), u16> {
        let is_known = self.flags.contains_key(&flag) && self.envs.contains_key(&env);
        is_known.then_some(()).ok_or(404)
    }

    /// A flag that can change.
    pub(super) fn active(&self, flag: u8) -> Result<&Flag, u16> {
        let found = self.flags.get(&flag).ok_or(404_u16)?;
        if found.is_archived {
            return Err(409);
        }
        Ok(found)
    }

    fn archive(&mut self, flag: u8, is_archived: bool, actor: Actor) -> Answer {
        let found = self.flags.get(&flag).ok_or(404_u16)?;
        let is_other = found.is_archived != is_archived;
        check(!is_other || !self.is_held(found, actor, true))?;
        let changed = self.flags.get_mut(&flag).ok_or(404_u16)?;
        changed.is_archived = is_archived;
        let action = if is_archived {
            "flag.archived"
        } else {
            "flag.restored"
        };
        done_if(is_other, 204, action)
    }

    /// Also through flags that are archived; unknown ones end a chain.
    fn check_cycle(&self, flag: u8, requires: Option<u8>) -> Result<(), u16> {
        let mut next = requires;
        while let Some(required) = next {
            if required == flag {
                return Err(400);
            }
            next = self.flags.get(&required).and_then(|flag| flag.requires);
        }
        Ok(())
    }

    /// A key that has not been revoked, of an environment that is there.
    fn usable(&mut self, key: usize) -> Result<&mut Key, u16> {
        let found = self.keys.get_mut(&key).filter(|key| !key.is_revoked);
        let (env, made_by) = found.as_ref().ok_or(404_u16)?.env;
        let is_there = self.envs.get(&env).map(|env| env.made_by) == Some(made_by);
        found.filter(|_| is_there).ok_or(404)
    }

    /// Whether edges take a key.
    pub fn takes(&self, key: usize) -> bool {
        self.clone().usable(key).is_ok()
    }

    /// What a user gets of a flag, and why; flags that are archived are as unknown.
    pub fn answer(&self, env: u8, flag: u8, user: u8) -> (Value, &'static str) {
        let Some(found) = self.flags.get(&flag).filter(|flag| !flag.is_archived) else {
            return (Value::Null, "NOT_FOUND");
        };
        let default = json!(value(found.default));
        let Some(state) = found.states.get(&env).filter(|state| state.enabled) else {
            return (default, "DISABLED");
        };
        if let Some(required) = found.requires {
            let (_, reason) = self.answer(env, required, user);
            if matches!(reason, "NOT_FOUND" | "DISABLED" | "PREREQUISITE_FAILED") {
                return (default, "PREREQUISITE_FAILED");
            }
        }
        let segment = state
            .segment
            .and_then(|segment| self.segments.get(&segment));
        if segment == Some(&user) {
            return (json!("rule"), "TARGETED");
        }
        let served = state.value.map_or(default, |own| json!(value(own)));
        (served, "FALLTHROUGH")
    }
}

impl Key {
    const fn new(env: (u8, usize)) -> Self {
        Self {
            env,
            is_revoked: false,
            is_rotated: false,
        }
    }
}
