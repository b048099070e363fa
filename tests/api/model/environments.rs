//! Environments in the model, their segments and their API keys.

use super::{
    contract::{Answer, Env, Key, Model, Outcome, RULES, check, done, done_if},
    operations::Actor,
};

impl Model {
    pub(super) fn create_segment(&mut self, actor: Actor, segment: u8, user: u8) -> Answer {
        check(!self.is_segment_held(segment, actor))?;
        if self.segments.contains_key(&segment) {
            return Err(409);
        }
        self.segments.insert(segment, user);
        done(201, "segment.created")
    }

    pub(super) fn update_segment(&mut self, actor: Actor, segment: u8, user: u8) -> Answer {
        let was = *self.segments.get(&segment).ok_or(404_u16)?;
        check(was == user || !self.is_segment_held(segment, actor))?;
        self.segments.insert(segment, user);
        done_if(was != user, 200, "segment.updated")
    }

    pub(super) fn delete_segment(&mut self, actor: Actor, segment: u8) -> Answer {
        self.segments.get(&segment).ok_or(404_u16)?;
        check(!self.is_segment_held(segment, actor))?;
        self.segments.remove(&segment);
        done(204, "segment.deleted")
    }

    /// No segment changes that rules name where that is protected.
    fn is_segment_held(&self, segment: u8, actor: Actor) -> bool {
        let flags = self.flags.values().filter(|flag| !flag.is_archived);
        let mut states = flags.flat_map(|flag| &flag.states);
        states
            .any(|(env, state)| state.segment == Some(segment) && !self.lets_in(*env, actor, RULES))
    }

    pub(super) fn create_environment(&mut self, made_by: usize, env: u8) -> Answer {
        if self.envs.contains_key(&env) {
            return Err(409);
        }
        self.envs.insert(env, Env::new(made_by));
        done(201, "environment.created")
    }

    pub(super) fn delete_environment(&mut self, env: u8) -> Answer {
        check(!self.envs.get(&env).ok_or(404_u16)?.is_protected)?;
        self.envs.remove(&env);
        for flag in self.flags.values_mut() {
            flag.states.remove(&env);
            flag.due.remove(&env);
        }
        done(204, "environment.deleted")
    }

    pub(super) fn protect(
        &mut self,
        actor: Actor,
        env: u8,
        is_protected: bool,
        approvals: u8,
    ) -> Answer {
        let found = self.envs.get_mut(&env).ok_or(404_u16)?;
        check(actor != Actor::Developer)?;
        let was = found.clone();
        (found.is_protected, found.approvals) = (is_protected, approvals);
        done_if(*found != was, 200, "environment.updated")
    }

    pub(super) fn permit(&mut self, env: u8, row: (bool, bool)) -> Answer {
        let found = self.envs.get_mut(&env).ok_or(404_u16)?;
        let was = found.row.replace(row);
        done_if(was != found.row, 200, "member.permissions_updated")
    }

    pub(super) fn create_key(&mut self, made_by: usize, env: u8) -> Answer {
        let env = (env, self.envs.get(&env).ok_or(404_u16)?.made_by);
        self.keys.insert(made_by, Key::new(env));
        done(201, "api_key.created")
    }

    pub(super) fn revoke_key(&mut self, key: usize) -> Answer {
        self.usable(key)?.is_revoked = true;
        done(204, "api_key.revoked")
    }

    pub(super) fn rotate_key(&mut self, made_by: usize, key: usize, at_once: bool) -> Answer {
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

    /// A key that has not been revoked, of an environment that is there.
    pub(super) fn usable(&mut self, key: usize) -> Result<&mut Key, u16> {
        let found = self.keys.get_mut(&key).filter(|key| !key.is_revoked);
        let (env, made_by) = found.as_ref().ok_or(404_u16)?.env;
        let is_there = self.envs.get(&env).map(|env| env.made_by) == Some(made_by);
        found.filter(|_| is_there).ok_or(404)
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
