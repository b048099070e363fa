//! Change sets in the model. What refuses one is not told apart: only whether it is refused.

use std::collections::BTreeSet;

use super::{
    contract::{Answer, Flag, Model, Outcome, REFUSED, RULES, done},
    operations::{Actor, Edit, Role, State},
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeSet {
    authors: BTreeSet<Actor>,
    edits: Vec<Edit>,
    /// What each edit changes, as it was when that was last compared.
    base: Vec<Base>,
    pub status: &'static str,
    approved_by: Vec<Actor>,
    pub reviews: usize,
    wanted: u8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Base {
    default: u8,
    state: Option<State>,
}

/// What a set would do.
#[derive(Debug, Default)]
struct Plan {
    defaults: Vec<(u8, u8)>,
    states: Vec<(u8, u8, State)>,
    base: Vec<Base>,
}

impl ChangeSet {
    const fn is_approved(&self) -> bool {
        !self.approved_by.is_empty()
    }

    /// Whether something has become neither what it was nor what is asked for.
    fn conflicts(&self, now: &[Base]) -> bool {
        let mut all = self.edits.iter().zip(&self.base).zip(now);
        all.any(|((edit, base), now)| {
            let default = edit
                .default
                .is_some_and(|asked| now.default != base.default && now.default != asked);
            let state = match (&base.state, &now.state) {
                (None, None) => false,
                (None, Some(now)) => *now != edit.state,
                (Some(_), None) => true,
                (Some(base), Some(now)) => now.conflicts(base, &edit.state),
            };
            default || state
        })
    }
}

impl State {
    /// Whether a part of it is neither what it was nor what is asked for.
    pub fn conflicts(&self, base: &Self, asked: &Self) -> bool {
        (self.enabled != base.enabled && self.enabled != asked.enabled)
            || (self.value != base.value && self.value != asked.value)
            || (self.segment != base.segment && self.segment != asked.segment)
    }
}

impl Model {
    /// What edits would do; refused where something is not there, or archived.
    fn plan(&self, edits: &[Edit]) -> Result<Plan, u16> {
        let mut plan = Plan::default();
        for edit in edits {
            let flag = self.flags.get(&edit.flag).ok_or(REFUSED)?;
            self.envs.get(&edit.env).ok_or(REFUSED)?;
            let stored = flag.states.get(&edit.env);
            let default = edit.default.filter(|default| *default != flag.default);
            let is_other = stored != Some(&edit.state);
            if flag.is_archived && (default.is_some() || is_other) {
                return Err(REFUSED);
            }
            plan.defaults
                .extend(default.map(|default| (edit.flag, default)));
            if is_other {
                plan.states.push((edit.flag, edit.env, edit.state.clone()));
            }
            plan.base.push(Base {
                default: flag.default,
                state: stored.cloned(),
            });
        }
        Ok(plan)
    }

    /// How many people must approve a plan of somebody who may carry it out.
    fn wanted(&self, plan: &Plan, actor: Actor) -> Result<u8, u16> {
        let mut wanted = 0;
        let mut pass = |env: u8, needed: (bool, bool)| {
            let env = &self.envs[&env];
            if env.is_protected {
                wanted = wanted.max(env.approvals);
            }
            env.lets(actor, needed)
        };
        let is_held = actor == Actor::Developer;
        let keys = self.role.keys().filter(|_| is_held);
        let has = |key| keys.as_ref().is_none_or(|keys| keys.contains(&key));
        for (flag, _) in &plan.defaults {
            let flag = &self.flags[flag];
            let reached = flag
                .states
                .iter()
                .filter(|(_, state)| !hides_default(flag, state));
            let is_let = reached.fold(true, |is_let, (env, _)| pass(*env, RULES) && is_let);
            if !is_let || !has("flags.update") {
                return Err(REFUSED);
            }
        }
        for (flag, env, state) in &plan.states {
            let stored = self.flags[flag]
                .states
                .get(env)
                .cloned()
                .unwrap_or_default();
            let toggles = stored.enabled != state.enabled;
            let edits = (stored.value, stored.segment) != (state.value, state.segment);
            let keys = (!toggles || has("flags.toggle")) && (!edits || has("flags.edit_rules"));
            if !pass(*env, (toggles, edits)) || !keys || self.is_reader(actor) {
                return Err(REFUSED);
            }
        }
        Ok(wanted)
    }

    fn is_reader(&self, actor: Actor) -> bool {
        actor == Actor::Developer && self.role == Role::Requests
    }

    fn set(&mut self, set: usize) -> Result<&mut ChangeSet, u16> {
        self.sets.get_mut(&set).ok_or(404)
    }

    pub(super) fn draft(&mut self, made_by: usize, author: Actor, edits: &[Edit]) -> Answer {
        let set = ChangeSet {
            authors: BTreeSet::from([author]),
            edits: edits.to_vec(),
            base: self.plan(edits)?.base,
            status: "draft",
            approved_by: Vec::new(),
            reviews: 0,
            wanted: 0,
        };
        self.sets.insert(made_by, set);
        done(201, "change_set.created")
    }

    pub(super) fn ask(&mut self, actor: Actor, set: usize) -> Answer {
        let asked = self.set(set)?.clone();
        let plan = self.plan(&asked.edits)?;
        let wanted = self.wanted(&plan, actor)?;
        if asked.status != "draft" || asked.conflicts(&plan.base) {
            return Err(REFUSED);
        }
        let asked = self.set(set)?;
        asked.status = "pending";
        asked.wanted = wanted.max(1);
        asked.authors.insert(actor);
        done(200, "change_set.requested")
    }

    pub(super) fn judge(&mut self, reviewer: Actor, set: usize, approve: bool) -> Answer {
        let asked = self.set(set)?.clone();
        if asked.status != "pending" || asked.authors.contains(&reviewer) {
            return Err(REFUSED);
        }
        if !approve {
            let asked = self.set(set)?;
            asked.status = "rejected";
            asked.reviews += 1;
            return done(200, "change_set.rejected");
        }
        let plan = self.plan(&asked.edits)?;
        if asked.conflicts(&plan.base) || asked.approved_by.contains(&reviewer) {
            return Err(REFUSED);
        }
        let asked = self.set(set)?;
        asked.base = plan.base;
        asked.approved_by.push(reviewer);
        asked.reviews += 1;
        if asked.approved_by.len() >= usize::from(asked.wanted) {
            asked.status = "approved";
        }
        done(200, "change_set.approved")
    }

    /// All of it, or nothing.
    pub(super) fn apply_set(&mut self, actor: Actor, set: usize, looks: bool) -> Answer {
        let asked = self.set(set)?.clone();
        let plan = self.plan(&asked.edits)?;
        let wanted = self.wanted(&plan, actor)?;
        let is_blind = !looks || asked.is_approved();
        if !matches!(asked.status, "draft" | "approved")
            || (is_blind && asked.conflicts(&plan.base))
            || asked.approved_by.len() < usize::from(wanted)
        {
            return Err(REFUSED);
        }
        self.set(set)?.status = "applied";
        let mut actions = vec!["flag.updated"; plan.defaults.len()];
        actions.extend(vec!["flag.state_updated"; plan.states.len()]);
        actions.push("change_set.applied");
        for (flag, default) in plan.defaults {
            self.flags
                .entry(flag)
                .and_modify(|flag| flag.default = default);
        }
        for (flag, env, state) in plan.states {
            self.set_state(flag, env, state);
        }
        Ok(Outcome {
            status: 200,
            actions,
        })
    }

    pub(super) fn reopen(&mut self, set: usize) -> Answer {
        let found = self.set(set)?;
        if matches!(found.status, "draft" | "applied") {
            return Err(REFUSED);
        }
        found.status = "draft";
        (found.approved_by, found.reviews, found.wanted) = (Vec::new(), 0, 0);
        done(200, "change_set.reopened")
    }

    pub(super) fn delete_set(&mut self, set: usize) -> Answer {
        if self.set(set)?.status == "applied" {
            return Err(REFUSED);
        }
        self.sets.remove(&set);
        done(204, "change_set.deleted")
    }
}

/// Whether nobody gets the flag's default where it has this state.
pub(super) const fn hides_default(flag: &Flag, state: &State) -> bool {
    state.enabled && state.value.is_some() && flag.requires.is_none()
}
