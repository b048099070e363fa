//! The contract, as a model: what each operation answers, what it changes, and what is evaluated then.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{
    approvals::Request,
    change_sets::ChangeSet,
    operations::{Actor, Operation, Role, State, Step, value},
    schedules::Due,
};

/// A project, and what its developer may do in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    pub envs: BTreeMap<u8, Env>,
    pub flags: BTreeMap<u8, Flag>,
    /// By number, the user that is in it.
    pub segments: BTreeMap<u8, u8>,
    pub role: Role,
    /// Seconds since it began.
    pub now: u64,
    /// By the step that made it, as keys and change sets are.
    pub requests: BTreeMap<usize, Request>,
    pub sets: BTreeMap<usize, ChangeSet>,
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
    pub due: BTreeMap<u8, Due>,
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

/// Any status of a refusal.
pub(super) const REFUSED: u16 = 0;

impl Outcome {
    pub const fn refused(status: u16) -> Self {
        Self {
            status,
            actions: Vec::new(),
        }
    }

    /// What a webhook that listens to everything is told. It is told of a change set as one.
    pub fn events(&self) -> impl Iterator<Item = &'static str> {
        let applied = self
            .actions
            .iter()
            .position(|action| *action == "change_set.applied");
        self.actions[applied.unwrap_or(0)..].iter().copied()
    }

    pub fn is_answered_by(&self, status: u16) -> bool {
        match self.status {
            REFUSED => matches!(status, 400..=409),
            expected => expected == status,
        }
    }
}

pub(super) fn done(status: u16, action: &'static str) -> Answer {
    let actions = vec![action];
    Ok(Outcome { status, actions })
}

/// The same, if it changes anything.
pub(super) fn done_if(changes: bool, status: u16, action: &'static str) -> Answer {
    if changes {
        done(status, action)
    } else {
        Ok(Outcome::refused(status))
    }
}

pub(super) const fn check(is_allowed: bool) -> Result<(), u16> {
    if is_allowed { Ok(()) } else { Err(403) }
}

/// What `can_toggle` and `can_edit_rules` guard.
pub(super) const BOTH: (bool, bool) = (true, true);
pub(super) const TOGGLE: (bool, bool) = (true, false);
pub(super) const RULES: (bool, bool) = (false, true);

impl Env {
    pub(super) const fn new(made_by: usize) -> Self {
        Self {
            made_by,
            is_protected: false,
            approvals: 1,
            row: None,
        }
    }

    pub(super) fn lets(&self, actor: Actor, (toggle, rules): (bool, bool)) -> bool {
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
            now: 0,
            requests: BTreeMap::new(),
            sets: BTreeMap::new(),
            keys: BTreeMap::new(),
        }
    }
}

impl Model {
    pub fn apply(&mut self, step: &Step) -> Outcome {
        let outcome = self.admit(step).and_then(|()| self.change(step));
        outcome.unwrap_or_else(Outcome::refused)
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
            Operation::Schedule { .. } => &["flags.toggle"],
            Operation::Kill { .. } => &["flags.kill"],
            Operation::Promote { .. } => &["flags.promote"],
            Operation::CreateSegment { .. }
            | Operation::UpdateSegment { .. }
            | Operation::DeleteSegment(_) => &["segments.write"],
            Operation::CreateEnvironment(_) | Operation::Protect { .. } => &["environments.create"],
            Operation::Request { .. } | Operation::Withdraw(_) | Operation::Ask(_) => {
                &["approvals.create"]
            }
            // Any of those of their parts.
            Operation::Draft(_)
            | Operation::ApplySet { .. }
            | Operation::Reopen(_)
            | Operation::DeleteSet(_) => &["flags.update"],
            Operation::DeleteEnvironment(_)
            | Operation::Permit { .. }
            | Operation::Hold(_)
            | Operation::Review { .. }
            | Operation::Judge { .. }
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
        match step.operation.clone() {
            Operation::CreateFlag {
                flag,
                default,
                requires,
            } => self.create_flag(made_by, flag, default, requires),
            Operation::UpdateFlag {
                flag,
                default,
                requires,
            } => self.update_flag(actor, flag, default, requires),
            Operation::Archive(flag) => self.archive(actor, flag, true),
            Operation::Restore(flag) => self.archive(actor, flag, false),
            Operation::DeleteFlag(flag) => self.delete_flag(actor, flag),
            Operation::SetState { flag, env, state } => self.update_state(actor, flag, env, state),
            Operation::Schedule {
                flag,
                env,
                enable,
                after,
            } => self.schedule(actor, (flag, env), enable, after),
            Operation::Kill { flag, env } => self.kill(actor, flag, env),
            Operation::Promote { flag, from, to } => self.promote(actor, flag, from, to),
            Operation::CreateSegment { segment, user } => self.create_segment(actor, segment, user),
            Operation::UpdateSegment { segment, user } => self.update_segment(actor, segment, user),
            Operation::DeleteSegment(segment) => self.delete_segment(actor, segment),
            Operation::CreateEnvironment(env) => self.create_environment(made_by, env),
            Operation::DeleteEnvironment(env) => self.delete_environment(env),
            Operation::Protect {
                env,
                protected,
                approvals,
            } => self.protect(actor, env, protected, approvals),
            Operation::Permit { env, toggle, rules } => self.permit(env, (toggle, rules)),
            Operation::Hold(role) => {
                let was = std::mem::replace(&mut self.role, role);
                done_if(was != role, 204, "member.role_changed")
            }
            Operation::Request { flag, env, state } => {
                self.request(made_by, actor, (flag, env), &state)
            }
            Operation::Review {
                request,
                approve,
                looks,
            } => self.review(actor, request, approve, looks),
            Operation::Withdraw(request) => self.withdraw(actor, request),
            Operation::Draft(edits) => self.draft(made_by, actor, &edits),
            Operation::Ask(set) => self.ask(actor, set),
            Operation::Judge { set, approve } => self.judge(actor, set, approve),
            Operation::ApplySet { set, looks } => self.apply_set(actor, set, looks),
            Operation::Reopen(set) => self.reopen(set),
            Operation::DeleteSet(set) => self.delete_set(set),
            Operation::CreateKey(env) => self.create_key(made_by, env),
            Operation::RevokeKey(key) => self.revoke_key(key),
            Operation::RotateKey { key, at_once } => self.rotate_key(made_by, key, at_once),
        }
    }

    /// Whether what needs this permission in an environment, and approval where that is protected, is let in.
    pub(super) fn lets_in(&self, env: u8, actor: Actor, needed: (bool, bool)) -> bool {
        let env = &self.envs[&env];
        env.lets(actor, needed) && !env.is_protected
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
