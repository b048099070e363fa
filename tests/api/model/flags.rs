//! Flags and their states in the model.

use std::collections::BTreeMap;

use super::{
    change_sets::hides_default,
    contract::{Answer, BOTH, Flag, Model, RULES, TOGGLE, check, done, done_if},
    operations::{Actor, State},
};

impl Model {
    pub(super) fn create_flag(
        &mut self,
        made_by: usize,
        flag: u8,
        default: u8,
        requires: Option<u8>,
    ) -> Answer {
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
            due: BTreeMap::new(),
        };
        self.flags.insert(flag, made);
        done(201, "flag.created")
    }

    pub(super) fn update_flag(
        &mut self,
        actor: Actor,
        flag: u8,
        default: u8,
        requires: Option<u8>,
    ) -> Answer {
        if self.flags.contains_key(&flag) && requires == Some(flag) {
            return Err(400);
        }
        let was = self.active(flag)?.clone();
        self.check_cycle(flag, requires)?;
        let requires_other = requires != was.requires;
        let is_held = was.states.iter().any(|(env, state)| {
            let own = requires.is_none() && hides_default(&was, state);
            let has_effect = (default != was.default && !own) || (requires_other && state.enabled);
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

    pub(super) fn archive(&mut self, actor: Actor, flag: u8, is_archived: bool) -> Answer {
        let now = self.now;
        let found = self.flags.get(&flag).ok_or(404_u16)?;
        let is_other = found.is_archived != is_archived;
        check(!is_other || !self.is_held(found, actor, true))?;
        let changed = self.flags.get_mut(&flag).ok_or(404_u16)?;
        changed.is_archived = is_archived;
        if is_other && !is_archived {
            changed.drop_passed(now);
        }
        let action = if is_archived {
            "flag.archived"
        } else {
            "flag.restored"
        };
        done_if(is_other, 204, action)
    }

    pub(super) fn delete_flag(&mut self, actor: Actor, flag: u8) -> Answer {
        let found = self.flags.get(&flag).ok_or(404_u16)?;
        check(!self.is_held(found, actor, !found.is_archived))?;
        if !found.is_archived && found.states.values().any(|state| state.enabled) {
            return Err(409);
        }
        self.flags.remove(&flag);
        done(204, "flag.deleted")
    }

    pub(super) fn update_state(&mut self, actor: Actor, flag: u8, env: u8, state: State) -> Answer {
        self.known(flag, env)?;
        let is_other = self.active(flag)?.states.get(&env) != Some(&state);
        self.check_toggle_key(actor)?;
        check(self.lets_in(env, actor, BOTH))?;
        self.set_state(flag, env, state);
        done_if(is_other, 200, "flag.state_updated")
    }

    pub(super) fn kill(&mut self, actor: Actor, flag: u8, env: u8) -> Answer {
        self.known(flag, env)?;
        let stored = self.active(flag)?.states.get(&env);
        let state = State {
            enabled: false,
            ..stored.cloned().unwrap_or_default()
        };
        check(self.envs[&env].lets(actor, TOGGLE))?;
        self.set_state(flag, env, state);
        // Each call is recorded, also of a flag that is off.
        done(200, "flag.killed")
    }

    pub(super) fn promote(&mut self, actor: Actor, flag: u8, from: u8, to: u8) -> Answer {
        if self.flags.contains_key(&flag) && from == to {
            return Err(400);
        }
        self.known(flag, from)?;
        self.known(flag, to)?;
        let found = self.flags.get(&flag).ok_or(404_u16)?;
        let source = found.states.get(&from).cloned().ok_or(404_u16)?;
        check(found.is_archived || self.lets_in(to, actor, BOTH))?;
        self.active(flag)?;
        self.set_state(flag, to, source);
        done(200, "flag.promoted")
    }

    pub(super) fn set_state(&mut self, flag: u8, env: u8, state: State) {
        let flag = self.flags.get_mut(&flag).expect("a flag");
        flag.states.insert(env, state);
    }

    pub(super) fn check_toggle_key(&self, actor: Actor) -> Result<(), u16> {
        let keys = self.role.keys().filter(|_| actor == Actor::Developer);
        check(keys.is_none_or(|keys| keys.contains(&"flags.toggle")))
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

    /// Whether a flag has states that keep it from ending, or from coming back: for want of a permission, or, if it `is_served`,
    /// where it is on and that is protected.
    fn is_held(&self, flag: &Flag, actor: Actor, is_served: bool) -> bool {
        flag.states.iter().any(|(env, state)| {
            let env = &self.envs[env];
            !env.lets(actor, BOTH) || (is_served && state.enabled && env.is_protected)
        })
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
}
