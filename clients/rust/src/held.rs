//! One version of an environment, as it answers.

use std::{cell::RefCell, sync::Arc};

use counters::Counters;
use protocol::{
    eval::{Environment, Evaluation, FlagIndex, Scratch, evaluate},
    wire::sdk,
};
use serde_json::Value;

use crate::{context::Context, detail::ErrorKind, usage::Ledger, values::Values};

thread_local! {
    /// What evaluations on this thread work with; it grows to what they need.
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(Scratch::new()) };
}

/// An environment, with what it answered so far. No count is lost: what was not taken goes to the ledger when the last
/// evaluation lets go of it.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) environment: Environment,
    /// Names version and contents.
    pub(crate) tag: String,
    values: Values,
    counters: Counters,
    ledger: Arc<Ledger>,
}

/// The answer of a flag that exists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'e> {
    held: &'e Held,
    flag: FlagIndex,
    pub(crate) evaluation: &'e Evaluation<'e>,
}

impl Held {
    pub(crate) fn new(environment: Environment, ledger: Arc<Ledger>) -> Self {
        Self {
            tag: sdk::tag(environment.head().version, environment.digest()),
            environment,
            values: Values::default(),
            counters: Counters::default(),
            ledger,
        }
    }

    pub(crate) fn version(&self) -> u64 {
        self.environment.head().version
    }

    /// Evaluates, counts, and makes something of the answer.
    // The answer is shown and not returned, so that it need not be moved: that would take as long as many an evaluation.
    #[inline]
    pub(crate) fn ask<T>(
        &self,
        key: &str,
        context: &Context,
        read: impl FnOnce(&Asked<'_>) -> T,
    ) -> Result<T, ErrorKind> {
        let Some(flag) = self.environment.flag(key) else {
            self.ledger.count_unknown(key);
            return Err(ErrorKind::FlagNotFound);
        };
        Ok(SCRATCH.with(|scratch| {
            let (mut mine, mut other);
            let scratch = match scratch.try_borrow_mut() {
                Ok(borrowed) => {
                    mine = borrowed;
                    &mut *mine
                }
                // Only if an evaluation came to ask for another one, which none does.
                Err(_) => {
                    other = Scratch::new();
                    &mut other
                }
            };
            let evaluation = evaluate(&self.environment, flag, &context.0, scratch);
            self.counters
                .add(&self.environment, flag, evaluation.answer);
            read(&Asked {
                held: self,
                flag,
                evaluation: &evaluation,
            })
        }))
    }

    /// Moves what was counted since the last time into the ledger.
    pub(crate) fn settle(&self) {
        self.ledger.absorb(|tally| {
            self.counters
                .take(&self.environment, |flag, number, count| {
                    if let Some(answer) = self.environment.answer(flag, number) {
                        tally.add(self.environment.key(flag), &answer, count);
                    }
                });
        });
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.settle();
    }
}

impl Asked<'_> {
    #[inline]
    pub(crate) fn bool(&self) -> Option<bool> {
        match self.evaluation.value_json {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    pub(crate) fn number(&self) -> Option<f64> {
        let json = self.evaluation.value_json;
        let is_number = matches!(json.as_bytes(), [b'-' | b'0'..=b'9', ..]);
        let number: f64 = is_number.then(|| json.parse().ok()).flatten()?;
        number.is_finite().then_some(number)
    }

    /// Whole numbers alone, also those that are written with a fraction of zero.
    pub(crate) fn int(&self) -> Option<i64> {
        /// Beyond it not every whole number is an `f64`.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if let Ok(number) = self.evaluation.value_json.parse() {
            return Some(number);
        }
        let number = self.number()?;
        #[expect(clippy::cast_possible_truncation, reason = "checked before")]
        (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
    }

    pub(crate) fn string(&self) -> Option<Arc<str>> {
        let (flag, evaluation) = (self.flag, self.evaluation);
        self.held
            .values
            .text(&self.held.environment, flag, evaluation)
    }

    pub(crate) fn json(&self) -> Option<Arc<Value>> {
        let (flag, evaluation) = (self.flag, self.evaluation);
        self.held
            .values
            .json(&self.held.environment, flag, evaluation)
    }
}
