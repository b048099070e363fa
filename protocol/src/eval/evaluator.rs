//! Evaluations for one context that share what they have in common.

use std::hint::black_box;

use super::{
    Environment, Evaluation, FlagIndex, Scratch,
    context::Context,
    engine,
    gate::{self, FLAG},
    observer::Silent,
};

/// Evaluates flags of one environment for one context.
///
/// What several of them depend on is worked out once: whether a prerequisite is met, who wins a contest, whether a
/// segment matches. So the work for all flags is in proportion to what the environment holds. The answers are those of
/// [`evaluate`](super::evaluate), in whatever order they are asked for.
#[derive(Debug)]
pub struct Evaluator<'e, 's> {
    env: &'e Environment,
    context: &'s Context<'s>,
    scratch: &'s mut Scratch,
}

impl<'e, 's> Evaluator<'e, 's> {
    /// Nothing is known yet of this context.
    pub fn new(env: &'e Environment, context: &'s Context<'s>, scratch: &'s mut Scratch) -> Self {
        scratch.begin();
        scratch.work = 0;
        Self {
            env,
            context,
            scratch,
        }
    }

    /// Evaluates one flag. An index of another version of the environment does no harm, as in
    /// [`evaluate`](super::evaluate).
    #[must_use]
    pub fn evaluate(&mut self, flag: FlagIndex) -> Evaluation<'e> {
        self.scratch.work += FLAG;
        engine::decide(self.env, flag.0, self.context, self.scratch, &mut Silent)
    }

    /// The same, and what is made of the answer; `None` if it takes more than the work of some hundred plain flags: to be asked for
    /// again when there is time for it. It is for flags whose prerequisites are settled.
    // The answer is shown and not returned, so that it need not be moved: that would take as long as many an evaluation.
    #[inline]
    pub fn evaluate_briefly<T>(
        &mut self,
        flag: FlagIndex,
        then: impl FnOnce(&Evaluation<'e>) -> T,
    ) -> Option<T> {
        self.scratch.work += FLAG;
        self.scratch.begin_briefly();
        let evaluation = engine::decide(self.env, flag.0, self.context, self.scratch, &mut Silent);
        self.scratch.end_briefly().then(|| then(&evaluation))
    }

    /// Has the processor fetch a flag that is evaluated soon while it evaluates others: flags are all over the memory.
    #[inline]
    pub fn approach(&self, flag: FlagIndex) {
        if let Some(entry) = self.env.entry(flag.0) {
            black_box(entry.flag.state.is_some());
            black_box(entry.flag.key.json().as_bytes().first());
        }
    }

    /// Like [`Self::settle`]; false if it takes more work than that.
    #[must_use]
    pub fn settle_briefly(&mut self, flag: FlagIndex) -> bool {
        self.scratch.begin_briefly();
        gate::is_met(self.env, flag.0, self.context, self.scratch, &mut Silent);
        self.scratch.end_briefly()
    }

    /// Works out whether the flag is met as a prerequisite. Done for all of [`Environment::required`] in their order,
    /// no evaluation is left with more to do than its own flag, its contest and its segments.
    pub fn settle(&mut self, flag: FlagIndex) {
        gate::is_met(self.env, flag.0, self.context, self.scratch, &mut Silent);
    }

    /// The work done so far: what testing conditions took, and a plain flag is 128. Two or three of these units take a
    /// nanosecond.
    #[must_use]
    pub fn work(&self) -> u64 {
        self.scratch.work
    }
}
