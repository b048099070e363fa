//! Which steps are taken.

use std::collections::BTreeSet;

use rand::{Rng, RngExt, rngs::StdRng};

use super::{
    contract::Model,
    operations::{
        AHEAD, Actor, ENVIRONMENTS, Edit, FLAGS, Operation, Role, SEGMENTS, State, Step, USERS,
        VALUES,
    },
};

/// Draws a sequence. It knows what the model makes of it, so that steps are mostly about what is there.
pub struct Draw<'a> {
    rng: &'a mut StdRng,
    model: Model,
}

impl<'a> Draw<'a> {
    pub fn new(rng: &'a mut StdRng) -> Self {
        let model = Model::default();
        Self { rng, model }
    }

    pub fn step(&mut self, number: usize) -> Step {
        let operation = match self.rng.random_range(0..8) {
            0 | 1 => self.guarded(),
            2 | 3 => self.change_set(),
            _ => self.content(),
        };
        // Whoever may do most acts most often.
        let actor = match self.rng.random_range(0..10) {
            0..4 => Actor::Owner,
            4..6 => Actor::Developer,
            6..8 => Actor::Admin,
            _ => Actor::ALL[self.rng.random_range(0..Actor::ALL.len())],
        };
        let step = Step {
            number,
            actor,
            operation,
        };
        self.model.tick();
        self.model.apply(&step);
        step
    }

    /// Mostly one that is there.
    fn flag(&mut self) -> u8 {
        let there: Vec<_> = self.model.flags.keys().copied().collect();
        match self.rng.random_range(0..4) {
            1.. if !there.is_empty() => there[self.rng.random_range(0..there.len())],
            _ => self.rng.random_range(0..FLAGS),
        }
    }

    fn env(&mut self) -> u8 {
        let there: Vec<_> = self.model.envs.keys().copied().collect();
        match self.rng.random_range(0..6) {
            1.. if !there.is_empty() => there[self.rng.random_range(0..there.len())],
            _ => self.rng.random_range(0..ENVIRONMENTS),
        }
    }

    /// Flags, segments and environments.
    fn content(&mut self) -> Operation {
        let (flag, env, other) = (self.flag(), self.env(), self.env());
        let found = self.model.flags.get(&flag);
        let stated = found.and_then(|flag| flag.states.keys().next().copied());
        let rng = &mut *self.rng;
        let segment = rng.random_range(0..SEGMENTS);
        let user = rng.random_range(0..USERS);
        let default = rng.random_range(0..VALUES);
        let requires = maybe(rng, 3, FLAGS);
        match rng.random_range(0..23) {
            0..3 => Operation::CreateFlag {
                flag: rng.random_range(0..FLAGS),
                default,
                requires,
            },
            3..5 => Operation::UpdateFlag {
                flag,
                default,
                requires,
            },
            5 => Operation::Archive(flag),
            6 => Operation::Restore(flag),
            7 => Operation::DeleteFlag(flag),
            8..12 => Operation::SetState {
                flag,
                env,
                state: self.state(),
            },
            12 => Operation::Kill { flag, env },
            13 => Operation::Promote {
                flag,
                from: stated.unwrap_or(env),
                to: other,
            },
            14 | 15 => Operation::CreateSegment { segment, user },
            16 => Operation::UpdateSegment { segment, user },
            17 => Operation::DeleteSegment(segment),
            18..21 => Operation::Schedule {
                flag,
                env: stated.unwrap_or(env),
                enable: rng.random_ratio(1, 2),
                after: maybe(rng, 6, 5).map_or_else(|| Some(rng.random_range(1..AHEAD)), |_| None),
            },
            21 => Operation::CreateEnvironment(rng.random_range(0..ENVIRONMENTS)),
            _ => Operation::DeleteEnvironment(rng.random_range(2..ENVIRONMENTS)),
        }
    }

    /// Protection, permissions, approvals and keys.
    fn guarded(&mut self) -> Operation {
        let (flag, env) = (self.flag(), self.env());
        let requests: Vec<_> = self.model.requests.keys().copied().collect();
        let keys: Vec<_> = self.model.keys.keys().copied().collect();
        match self.rng.random_range(0..17) {
            0..3 => Operation::Protect {
                env,
                protected: self.rng.random_ratio(1, 2),
                approvals: self.rng.random_range(1..3),
            },
            3 => Operation::Permit {
                env,
                toggle: self.rng.random_ratio(1, 2),
                rules: self.rng.random_ratio(1, 2),
            },
            4 => Operation::Hold(Role::ALL[self.rng.random_range(0..Role::ALL.len())]),
            5..8 => Operation::Request {
                flag,
                env,
                state: self.state(),
            },
            8..12 => Operation::Review {
                request: one_of(self.rng, &requests),
                approve: self.rng.random_ratio(4, 5),
                looks: self.rng.random_ratio(1, 3),
            },
            12 => Operation::Withdraw(one_of(self.rng, &requests)),
            13 | 14 => Operation::CreateKey(env),
            15 => Operation::RevokeKey(one_of(self.rng, &keys)),
            _ => Operation::RotateKey {
                key: one_of(self.rng, &keys),
                at_once: self.rng.random_ratio(1, 2),
            },
        }
    }

    fn change_set(&mut self) -> Operation {
        let sets: Vec<_> = self.model.sets.keys().copied().collect();
        match self.rng.random_range(0..10) {
            0..3 => {
                let flags = BTreeSet::from([self.flag(), self.flag()]);
                let edits = flags.into_iter().map(|flag| self.edit(flag));
                Operation::Draft(edits.collect())
            }
            3 | 4 => Operation::Ask(one_of(self.rng, &sets)),
            5 | 6 => Operation::Judge {
                set: one_of(self.rng, &sets),
                approve: self.rng.random_ratio(4, 5),
            },
            7 | 8 => Operation::ApplySet {
                set: one_of(self.rng, &sets),
                looks: self.rng.random_ratio(1, 3),
            },
            _ if self.rng.random_ratio(2, 3) => Operation::Reopen(one_of(self.rng, &sets)),
            _ => Operation::DeleteSet(one_of(self.rng, &sets)),
        }
    }

    fn edit(&mut self, flag: u8) -> Edit {
        Edit {
            flag,
            default: maybe(self.rng, 3, VALUES),
            env: self.env(),
            state: self.state(),
        }
    }

    fn state(&mut self) -> State {
        State {
            enabled: self.rng.random_ratio(3, 4),
            value: maybe(self.rng, 2, VALUES),
            segment: maybe(self.rng, 2, SEGMENTS),
        }
    }
}

/// One time in `chances` one of so many, else nothing.
fn maybe(rng: &mut impl Rng, chances: u32, of: u8) -> Option<u8> {
    rng.random_ratio(1, chances)
        .then(|| rng.random_range(0..of))
}

/// One of the last four; before the first one, what does not exist.
fn one_of(rng: &mut impl Rng, numbers: &[usize]) -> usize {
    let last = &numbers[numbers.len().saturating_sub(4)..];
    match last.len() {
        0 => usize::MAX,
        count => last[rng.random_range(0..count)],
    }
}
