//! The order of checks. Each one either decides or passes on to the next.

use super::{
    Environment, Evaluation, answer,
    bucket::{Buckets, Seed},
    condition::combine,
    context::Context,
    environment::Entry,
    flag::{EVERYBODY, Flag, Rule, Served, Serves, State, Variant},
    gate,
    observer::{Observer, Outcome, Step},
    scratch::Scratch,
    segment,
};
use crate::{reason::Reason, snapshot::FlagType};

/// Evaluates the flag at `position` in full. What others may depend on too is left in `scratch`.
pub(super) fn decide<'e, O: Observer>(
    env: &'e Environment,
    position: u32,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> Evaluation<'e> {
    let Some(entry) = env.entry(position) else {
        return Evaluation::NOT_FOUND;
    };
    let flag = &*entry.flag;

    // Disabled flags are prepared without a state: what their rules say does not matter.
    let Some(state) = &flag.state else {
        observer.step(Step::Enabled, Outcome::Decided);
        return flag.serve_default(Reason::Disabled);
    };
    observer.step(Step::Enabled, Outcome::Passed);

    if let Some(reason) = refusal(env, position, entry, context, scratch, observer) {
        return flag.serve_default(reason);
    }

    // Shared by the rules and the rollout, so that 2000 in a rule and 5000 after it admit 20 % and 30 %.
    let mut rollout = RolloutBucket {
        buckets: &state.buckets,
        context,
        bucket: None,
    };
    // Sorted by priority when the flag was prepared.
    // What the flag requires has taken its own steps by now.
    scratch.grant();
    for (place, rule) in state.rules.iter().enumerate() {
        observer.rule(rule.place);
        let matched = rule_matches(env, entry, rule, context, scratch, observer);
        // Whether this rule or a later one serves is not known, so neither may the rollout decide.
        if !scratch.has_steps() {
            scratch.run_out();
            observer.step(Step::Rules, Outcome::Decided);
            return Evaluation {
                is_spent: true,
                ..flag.serve_default(Reason::Error)
            };
        }
        // Asked only on a match: a rule that does not match must not cost a hash, nor show up as admitting.
        let admitted = matched.then(|| rollout.admits(rule.percentage, observer));
        observer.rule_verdict(matched, admitted);
        // A rule that matches but does not admit the context decides nothing: the next one is tried.
        if admitted == Some(true) {
            observer.step(Step::Rules, Outcome::Decided);
            return flag.serve_rule(state, rule, place);
        }
    }
    if !state.rules.is_empty() {
        observer.step(Step::Rules, Outcome::Passed);
    }

    // Absent differs from 10000: both admit everybody, but only a rollout that is set answers with `ROLLOUT`.
    if let Some(percentage) = state.percentage_rollout {
        if !rollout.admits(percentage, observer) {
            observer.step(Step::PercentageRollout, Outcome::Decided);
            return flag.serve_default(Reason::Fallthrough);
        }
        observer.step(Step::PercentageRollout, Outcome::Passed);
    }

    // Only `ab` flags are prepared with variants.
    if let Some(last) = state.variants.last() {
        let (place, variant) = draw_variant(flag, state, last, context, observer);
        observer.step(Step::Variants, Outcome::Decided);
        return Evaluation {
            value_json: &variant.value,
            reason: Reason::Variant,
            variant: Some(&variant.key),
            answer: answer::of_variant(state.rules.len(), place),
            is_spent: false,
        };
    }

    observer.step(Step::ServedValue, Outcome::Decided);
    flag.serve_value(state)
}

/// The other flags come before the flag's own rules, so that no rule can let a context past them.
#[inline]
fn refusal<O: Observer>(
    env: &Environment,
    position: u32,
    entry: &Entry,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> Option<Reason> {
    let links = entry.links.as_ref()?;
    if let Some(group) = links.group {
        if !gate::wins_contest(env, group, position, context, scratch, observer) {
            observer.step(Step::MutualExclusion, Outcome::Decided);
            return Some(Reason::MutuallyExcluded);
        }
        observer.step(Step::MutualExclusion, Outcome::Passed);
    }
    let prerequisites = &entry.flag.prerequisites;
    if !prerequisites.is_empty() {
        if !gate::prerequisites_are_met(env, links, prerequisites, context, scratch, observer) {
            observer.step(Step::Prerequisites, Outcome::Decided);
            return Some(Reason::PrerequisiteFailed);
        }
        observer.step(Step::Prerequisites, Outcome::Passed);
    }
    None
}

/// Rule percentages and the rollout share one bucket, which is hashed when it is first needed.
struct RolloutBucket<'a> {
    buckets: &'a Buckets,
    context: &'a Context<'a>,
    bucket: Option<u16>,
}

impl RolloutBucket<'_> {
    fn admits<O: Observer>(&mut self, percentage: u16, observer: &mut O) -> bool {
        // The bucket cannot matter here; only an explanation wants to see it.
        if !O::EXHAUSTIVE && matches!(percentage, 0 | EVERYBODY) {
            return percentage == EVERYBODY;
        }
        let bucket = *self.bucket.get_or_insert_with(|| {
            let bucket = self.buckets.rollout(&self.context.key);
            observer.bucket(Seed::Rollout, bucket);
            bucket
        });
        bucket < percentage
    }
}

fn rule_matches<O: Observer>(
    env: &Environment,
    entry: &Entry,
    rule: &Rule,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> bool {
    let (match_type, compiled) = (rule.match_type, entry.compiled());
    let conditions_match = rule.conditions.is_empty()
        || combine(
            match_type,
            &rule.conditions,
            context,
            compiled,
            scratch,
            observer,
        );
    // No segments listed means no restriction. Otherwise segments matter only if the conditions match.
    if rule.segments.is_empty() || !scratch.has_steps() {
        return conditions_match;
    }
    if conditions_match {
        return any_segment_matches(env, entry, rule, context, scratch, observer);
    }
    if O::EXHAUSTIVE {
        scratch.aside(|scratch| any_segment_matches(env, entry, rule, context, scratch, observer));
    }
    false
}

// Apart, as is whatever most evaluations do not come to: it would take registers from what they do.
#[inline(never)]
fn any_segment_matches<O: Observer>(
    env: &Environment,
    entry: &Entry,
    rule: &Rule,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> bool {
    let listed = rule.segments.start as usize..rule.segments.end as usize;
    let positions = entry
        .links
        .as_deref()
        .and_then(|links| links.segments.get(listed.clone()));
    let keys = entry.flag.segment_keys.get(listed);
    let mut any = false;
    for (key, position) in keys
        .into_iter()
        .flatten()
        .zip(positions.into_iter().flatten())
    {
        // Resolved when the environment was prepared; a segment that does not exist never matches.
        let matched = match position {
            Some(position) if any => {
                // The verdict is certain, but explanations show every segment, as far as it can be tested.
                let test =
                    |scratch: &mut Scratch| segment::matches(env, *position, context, scratch);
                let Some(matched) = scratch.aside(test) else {
                    break;
                };
                matched
            }
            Some(position) => segment::matches(env, *position, context, scratch),
            None => None,
        };
        if O::EXHAUSTIVE && position.is_some_and(|position| env.lacks_patterns(position)) {
            observer.lacks_patterns();
        }
        observer.segment(key, matched);
        any |= matched == Some(true);
        if (any && !O::EXHAUSTIVE) || !scratch.has_steps() {
            break;
        }
    }
    any
}

/// The variant whose range of the weights contains the context's bucket, and its place; the last one if the weights fall short
/// of it.
#[inline(never)]
fn draw_variant<'f, O: Observer>(
    flag: &Flag,
    state: &'f State,
    last: &'f Variant,
    context: &Context<'_>,
    observer: &mut O,
) -> (usize, &'f Variant) {
    let variants = &state.variants;
    let bucket = state.buckets.variant(flag.key.as_str(), &context.key);
    observer.bucket(Seed::Variant, bucket);
    let mut places = variants.iter().enumerate();
    let found = places.find(|(_, variant)| bucket < variant.until);
    found.unwrap_or((variants.len() - 1, last))
}

impl Flag {
    fn serve_default(&self, reason: Reason) -> Evaluation<'_> {
        Evaluation::without_variant(&self.default_value, reason, answer::of_default(reason))
    }

    /// A stored value, or the flag's default if the value does not have the flag's type; no further rule is tried then.
    fn serve_stored<'f>(
        &'f self,
        served: &'f Served,
        reason: Reason,
        number: u32,
    ) -> Evaluation<'f> {
        if served.fits {
            Evaluation::without_variant(&served.json, reason, number)
        } else {
            self.serve_default(Reason::Error)
        }
    }

    /// What a rule serves, by its place among those that are tried.
    fn serve_rule<'f>(&'f self, state: &'f State, rule: &'f Rule, place: usize) -> Evaluation<'f> {
        let reason = rule.reason();
        match (&rule.serves, &state.default_value) {
            (Serves::Own(served), _) => self.serve_stored(served, reason, answer::of_rule(place)),
            (Serves::Default, Some(served)) => {
                self.serve_stored(served, reason, answer::of_environment_default(reason))
            }
            (Serves::True, _) => {
                Evaluation::without_variant("true", reason, answer::of_true(reason))
            }
            (Serves::Default, None) => self.serve_default(reason),
        }
    }

    /// What an enabled flag serves if no rule and no variant decided.
    fn serve_value<'f>(&'f self, state: &'f State) -> Evaluation<'f> {
        let in_rollout = state.percentage_rollout.is_some();
        let reason = if in_rollout {
            Reason::Rollout
        } else {
            Reason::Fallthrough
        };
        match &state.default_value {
            Some(served) => {
                self.serve_stored(served, reason, answer::of_environment_default(reason))
            }
            // A plain toggle: on means true. With rules, they decide who gets it.
            None if self.flag_type == FlagType::Boolean
                && (in_rollout || state.rules.is_empty()) =>
            {
                Evaluation::without_variant("true", reason, answer::of_true(reason))
            }
            None => self.serve_default(reason),
        }
    }
}
