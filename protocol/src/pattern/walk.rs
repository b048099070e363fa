//! Walks the states of a pattern over a text: all that it can be in are followed at once, byte by byte.

use regex_automata::{
    nfa::thompson::{NFA, State},
    util::primitives::StateID,
};

/// Space for walks. Grows to the largest pattern that was walked.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    now: States,
    next: States,
    stack: Vec<StateID>,
}

/// A set of states, in the order in which they were added.
#[derive(Debug, Default)]
struct States {
    members: Vec<StateID>,
    /// Where in `members` a state is, if it is there.
    places: Vec<u32>,
}

/// The end of a walk.
enum End {
    Match,
    /// No steps are left.
    Spent,
}

impl Threads {
    pub(crate) const fn new() -> Self {
        Self {
            now: States::new(),
            next: States::new(),
            stack: Vec::new(),
        }
    }

    /// Whether the pattern matches somewhere in the text. Takes a step for each state that is visited.
    pub(super) fn walk(&mut self, nfa: &NFA, text: &str, left: &mut u64) -> bool {
        self.now.reset(nfa.states().len());
        self.next.reset(nfa.states().len());
        match self.follow(nfa, text, left) {
            Ok(()) => false,
            Err(End::Match) => true,
            Err(End::Spent) => {
                *left = 0;
                false
            }
        }
    }

    fn follow(&mut self, nfa: &NFA, text: &str, left: &mut u64) -> Result<(), End> {
        let bytes = text.as_bytes();
        for at in 0..=bytes.len() {
            // A match begins where a character does. An empty one ends there too.
            if at == 0 || (text.is_char_boundary(at) && !nfa.is_always_start_anchored()) {
                self.enter(nfa, nfa.start_anchored(), bytes, at, Which::Now, left)?;
            }
            let Some(&byte) = bytes.get(at) else {
                break;
            };
            if self.now.members.is_empty() && nfa.is_always_start_anchored() {
                break;
            }
            for place in 0..self.now.members.len() {
                let (target, steps) = transition(nfa.state(self.now.members[place]), byte);
                spend(left, steps)?;
                if let Some(target) = target {
                    self.enter(nfa, target, bytes, at + 1, Which::Next, left)?;
                }
            }
            std::mem::swap(&mut self.now, &mut self.next);
            self.next.members.clear();
        }
        Ok(())
    }

    /// Adds a state, and all that can be reached from it without another byte.
    fn enter(
        &mut self,
        nfa: &NFA,
        state: StateID,
        text: &[u8],
        at: usize,
        which: Which,
        left: &mut u64,
    ) -> Result<(), End> {
        let states = match which {
            Which::Now => &mut self.now,
            Which::Next => &mut self.next,
        };
        self.stack.clear();
        self.stack.push(state);
        while let Some(state) = self.stack.pop() {
            spend(left, 1)?;
            if !states.insert(state) {
                continue;
            }
            match nfa.state(state) {
                State::Match { .. } => return Err(End::Match),
                State::Look { look, next } => {
                    if nfa.look_matcher().matches(*look, text, at) {
                        self.stack.push(*next);
                    }
                }
                State::Union { alternates } => self.stack.extend(alternates.iter().rev()),
                State::BinaryUnion { alt1, alt2 } => self.stack.extend([*alt2, *alt1]),
                State::Capture { next, .. } => self.stack.push(*next),
                State::ByteRange { .. } | State::Sparse(_) | State::Dense(_) | State::Fail => {}
            }
        }
        Ok(())
    }
}

/// Which set a state is added to.
#[derive(Clone, Copy)]
enum Which {
    Now,
    Next,
}

/// Where a byte leads from a state, and the steps that it takes to find out.
fn transition(state: &State, byte: u8) -> (Option<StateID>, u64) {
    match state {
        State::ByteRange { trans } => (trans.matches_byte(byte).then_some(trans.next), 1),
        State::Sparse(sparse) => (
            sparse.matches_byte(byte),
            // They are looked through one after the other.
            1 + sparse.transitions.len() as u64 / 8,
        ),
        State::Dense(dense) => (dense.matches_byte(byte), 1),
        State::Look { .. }
        | State::Union { .. }
        | State::BinaryUnion { .. }
        | State::Capture { .. }
        | State::Fail
        | State::Match { .. } => (None, 1),
    }
}

fn spend(left: &mut u64, steps: u64) -> Result<(), End> {
    *left = left.checked_sub(steps).ok_or(End::Spent)?;
    Ok(())
}

impl States {
    const fn new() -> Self {
        Self {
            members: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Empties it, with room for so many states.
    fn reset(&mut self, states: usize) {
        self.members.clear();
        if self.places.len() < states {
            self.places.resize(states, 0);
            self.members.reserve(states);
        }
    }

    /// False if it was there already.
    fn insert(&mut self, state: StateID) -> bool {
        let place = self.places[state.as_usize()] as usize;
        if self.members.get(place) == Some(&state) {
            return false;
        }
        self.places[state.as_usize()] = u32::try_from(self.members.len()).unwrap_or(u32::MAX);
        self.members.push(state);
        true
    }
}
