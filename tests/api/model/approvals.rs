//! Requests for approval in the model.

use super::{
    contract::{Answer, Model, done},
    operations::{Actor, State},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    by: Actor,
    /// The flag and the environment, each with what made it.
    flag: (u8, usize),
    env: (u8, usize),
    /// The state when it was asked for.
    base: State,
    proposed: State,
    approved_by: Vec<Actor>,
    pub status: &'static str,
}

impl Request {
    pub fn approvals(&self) -> usize {
        self.approved_by.len()
    }
}

impl Model {
    /// Whoever may ask for it needs no permission in the environment.
    pub(super) fn request(
        &mut self,
        made_by: usize,
        by: Actor,
        (flag, env): (u8, u8),
        proposed: &State,
    ) -> Answer {
        self.known(flag, env)?;
        let found = self.active(flag)?;
        let request = Request {
            by,
            flag: (flag, found.made_by),
            env: (env, self.envs[&env].made_by),
            base: found.states.get(&env).cloned().unwrap_or_default(),
            proposed: proposed.clone(),
            approved_by: Vec::new(),
            status: "pending",
        };
        self.requests.insert(made_by, request);
        done(201, "approval.created")
    }

    fn pending(&mut self, request: usize) -> Result<&mut Request, u16> {
        let found = self.requests.get_mut(&request).ok_or(404_u16)?;
        if found.status != "pending" {
            return Err(409);
        }
        Ok(found)
    }

    pub(super) fn withdraw(&mut self, actor: Actor, request: usize) -> Answer {
        let found = self.pending(request)?;
        if found.by != actor {
            return Err(403);
        }
        found.status = "rejected";
        done(200, "approval.withdrawn")
    }

    pub(super) fn review(
        &mut self,
        reviewer: Actor,
        request: usize,
        approve: bool,
        looks: bool,
    ) -> Answer {
        let found = self.pending(request)?;
        if found.by == reviewer {
            return Err(403);
        }
        if !approve {
            found.status = "rejected";
            return done(200, "approval.rejected");
        }
        let mut asked = found.clone();
        let ((flag, flag_made), (env, env_made)) = (asked.flag, asked.env);
        let found = self.flags.get(&flag);
        let found = found
            .filter(|flag| flag.made_by == flag_made)
            .ok_or(409_u16)?;
        let env_now = self.envs.get(&env);
        let env_now = env_now
            .filter(|env| env.made_by == env_made)
            .ok_or(409_u16)?;
        let is_repeated = asked.approved_by.contains(&reviewer);
        asked.approved_by.retain(|one| *one != reviewer);
        asked.approved_by.push(reviewer);
        let is_applied = asked.approved_by.len() >= usize::from(env_now.approvals);
        let now = found.states.get(&env).cloned().unwrap_or_default();
        let is_blind = is_applied && !looks && now.conflicts(&asked.base, &asked.proposed);
        if (is_repeated && !is_applied) || is_blind || (is_applied && found.is_archived) {
            return Err(409);
        }
        let action = if is_applied {
            asked.status = "applied";
            self.set_state(flag, env, asked.proposed.clone());
            "flag.approved_change_applied"
        } else {
            "approval.approved"
        };
        self.requests.insert(request, asked);
        done(200, action)
    }
}
