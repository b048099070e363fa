//! An environment as it is served: prepared, with counters of the answers it gave.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
};

use protocol::{
    eval::{Environment, Evaluation, FlagIndex},
    signature::Signature,
    wire::sdk,
};

use super::tag::configuration_tag;
use crate::usage::{Counters, Counting, Given, Ledger, Tally};

/// One version of an environment. No count is lost: what was not taken goes to the ledger when the last request holding
/// the environment drops it.
#[derive(Debug)]
pub(crate) struct Served {
    environment: Environment,
    signature: Option<Signature>,
    /// Estimated memory that it takes.
    pub(crate) bytes: u64,
    /// Names the version and the contents.
    pub(crate) tag: Box<str>,
    /// Names what SDKs hold of it, once one of them asked.
    sdk_tag: OnceLock<Box<str>>,
    counters: Counters,
    ledger: Arc<Ledger>,
}

impl Served {
    pub(super) fn new(
        environment: Environment,
        signature: Option<Signature>,
        ledger: Arc<Ledger>,
    ) -> Self {
        let patterns = environment.patterns_left_out();
        if patterns > 0 {
            let (env_id, version) = (environment.head().env_id, environment.head().version);
            metrics::counter!("halyard_edge_patterns_left_out_total").increment(patterns as u64);
            tracing::warn!(env.id = %env_id, version, patterns, "patterns are too large and never match");
        }
        Self {
            counters: Counters::default(),
            bytes: environment.held_bytes(),
            tag: configuration_tag(&environment).into(),
            sdk_tag: OnceLock::new(),
            environment,
            signature,
            ledger,
        }
    }

    /// The control plane's signature, if it came with one.
    pub(super) const fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// Names what SDKs hold of it.
    pub(crate) fn sdk_tag(&self) -> &str {
        let made = || sdk::tag(self.head().version, sdk::digest_without_keys(self));
        self.sdk_tag.get_or_init(|| made().into())
    }

    /// Counts an answer for a flag.
    pub(crate) fn count(&self, flag: FlagIndex, evaluation: &Evaluation<'_>) {
        self.counters
            .add(&self.environment, flag, evaluation.answer);
    }

    /// Begins to count several answers.
    pub(crate) fn counting(&self) -> Counting<'_> {
        self.counters.begin(&self.environment)
    }

    /// Counts an answer for a key that no flag has.
    pub(crate) fn count_unknown(&self, flag_key: &str) {
        self.ledger.count_unknown(self.head().env_id, flag_key, 1);
    }

    /// Takes what was counted since the last time.
    pub(super) fn take_counts(&self, tally: &mut Tally) {
        let env_id = self.head().env_id;
        self.counters
            .take(&self.environment, |flag, number, count| {
                if let Some(answer) = self.answer(flag, number) {
                    tally.add(env_id, self.key(flag), &Given::of(&answer), count);
                }
            });
    }

    /// Moves what was counted into the ledger, since a replaced environment is not visited by collections any more.
    pub(super) fn settle(&self) {
        let mut tally = Tally::default();
        self.take_counts(&mut tally);
        self.ledger.absorb(&tally);
    }
}

impl Deref for Served {
    type Target = Environment;

    fn deref(&self) -> &Environment {
        &self.environment
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.settle();
    }
}
