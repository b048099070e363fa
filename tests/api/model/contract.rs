//! The contract, as a model: what each operation answers, what it changes, and what is evaluated then.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::operations::{Actor, Operation, State, Step, value};

/// A project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    /// By number, whether it is protected.
    pub envs: BTreeMap<u8, bool>,
    pub flags: BTreeMap<u8, Flag>,
    /// By number, the user that is in it.
    pub segments: BTreeMap<u8, u8>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    pub default: u8,
    pub requires: Option<u8>,
    pub is_archived: bool,
    pub states: BTreeMap<u8, State>,
}

/// What is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub status: u16,
    /// Whether the audit log has an entry more.
    pub is_recorded: bool,
}

const fn refused(status: u16) -> Outcome {
    Outcome {
        status,
        is_recorded: false,
    }
}

const fn done(status: u16, is_recorded: bool) -> Outcome {
    Outcome {
        status,
        is_recorded,
    }
}

impl Default for Model {
    fn default() -> Self {
        Self {
            envs: BTreeMap::from([(0, false), (1, false), (2, false)]),
            flags: BTreeMap::new(),
            segments: BTreeMap::new(),
        }
    }
}

impl Model {
    pub fn apply(&mut self, step: &Step) -> Outcome {
        match (step.actor, &step.operation) {
            (Actor::Viewer | Actor::Reader, _)
            | (Actor::Developer, Operation::DeleteEnvironment(_)) => refused(403),
            (Actor::Developer, Operation::Protect { env, .. }) if self.envs.contains_key(env) => {
                refused(403)
            }
            (Actor::Stranger, _) => refused(404),
            (_, operation) => self.change(operation).unwrap_or_else(refused),
        }
    }

    /// What it answers, or the status of the refusal.
    fn change(&mut self, operation: &Operation) -> Result<Outcome, u16> {
        match operation {
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
                    default,
                    requires,
                    is_archived: false,
                    states: BTreeMap::new(),
                };
                self.flags.insert(flag, made);
                Ok(done(201, true))
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
                let now = Flag {
                    default,
                    requires,
                    ..was.clone()
                };
                let is_other = now != was;
                let requires_other = requires != was.requires;
                let is_held = was.states.iter().any(|(env, state)| {
                    let own = state.enabled
                        && state.value.is_some()
                        && requires.or(was.requires).is_none();
                    self.is_protected(*env)
                        && ((default != was.default && !own) || (requires_other && state.enabled))
                });
                if is_held {
                    return Err(403);
                }
                self.flags.insert(flag, now);
                Ok(done(200, is_other))
            }
            Operation::Archive(flag) => self.archive(*flag, true),
            Operation::Restore(flag) => self.archive(*flag, false),
            Operation::DeleteFlag(flag) => {
                let found = self.flags.get(flag).ok_or(404_u16)?;
                if !found.is_archived && self.is_held(found) {
                    return Err(403);
                }
                if !found.is_archived && found.states.values().any(|state| state.enabled) {
                    return Err(409);
                }
                self.flags.remove(flag);
                Ok(done(204, true))
            }
            Operation::SetState { flag, env, state } => {
                self.known(*flag, *env)?;
                let is_protected = self.is_protected(*env);
                let states = &mut self.active(*flag)?.states;
                let is_other = states.get(env) != Some(state);
                if is_protected && is_other {
                    return Err(403);
                }
                states.insert(*env, state.clone());
                Ok(done(200, is_other))
            }
            Operation::Kill { flag, env } => {
                self.known(*flag, *env)?;
                let states = &mut self.active(*flag)?.states;
                states.entry(*env).or_default().enabled = false;
                // Each call is, also of a flag that is off.
                Ok(done(200, true))
            }
            Operation::Promote { flag, from, to } => {
                if self.flags.contains_key(flag) && from == to {
                    return Err(400);
                }
                self.known(*flag, *from)?;
                self.known(*flag, *to)?;
                let found = self.flags.get(flag).ok_or(404_u16)?;
                let source = found.states.get(from).cloned().ok_or(404_u16)?;
                let is_protected = self.is_protected(*to);
                if is_protected && !found.is_archived {
                    return Err(403);
                }
                let states = &mut self.active(*flag)?.states;
                states.insert(*to, source);
                Ok(done(200, true))
            }
            &Operation::CreateSegment { segment, user } => {
                self.check_segment(segment)?;
                if self.segments.contains_key(&segment) {
                    return Err(409);
                }
                self.segments.insert(segment, user);
                Ok(done(201, true))
            }
            &Operation::UpdateSegment { segment, user } => {
                let was = *self.segments.get(&segment).ok_or(404_u16)?;
                if was != user {
                    self.check_segment(segment)?;
                    self.segments.insert(segment, user);
                }
                Ok(done(200, was != user))
            }
            Operation::DeleteSegment(segment) => {
                self.segments.get(segment).ok_or(404_u16)?;
                self.check_segment(*segment)?;
                self.segments.remove(segment);
                Ok(done(204, true))
            }
            Operation::CreateEnvironment(env) => {
                if self.envs.contains_key(env) {
                    return Err(409);
                }
                self.envs.insert(*env, false);
                Ok(done(201, true))
            }
            Operation::DeleteEnvironment(env) => {
                if *self.envs.get(env).ok_or(404_u16)? {
                    return Err(403);
                }
                self.envs.remove(env);
                for flag in self.flags.values_mut() {
                    flag.states.remove(env);
                }
                Ok(done(204, true))
            }
            &Operation::Protect { env, protected } => {
                let held = self.envs.get_mut(&env).ok_or(404_u16)?;
                let was = std::mem::replace(held, protected);
                Ok(done(200, was != protected))
            }
        }
    }

    fn is_protected(&self, env: u8) -> bool {
        self.envs.get(&env) == Some(&true)
    }

    /// Whether a flag is on where that is protected.
    fn is_held(&self, flag: &Flag) -> bool {
        let mut states = flag.states.iter();
        states.any(|(env, state)| state.enabled && self.is_protected(*env))
    }

    /// No segment changes that rules name where that is protected.
    fn check_segment(&self, segment: u8) -> Result<(), u16> {
        let flags = self.flags.values().filter(|flag| !flag.is_archived);
        let mut states = flags.flat_map(|flag| &flag.states);
        let is_held =
            states.any(|(env, state)| state.segment == Some(segment) && self.is_protected(*env));
        if is_held { Err(403) } else { Ok(()) }
    }

    fn known(&self, flag: u8, env: u8) -> Result<(), u16> {
        let is_known = self.flags.contains_key(&flag) && self.envs.contains_key(&env);
        is_known.then_some(()).ok_or(404)
    }

    /// A flag that can change.
    fn active(&mut self, flag: u8) -> Result<&mut Flag, u16> {
        let found = self.flags.get_mut(&flag).ok_or(404_u16)?;
        if found.is_archived {
            return Err(409);
        }
        Ok(found)
    }

    fn archive(&mut self, flag: u8, is_archived: bool) -> Result<Outcome, u16> {
        let found = self.flags.get(&flag).ok_or(404_u16)?;
        let is_other = found.is_archived != is_archived;
        if is_other && self.is_held(found) {
            return Err(403);
        }
        let changed = self.flags.get_mut(&flag).ok_or(404_u16)?;
        changed.is_archived = is_archived;
        Ok(done(204, is_other))
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
