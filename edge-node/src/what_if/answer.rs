//! Answers a question: evaluates each sample with the contents that are served and with those of the draft.
//!
//! On a thread of its own, in slices with pauses four times as long, so that requests are hardly delayed. Samples are taken in random
//! order: when the time is over, those that were evaluated stand for all.

use std::{borrow::Cow, collections::HashMap, thread, time::Duration};

use protocol::{
    eval::{Environment, Evaluation, Evaluator, FlagIndex, Scratch},
    what_if::{Failed, Finding, Keys, Question},
};
use tokio::time::Instant;

use super::{
    estimate::{Estimate, Evaluated},
    reservoir::{Lots, Reservoir},
    sample::{Sample, hash_of_flag},
};
use crate::{Edge, clock::millis};

/// How long it works at a time, and how much longer it then pauses.
const SLICE: Duration = Duration::from_micros(200);
const PAUSES: u32 = 4;
/// The most work for one question.
const MOST: Duration = Duration::from_secs(1);

/// A flag that may answer otherwise.
struct Affected {
    key: String,
    stored: Option<FlagIndex>,
    drafted: Option<FlagIndex>,
}

/// Answers a question, if the edge serves its environment.
pub(super) fn answer(edge: &Edge, question: &Question) -> Option<Finding> {
    let parts = edge.parts();
    let env_id = question.sampled.env_id;
    let served = parts.current.environment(env_id)?;
    let fail = |failed| {
        let version = served.head().version;
        Some(Finding::failed(
            question.id,
            parts.what_if.boot,
            version,
            failed,
        ))
    };
    let reservoir = parts.what_if.reservoirs.load().get(&env_id).cloned();
    let Some(reservoir) = reservoir.filter(|it| it.sampled == question.sampled) else {
        return fail(Failed::NotSampled);
    };
    let Ok(draft) = served.with(&question.draft) else {
        return fail(Failed::DraftRefused);
    };
    let now = parts.clock.elapsed();
    let compared = Compared::new(&served, &draft, question);
    let estimate = compared.estimate(question, &reservoir, now);
    if reservoir.is_dropped() {
        return fail(Failed::NotSampled);
    }
    let mut finding = estimate.finding(|flag| compared.affected[flag].key.clone());
    finding.question = question.id;
    finding.boot = parts.what_if.boot;
    finding.version = served.head().version;
    if let Some(began_ms) = reservoir.began_ms() {
        finding.since_ms = parts.clock.now_ms() - (millis(now) - began_ms);
    }
    Some(finding)
}

/// The two contents.
struct Compared<'e> {
    stored: &'e Environment,
    draft: &'e Environment,
    affected: Vec<Affected>,
    /// By the hashes of their keys.
    by_hash: HashMap<u64, usize>,
    /// Whether hashed keys have other buckets than the keys, and that matters.
    are_other_buckets: bool,
}

impl<'e> Compared<'e> {
    fn new(stored: &'e Environment, draft: &'e Environment, question: &Question) -> Self {
        let before = stored.affected_by(&question.draft);
        let after = draft.affected_by(&question.draft);
        let keys = before.iter().map(|flag| stored.key(*flag));
        let mut keys: Vec<&str> = keys
            .chain(after.iter().map(|flag| draft.key(*flag)))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let affected = keys.into_iter().map(|key| Affected {
            key: key.to_owned(),
            stored: stored.flag(key),
            drafted: draft.flag(key),
        });
        let affected: Vec<_> = affected.collect();
        let hashes = affected.iter().map(|flag| hash_of_flag(&flag.key));
        Self {
            by_hash: hashes.zip(0..).collect(),
            are_other_buckets: question.sampled.keys == Keys::Hashed
                && (stored.depend_on_buckets(&before) || draft.depend_on_buckets(&after)),
            affected,
            stored,
            draft,
        }
    }

    /// The affected flags that a sample asked for.
    fn asked_by(&self, sample: Sample<'_>) -> Vec<usize> {
        if sample.asked_for_all() {
            // One that is only in the draft was not among them.
            let all = self.affected.iter().enumerate();
            let stored = all.filter(|(_, flag)| flag.stored.is_some());
            return stored.map(|(place, _)| place).collect();
        }
        let asked = sample.asked();
        asked
            .filter_map(|hash| self.by_hash.get(&hash).copied())
            .collect()
    }

    fn estimate(&self, question: &Question, reservoir: &Reservoir, now: Duration) -> Estimate {
        let hours = reservoir.copy(now);
        let mut samples = Vec::new();
        let mut pace = Pace::new();
        for hour in &hours {
            let mut rest = &hour[..];
            while let Some((sample, behind)) = Sample::first(rest) {
                if !self.asked_by(sample).is_empty() {
                    samples.push(sample);
                }
                rest = behind;
                if !pace.goes_on() {
                    return Estimate::new(question, self.are_other_buckets);
                }
            }
        }
        let mut lots = Lots(rand::random());
        let mut estimate = Estimate::new(question, self.are_other_buckets);
        let mut scratches = (Scratch::new(), Scratch::new());
        let all = samples.len();
        for done in 0..all {
            let other = done + lots.below(all - done);
            samples.swap(done, other);
            if reservoir.is_dropped()
                || !self.compare(
                    samples[done],
                    question,
                    &mut scratches,
                    &mut estimate,
                    &mut pace,
                )
            {
                break;
            }
        }
        estimate.scale(all);
        estimate
    }

    /// False once the time is over: what was begun does not count then.
    fn compare(
        &self,
        sample: Sample<'_>,
        question: &Question,
        scratches: &mut (Scratch, Scratch),
        estimate: &mut Estimate,
        pace: &mut Pace,
    ) -> bool {
        let sampled = &question.sampled;
        let asked = self.asked_by(sample);
        let mut evaluated = Vec::with_capacity(asked.len());
        let draws = if self.are_other_buckets { 2 } else { 1 };
        for draw in 0..draws {
            let key = match draw {
                0 => sample.key(),
                // Another user of the same kind: how much the buckets matter shows in the difference.
                _ => Cow::Owned(format!(
                    "{:016x}",
                    sample.key_hash().rotate_left(32) ^ 0x5a5a
                )),
            };
            let context = sample.context(sampled, key);
            let mut stored = Evaluator::new(self.stored, &context, &mut scratches.0);
            let mut drafted = Evaluator::new(self.draft, &context, &mut scratches.1);
            for &flag in &asked {
                let affected = &self.affected[flag];
                let value = |evaluator: &mut Evaluator<'e, '_>, flag: Option<FlagIndex>| {
                    flag.map_or(Evaluation::NOT_FOUND, |flag| evaluator.evaluate(flag))
                        .value_json
                };
                let from = value(&mut stored, affected.stored);
                let to = value(&mut drafted, affected.drafted);
                evaluated.push(Evaluated {
                    flag,
                    draw,
                    from,
                    to,
                });
                if !pace.goes_on() {
                    return false;
                }
            }
        }
        estimate.add(sample, sampled, &evaluated);
        true
    }
}

/// Work and pauses.
struct Pace {
    began: Instant,
    worked: Duration,
}

impl Pace {
    fn new() -> Self {
        Self {
            began: Instant::now(),
            worked: Duration::ZERO,
        }
    }

    /// Pauses if it is time to; false once all time is used up.
    fn goes_on(&mut self) -> bool {
        let slice = self.began.elapsed();
        if slice < SLICE {
            return true;
        }
        self.worked += slice;
        thread::sleep(slice.saturating_mul(PAUSES).min(Duration::from_millis(20)));
        self.began = Instant::now();
        self.worked < MOST
    }
}
