//! Which steps are taken.

use rand::{Rng, RngExt, rngs::StdRng};

use super::operations::{
    Actor, ENVIRONMENTS, FLAGS, Operation, Role, SEGMENTS, State, Step, USERS, VALUES,
};

/// Draws a sequence. Reviews of requests and ends of keys are about one of the last that were asked for.
pub struct Draw<'a> {
    rng: &'a mut StdRng,
    requests: Vec<usize>,
    keys: Vec<usize>,
}

impl<'a> Draw<'a> {
    pub const fn new(rng: &'a mut StdRng) -> Self {
        Self {
            rng,
            requests: Vec::new(),
            keys: Vec::new(),
        }
    }

    pub fn step(&mut self, number: usize) -> Step {
        // Whoever may do most acts most often.
        let actor = match self.rng.random_range(0..10) {
            0..4 => Actor::Owner,
            4..7 => Actor::Developer,
            7 => Actor::Admin,
            _ => Actor::ALL[self.rng.random_range(0..Actor::ALL.len())],
        };
        let operation = match self.rng.random_range(0..3) {
            0 => self.guarded(),
            _ => self.content(),
        };
        match operation {
            Operation::Request { .. } => self.requests.push(number),
            Operation::CreateKey(_) | Operation::RotateKey { .. } => self.keys.push(number),
            _ => {}
        }
        Step {
            number,
            actor,
            operation,
        }
    }

    /// Flags, segments and environments.
    fn content(&mut self) -> Operation {
        let rng = &mut *self.rng;
        let flag = rng.random_range(0..FLAGS);
        let env = rng.random_range(0..ENVIRONMENTS);
        let segment = rng.random_range(0..SEGMENTS);
        let user = rng.random_range(0..USERS);
        let default = rng.random_range(0..VALUES);
        let requires = maybe(rng, 3, FLAGS);
        match rng.random_range(0..20) {
            0..3 => Operation::CreateFlag {
                flag,
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
                from: env,
                to: rng.random_range(0..ENVIRONMENTS),
            },
            14 | 15 => Operation::CreateSegment { segment, user },
            16 => Operation::UpdateSegment { segment, user },
            17 => Operation::DeleteSegment(segment),
            18 => Operation::CreateEnvironment(env),
            _ => Operation::DeleteEnvironment(rng.random_range(2..ENVIRONMENTS)),
        }
    }

    /// Protection, permissions, approvals and keys.
    fn guarded(&mut self) -> Operation {
        let flag = self.rng.random_range(0..FLAGS);
        let env = self.rng.random_range(0..ENVIRONMENTS);
        match self.rng.random_range(0..16) {
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
                request: one_of(self.rng, &self.requests),
                approve: self.rng.random_ratio(4, 5),
                looks: self.rng.random_ratio(1, 3),
            },
            12 => Operation::Withdraw(one_of(self.rng, &self.requests)),
            13 => Operation::CreateKey(env),
            14 => Operation::RevokeKey(one_of(self.rng, &self.keys)),
            _ => Operation::RotateKey {
                key: one_of(self.rng, &self.keys),
                at_once: self.rng.random_ratio(1, 2),
            },
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
