//! Due times of states in the model, and what happens when they have come.

use super::{
    contract::{Answer, Flag, Model, Outcome, TOGGLE, check, done_if},
    operations::Actor,
};

/// When a state is switched on and off, in seconds of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Due {
    enable: Option<u64>,
    disable: Option<u64>,
}

impl Due {
    /// What has come, the earliest first, of equal times enabling, and what is left.
    fn passed(self, now: u64) -> (Vec<(u64, bool)>, Self) {
        let times = [(self.enable, true), (self.disable, false)];
        let passed = times.map(|(at, enabled)| Some((at.filter(|at| *at <= now)?, enabled)));
        let mut passed: Vec<_> = passed.into_iter().flatten().collect();
        passed.sort_by_key(|(at, _)| *at);
        let left = |at: Option<u64>| at.filter(|at| *at > now);
        let left = Self {
            enable: left(self.enable),
            disable: left(self.disable),
        };
        (passed, left)
    }
}

impl Model {
    pub(super) fn schedule(
        &mut self,
        actor: Actor,
        (flag, env): (u8, u8),
        enable: bool,
        after: Option<u8>,
    ) -> Answer {
        self.known(flag, env)?;
        let found = self.active(flag)?;
        let was = found.due.get(&env).copied().unwrap_or_default();
        let at = after.map(|seconds| self.now + u64::from(seconds));
        let due = if enable {
            Due { enable: at, ..was }
        } else {
            Due { disable: at, ..was }
        };
        let is_other = due != was || !found.states.contains_key(&env);
        self.check_toggle_key(actor)?;
        check(self.lets_in(env, actor, TOGGLE))?;
        if let Some(flag) = self.flags.get_mut(&flag) {
            flag.states.entry(env).or_default();
            flag.due.insert(env, due);
        }
        done_if(is_other, 200, "flag.state_updated")
    }

    /// Lets a second pass. Due times of flags that are archived wait.
    pub fn tick(&mut self) -> Outcome {
        self.now += 1;
        let now = self.now;
        let mut actions = Vec::new();
        for flag in self.flags.values_mut().filter(|flag| !flag.is_archived) {
            for (passed, env) in flag.drop_passed(now) {
                for (_, enabled) in passed {
                    flag.states.entry(env).or_default().enabled = enabled;
                    actions.push("flag.scheduled_toggle");
                }
            }
        }
        Outcome {
            status: 200,
            actions,
        }
    }
}

impl Flag {
    /// Takes what has come from each state: it is done, or a flag that is restored has missed it.
    pub(super) fn drop_passed(&mut self, now: u64) -> Vec<(Vec<(u64, bool)>, u8)> {
        let each = self.due.iter_mut().map(|(env, due)| {
            let (passed, left) = due.passed(now);
            *due = left;
            (passed, *env)
        });
        each.collect()
    }
}
